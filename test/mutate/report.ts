// What `npm run mutate` prints: a line for each mutant as it is judged, and in the end those that
// survived with their diffs, and rates by operator and folder.
import { equivalents } from './equivalent.ts';
import { diffOf, type Mutant } from './mutant.ts';
import { isKilled, type Verdict } from './verdict.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

const outcomes: Readonly<Record<Verdict['outcome'], string>> = {
  killed: 'killed',
  timeout: 'killed by its time',
  survived: 'survived',
  unreached: 'survived, since no unit test comes there',
};

export const lineOf = ({ mutant, verdict: { outcome, by } }: Judged): string =>
  `${mutant.id} ${mutant.operator} ${mutant.file}:${mutant.line} ${outcomes[outcome]}` +
  (by === undefined ? '' : ` by ${by}`);

export const rateOf = (all: readonly Judged[]): number =>
  all.length === 0 ? 1 : all.filter(({ verdict }) => isKilled(verdict)).length / all.length;

const reasons = new Map(equivalents.map(({ id, reason }) => [id, reason]));

export function report(all: readonly Judged[]): readonly string[] {
  const survived = all.filter(({ verdict }) => !isKilled(verdict));
  const timeouts = all.filter(({ verdict: { outcome } }) => outcome === 'timeout');
  return [
    ...survived.flatMap(({ mutant, verdict: { outcome } }) => {
      const reason = reasons.get(mutant.id);
      const isEquivalent = reason === undefined ? [] : [`  equivalent: ${reason}`];
      return [
        '',
        `${mutant.id} ${mutant.operator}: ${outcomes[outcome]}`,
        ...diffOf(mutant),
        ...isEquivalent,
      ];
    }),
    '',
    ...tableOf('operator', all, ({ mutant }) => mutant.operator),
    '',
    ...tableOf('folder', all, ({ mutant }) => mutant.folder),
    '',
    `mutants ${all.length} killed ${all.length - survived.length}, ${percent(rateOf(all))}; ` +
      `by their time ${timeouts.length}, ` +
      `equivalent ${survived.filter(({ mutant }) => reasons.has(mutant.id)).length}`,
  ];
}

function tableOf(
  title: string,
  all: readonly Judged[],
  of: (judged: Judged) => string,
): readonly string[] {
  const rows = Object.entries(Object.groupBy(all, of)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const row = (name: string, mutants: string, killed: string, rate: string): string =>
    `${name.padEnd(16)} ${mutants.padStart(8)} ${killed.padStart(8)} ${rate.padStart(8)}`;
  return [
    row(title, 'mutants', 'killed', 'rate'),
    ...rows.map(([name, judged = []]) => {
      const killed = judged.filter(({ verdict }) => isKilled(verdict)).length;
      return row(name, String(judged.length), String(killed), percent(rateOf(judged)));
    }),
  ];
}

export const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`;
