// Why claims have no Sandbox yet, for `why` of their pool: how many, and the first by name.
import { firstOf } from '../../../contract/limits.ts';
import { isOfNamesake, type AssigningContext } from './assigning.ts';

/** Sentences on a few of them: there may be thousands. */
export function explainClaims(context: AssigningContext): readonly string[] {
  const { waiting, order, refused, assignments, looking, searchError } = context.assigning;
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
    ...waitForCollector(context),
    ...(refused.size === 0 ? [] : [`claims that are given no member: ${firstOf(refused.keys())}`]),
  ];
}

function waitForCollector(context: AssigningContext): readonly string[] {
  const names = context.assigning.assignments.values().flatMap(({ claim, sandbox, phase }) => {
    const member = phase === 'stored' ? context.members.get(sandbox) : undefined;
    return member !== undefined && isOfNamesake(context, member) ? [claim.name] : [];
  });
  if (names.length === 0) return [];
  return [
    'claims whose Sandbox is of another pool of this name, until the garbage collector deletes ' +
      `it: ${firstOf(names)}`,
  ];
}
