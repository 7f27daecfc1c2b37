// The rows of all cliques of a ComputeDomain, under its UID: its actor adds them up.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { ObservedClique, Row } from '../objects/clique.ts';

export interface CliqueRows {
  readonly namespace: string;
  readonly cliqueID: string;
  readonly rows: readonly Row[];
}

export interface CliquesEvent {
  readonly type: 'cliques.read';
  /** In a fixed order. */
  readonly cliques: readonly CliqueRows[];
}

export const cliquesOfDomain: View<CliqueRows, readonly CliqueRows[]> = {
  name: 'cliquesOfDomain',
  valueOf: (items) =>
    [...items.entries()]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, rows]) => rows),
  isSameItem: isEqual,
  event: (_, cliques = []): CliquesEvent => ({ type: 'cliques.read', cliques }),
  say: (cliques) =>
    `${cliques.length} cliques with ${cliques.reduce((sum, { rows }) => sum + rows.length, 0)} rows`,
};

export const shownClique = ({
  domain,
  namespace,
  cliqueID,
  rows,
}: ObservedClique): readonly Entry[] => [
  entry(cliquesOfDomain, domain, { namespace, cliqueID, rows }),
];
