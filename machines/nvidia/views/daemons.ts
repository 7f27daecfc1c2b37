// The daemon pods of a ComputeDomain: all of them under its UID, for its actor. Those that have not
// said yet in which clique they are may be of any, so they are found by their node and by their own
// UID: a clique reads what it knows of, and no pod wakes them all.
import { entry } from '../../contract/view.ts';
import type { Entry, View } from '../../contract/view.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';

export interface DaemonsEvent {
  readonly type: 'daemons.read';
  readonly daemons: readonly ObservedDaemon[];
}

export interface StartingEvent {
  readonly type: 'starting.read';
  readonly key: string;
  readonly daemons: readonly ObservedDaemon[] | undefined;
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
  event: (key, daemons): StartingEvent => ({ type: 'starting.read', key, daemons }),
};

/** The key of the daemons of a domain on a node. */
export const placeIn = (domain: string, node: string): string => `${domain} ${node}`;

export const shownDaemon = (daemon: ObservedDaemon): readonly Entry[] => {
  const { domain, node, uid, cliqueID } = daemon;
  const isStarting = cliqueID === undefined && node !== '';
  return [
    entry(daemonsOfDomain, domain, daemon),
    ...(isStarting ? [placeIn(domain, node), uid] : []).map((key) =>
      entry(startingDaemons, key, daemon),
    ),
  ];
};
