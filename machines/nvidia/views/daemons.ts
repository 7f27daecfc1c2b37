// The daemon pods of a ComputeDomain, under its UID: all of them for its actor, and those that have
// not said yet in which clique they are for its cliques, as such a pod may be of any.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';

export interface DaemonsEvent {
  readonly type: 'daemons.read';
  readonly daemons: readonly ObservedDaemon[];
}

export interface StartingEvent {
  readonly type: 'starting.read';
  readonly daemons: readonly ObservedDaemon[];
}

type DaemonView = View<ObservedDaemon, readonly ObservedDaemon[]>;

const isSame = (one: ObservedDaemon, other: ObservedDaemon): boolean =>
  one.uid === other.uid && one.resourceVersion === other.resourceVersion;

const parts: Pick<DaemonView, 'valueOf' | 'isSameItem' | 'isSame' | 'say'> = {
  valueOf: (items) => [...items.values()],
  isSameItem: isSame,
  isSame: () => false,
  say: (daemons) => `${daemons.length} pods`,
};

export const daemonsOfDomain: DaemonView = {
  ...parts,
  name: 'daemonsOfDomain',
  event: (_, daemons = []): DaemonsEvent => ({ type: 'daemons.read', daemons }),
};

export const startingDaemons: DaemonView = {
  ...parts,
  name: 'startingDaemons',
  event: (_, daemons = []): StartingEvent => ({ type: 'starting.read', daemons }),
};

export const shownDaemon = (daemon: ObservedDaemon): readonly Entry[] => [
  entry(daemonsOfDomain, daemon.domain, daemon),
  ...(daemon.cliqueID === undefined ? [entry(startingDaemons, daemon.domain, daemon)] : []),
];
