// The rows of all cliques of a ComputeDomain, under its UID: its actor adds them up. And of which
// cliques a pod is an owner, under the UID of the pod.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { ObservedClique, Row } from '../objects/clique.ts';

export interface CliqueRows {
  readonly namespace: string;
  readonly cliqueID: string;
  readonly rows: readonly Row[];
  /** UIDs of the pods in it. */
  readonly owners: readonly string[];
}

export interface CliqueName {
  readonly namespace: string;
  readonly name: string;
}

export interface OwningEvent {
  readonly type: 'owning.read';
  readonly key: string;
  readonly cliques: readonly CliqueName[] | undefined;
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

export const cliquesOfPod: View<CliqueName, readonly CliqueName[]> = {
  name: 'cliquesOfPod',
  valueOf: (items) => [...items.values()],
  event: (key, cliques): OwningEvent => ({ type: 'owning.read', key, cliques }),
  say: (cliques) => cliques.map(({ name }) => name).join(', '),
};

export function shownClique(clique: ObservedClique): readonly Entry[] {
  const { domain, namespace, name, cliqueID, rows } = clique;
  const owners = clique.owners.filter(({ kind }) => kind === 'Pod').map(({ uid }) => uid);
  return [
    entry(cliquesOfDomain, domain, { namespace, cliqueID, rows, owners }),
    ...owners.map((uid) => entry(cliquesOfPod, uid, { namespace, name })),
  ];
}
