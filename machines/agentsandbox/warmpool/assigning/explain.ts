// Why claims have no Sandbox yet, for `why` of their pool: how many, and the first by name.
import { firstOf } from '../../../contract/limits.ts';
import type { AssigningContext } from './assigning.ts';

/** Sentences on a few of them: there may be thousands. */
export function explainClaims({ assigning }: AssigningContext): readonly string[] {
  const { waiting, order, refused, assignments, looking, searchError } = assigning;
  const first = order.pick()?.name ?? '';
  return [
    ...(waiting.size === 0 ? [] : [`${waiting.size} claims wait for a member, first ${first}`]),
    ...(assignments.size === 0
      ? []
      : [`${assignments.size} claims are being given a Sandbox, or are about to name theirs`]),
    ...(looking.size === 0
      ? []
      : [
          `of ${looking.size} Sandboxes that are assigned to claims it is not known what became of ` +
            `them${searchError === undefined ? '' : `: listing them failed: ${searchError}`}`,
        ]),
    ...(refused.size === 0 ? [] : [`claims that are given no member: ${firstOf(refused.keys())}`]),
  ];
}
