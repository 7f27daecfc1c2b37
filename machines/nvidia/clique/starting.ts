// The daemons that have not said yet in which clique they are, as one clique sees them. Ours that
// have joined over NATS never do: the persisted object that has such a pod among its owners tells
// of it.
import type { ObservedClique } from '../objects/clique.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import type { CliqueName } from '../views/cliques.ts';

/** A part of the memory of a clique. */
export interface Starting {
  /** As persisted; one without UID where there is none. */
  readonly clique: ObservedClique;
  /** Those that asked and may join, by pod UID, with the IP that they gave. */
  readonly admitted: ReadonlyMap<string, string>;
  /** Those that have not said yet in which clique they are, by keys of their view. */
  readonly starting: ReadonlyMap<string, readonly ObservedDaemon[]>;
  /** Of those the cliques that have them as owners, by UID. */
  readonly elsewhere: ReadonlyMap<string, readonly CliqueName[]>;
}

/** All that are read, each once. */
export const shownStarting = ({
  starting,
}: Pick<Starting, 'starting'>): readonly ObservedDaemon[] => [
  ...new Map([...starting.values()].flat().map((pod) => [pod.uid, pod])).values(),
];

/** Whether the pod is of this clique, or may still say so. */
export function mayBeIn(
  { clique, admitted, elsewhere }: Starting,
  { uid, domain, namespace }: ObservedDaemon,
): boolean {
  if (domain !== clique.domain) return false;
  if (admitted.has(uid) || clique.owners.some((owner) => owner.uid === uid)) return true;
  const others = elsewhere.get(uid) ?? [];
  return others.every((other) => other.namespace !== namespace || isSameClique(other, clique));
}

const isSameClique = (one: CliqueName, other: CliqueName): boolean =>
  one.namespace === other.namespace && one.name === other.name;
