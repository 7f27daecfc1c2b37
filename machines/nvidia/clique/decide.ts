// Who has which index: the one place that decides. A pure function of the clique as it is persisted
// and of the daemons that are known; the result is written whole, guarded by the version that it
// was made from, so each version follows from the one before (spec compute-domain 5).
import type { OwnerReference } from '../../kubernetes/objects.ts';
import type { Indices, Row } from '../objects/clique.ts';
import { currentOf, inOrder } from '../objects/daemon-pod.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { withoutSharedAddresses } from './addresses.ts';
import { Slots } from './slots.ts';
import type { Repair } from './slots.ts';

export interface Facts {
  readonly cliqueID: string;
  /** False: only our own daemons get a row, others list themselves elsewhere. */
  readonly hasCliques: boolean;
  /** How many nodes the clique may have. */
  readonly maxNodes: number;
  readonly rows: readonly Row[];
  readonly owners: readonly OwnerReference[];
  readonly outdated: ReadonlySet<string>;
  /** UIDs of pods that are no owners any more, and are not to be put back. */
  readonly disowned: ReadonlySet<string>;
  /** Indices of nodes without a row: as persisted, and as remembered; oldest first. */
  readonly reserved: Indices;
  /** The daemons of this clique by node. */
  readonly members: ReadonlyMap<string, readonly ObservedDaemon[]>;
  /** Nodes with a daemon that has not said yet in which clique it is. */
  readonly starting: ReadonlySet<string>;
  /** Nodes that surely have no daemon, by a live list. */
  readonly vacated: ReadonlySet<string>;
  /** Nodes that carry the label of the domain. */
  readonly labelled: ReadonlySet<string>;
}

export interface Decision {
  readonly rows: readonly Row[];
  readonly owners: readonly OwnerReference[];
  readonly reserved: Indices;
  readonly outdated: ReadonlySet<string>;
  readonly repairs: readonly Repair[];
  /** Daemons for which there is no index. */
  readonly refused: readonly ObservedDaemon[];
  /** Daemons whose IP the row of another node holds. */
  readonly blocked: readonly ObservedDaemon[];
  /** Nodes with a row and no daemon, as far as is known. */
  readonly suspects: readonly string[];
}

export function decide(facts: Facts): Decision {
  const { members, vacated, maxNodes } = facts;
  const isHeld = (node: string): boolean => members.has(node) || facts.starting.has(node);
  const there = facts.rows.filter(({ nodeName }) => isHeld(nodeName) || !vacated.has(nodeName));
  const slots = new Slots({ maxNodes, rows: there, members });
  const left = facts.rows.filter((row) => !there.includes(row)).map(indexOf);
  slots.reserve([...facts.reserved, ...left], (node) => ({
    isHeld: isHeld(node),
    isWanted: isHeld(node) || facts.labelled.has(node),
  }));
  const repairs = slots.repair();
  const placed = there.flatMap((row): Row[] => {
    const index = slots.indexOf(row.nodeName);
    return index === undefined ? [] : [renewed(row, index, facts)];
  });
  const current = currentByNode(members);
  const stable = withoutSharedAddresses(there, placed);
  const { joined, refused, blocked } = joiners(facts, current, slots, stable.rows);
  const rows = [...stable.rows, ...joined];
  return {
    rows,
    owners: ownersOf(facts, rows, current),
    reserved: slots.reservedBeside(rows),
    outdated: outdatedBy(facts, repairs, current),
    repairs,
    refused,
    blocked: [...stable.blocked.flatMap((node) => current.get(node) ?? []), ...blocked],
    suspects: there.map(({ nodeName }) => nodeName).filter((node) => !isHeld(node)),
  };
}

const indexOf = ({ nodeName, index }: Row): readonly [string, number] => [nodeName, index];

type Current = ReadonlyMap<string, ObservedDaemon>;

