// What the project says about itself and cites tests for: the sentences of docs/guarantees.md and
// the rules of the specs. Each must fall where the line that it rests on is taken away.
import { testsOfRules } from '#test/rules/find.ts';
import { rules } from '#test/rules/table.ts';
import { readGuarantees } from '#test/support/guarantees.ts';
import { type Cited, citedOf } from './cited.ts';
import type { ListedMutant } from './mutant.ts';

export interface Statement {
  readonly kind: 'guarantees' | 'rules';
  /** The sentence, or the number of the rule. */
  readonly id: string;
  readonly cites: readonly Cited[];
}

export function statements(): readonly Statement[] {
  const guarantees = readGuarantees().flatMap(({ sentence, file, title }): Statement[] =>
    file === undefined || title === undefined
      ? []
      : [{ kind: 'guarantees', id: sentence, cites: [citedOf(file, title)] }],
  );
  const tests = testsOfRules();
  const numbered = rules.flatMap(({ id }): Statement[] => {
    const cites = (tests.get(id) ?? []).map(({ file, title }) => citedOf(file, title));
    return cites.length === 0 ? [] : [{ kind: 'rules', id, cites }];
  });
  return [...guarantees, ...numbered];
}

/** Sentences are named by how they begin. */
export const isShownBy = (
  { kind, id }: Statement,
  { shows }: Pick<ListedMutant, 'shows'>,
): boolean => [shows].flat().some((one) => (kind === 'rules' ? id === one : id.startsWith(one)));