function currentByNode(members: Facts['members']): Current {
  const current = new Map<string, ObservedDaemon>();
  for (const [node, pods] of members) {
    const pod = currentOf(pods);
    if (pod !== undefined) current.set(node, pod);
  }
  return current;
}

/** The row as the pod of its node wants it. With another pod, IP or index it is not ready until
 *  that is persisted, nor before a daemon with an outdated index has restarted. */
function renewed(row: Row, index: number, facts: Facts): Row {
  const { cliqueID, members, owners, outdated } = facts;
  const pod = currentOf(members.get(row.nodeName) ?? []);
  const ipAddress = pod?.isLive === true && pod.ip !== '' ? pod.ip : row.ipAddress;
  const isSame =
    index === row.index &&
    ipAddress === row.ipAddress &&
    pod?.isReady === true &&
    owners.some(({ uid }) => uid === pod.uid) &&
    !outdated.has(pod.uid);
  return { ...row, cliqueID, index, ipAddress, status: isSame ? 'Ready' : 'NotReady' };
}

interface Joining {
  readonly joined: readonly Row[];
  readonly refused: readonly ObservedDaemon[];
  readonly blocked: readonly ObservedDaemon[];
}

/** Daemons with an IP whose node has no row, in order; who is refused waits its turn
 *  (A-62). */
function joiners(
  { cliqueID, hasCliques }: Facts,
  current: Current,
  slots: Slots,
  rows: readonly Row[],
): Joining {
  const asking = [...current.values()].filter(
    ({ isLive, isAgent, node, ip }) =>
      isLive && ip !== '' && (hasCliques || isAgent) && !slots.has(node),
  );
  const taken = new Set(rows.map(({ ipAddress }) => ipAddress));
  const joined: Row[] = [];
  const refused: ObservedDaemon[] = [];
  const blocked: ObservedDaemon[] = [];
  for (const pod of inOrder(asking)) {
    if (taken.has(pod.ip)) {
      blocked.push(pod);
      continue;
    }
    const index = slots.take(pod.node);
    if (index === undefined) {
      refused.push(pod);
      continue;
    }
    taken.add(pod.ip);
    const { node: nodeName, ip: ipAddress } = pod;
    joined.push({ nodeName, ipAddress, cliqueID, index, status: 'NotReady' });
  }
  return { joined, refused, blocked };
}

/** Each live pod with a row is an owner, so that the garbage collector takes the object after the
 *  last one. Where rows go, so do the owners that went with them. */
function ownersOf(
  { owners, rows: before, members, disowned }: Facts,
  rows: readonly Row[],
  current: Current,
): readonly OwnerReference[] {
  const known = new Set(owners.map(({ uid }) => uid));
  const missing = rows
    .flatMap(({ nodeName }) => current.get(nodeName) ?? [])
    .filter(({ uid, isLive }) => isLive && !known.has(uid) && !disowned.has(uid))
    .map(({ name, uid }): OwnerReference => ({ apiVersion: 'v1', kind: 'Pod', name, uid }));
  const isLeft = before.some(({ nodeName }) => rows.every((row) => row.nodeName !== nodeName));
  const pods = new Set([...members.values()].flat().map(({ uid }) => uid));
  const kept = isLeft ? owners.filter(({ kind, uid }) => kind !== 'Pod' || pods.has(uid)) : owners;
  return [...kept, ...missing];
}

/** Daemons that cannot restart IMEX by themselves, and run with the index of before. */
function outdatedBy(
  { outdated }: Facts,
  repairs: readonly Repair[],
  current: Current,
): ReadonlySet<string> {
  const live = new Set([...current.values()].filter(({ isLive }) => isLive).map(({ uid }) => uid));
  const added = repairs
    .flatMap(({ node }) => current.get(node) ?? [])
    .filter(({ isAgent, isLive }) => isLive && !isAgent)
    .map(({ uid }) => uid);
  return new Set([...[...outdated].filter((uid) => live.has(uid)), ...added]);
}
