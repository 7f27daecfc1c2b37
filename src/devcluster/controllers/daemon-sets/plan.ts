// What a DaemonSet lacks and has too much: on which nodes a pod is missing, which pods go, and
// which of an older template are next. Pure; the controller looks at the cluster, asks, and writes.
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isTerminating, nameOf, nodeOf } from '../client.ts';
import { isChosen, isTolerated, nodeChoiceOf } from '../node-rules.ts';
import {
  byAge,
  hashOf,
  isAvailable,
  isOver,
  isUpToDate,
  phaseOf,
  placeOf,
  templateOf,
  tolerationsOf,
} from './pods.ts';

/** A DaemonSet and what it is judged by, as the caches have it. */
export interface Sight {
  readonly set: Stored;
  readonly nodes: readonly Stored[];
  /** Those that belong to the set. */
  readonly pods: readonly Stored[];
  readonly now: number;
}

export interface Plan {
  /** Nodes that lack a pod. */
  readonly missing: readonly string[];
  readonly surplus: readonly Stored[];
  /** Pods that failed where one is to run; each goes when its node has rested. */
  readonly failed: readonly Stored[];
}

/** Whether a pod of the set may come to a node, and whether one that is there may stay. */
export function standingOn(set: Stored, node: Stored): { comes: boolean; stays: boolean } {
  const spec = objectAt(templateOf(set), 'spec');
  const face = { name: nameOf(node), labels: textsAt(node.metadata, 'labels') };
  const named = textAt(spec, 'nodeName');
  if ((named !== '' && named !== face.name) || !isChosen(nodeChoiceOf(spec), face)) {
    return { comes: false, stays: false };
  }
  const tolerations = tolerationsOf(set);
  const untolerated = objectsAt(objectAt(node, 'spec'), 'taints').filter(
    (taint) => !isTolerated(taint, tolerations),
  );
  // Only NoExecute drives a pod away that is there already.
  const stays = untolerated.every((taint) => textAt(taint, 'effect') !== 'NoExecute');
  return { comes: untolerated.length === 0, stays };
}

/** Pods by node, the oldest first. */
export function byNode(pods: readonly Stored[]): Map<string, Stored[]> {
  const found = new Map<string, Stored[]>();
  // What is over and deleted waits for nothing that a DaemonSet could do.
  for (const pod of pods.filter((each) => !isOver(each) || !isTerminating(each)).toSorted(byAge)) {
    const node = placeOf(pod);
    if (node === '') continue;
    const others = found.get(node);
    if (others === undefined) found.set(node, [pod]);
    else others.push(pod);
  }
  return found;
}

export function planOf({ set, nodes, pods }: Sight): Plan {
  const missing: string[] = [];
  const surplus: Stored[] = [];
  const failed: Stored[] = [];
  const there = byNode(pods);
  for (const node of nodes) {
    const name = nameOf(node);
    const { comes, stays } = standingOn(set, node);
    const here = there.get(name);
    // A pod that is being deleted keeps the next one waiting.
    if (comes && here === undefined) missing.push(name);
    const alive = (here ?? []).filter((pod) => !isTerminating(pod));
    if (!stays) {
      surplus.push(...alive);
      continue;
    }
    failed.push(...alive.filter((pod) => phaseOf(pod) === 'Failed'));
    surplus.push(...alive.filter((pod) => phaseOf(pod) === 'Succeeded'));
    surplus.push(...alive.filter((pod) => !isOver(pod)).slice(1));
  }
  return { missing, surplus: [...surplus, ...withoutNode(nodes, there)], failed };
}

/** Pods that wait for a node that is gone. A bound one is for the collector of lost pods. */
function withoutNode(
  nodes: readonly Stored[],
  there: ReadonlyMap<string, readonly Stored[]>,
): Stored[] {
  const names = new Set(nodes.map(nameOf));
  return [...there]
    .filter(([node]) => !names.has(node))
    .flatMap(([, pods]) => pods)
    .filter((pod) => nodeOf(pod) === '' && !isTerminating(pod));
}

/** Pods of an older template that a rolling update deletes now; OnDelete waits for the user. */
export function outdatedOf({ set, nodes, pods, now }: Sight): Stored[] {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy');
  if (textAt(strategy, 'type') !== 'RollingUpdate') return [];
  const there = byNode(pods);
  const wanted = nodes.filter((node) => standingOn(set, node).comes).map(nameOf);
  const hash = hashOf(set);
  const broken: Stored[] = [];
  const candidates: Stored[] = [];
  let unavailable = 0;
  for (const node of new Set([...wanted, ...there.keys()])) {
    const alive = (there.get(node) ?? []).filter((pod) => !isTerminating(pod));
    const [pod] = alive;
    const isAlone = pod !== undefined && alive.length === 1;
    const isUp = isAlone && isAvailable(pod, set, now);
    if (!isUp) unavailable++;
    if (!isAlone || isUpToDate(pod, set, hash)) continue;
    // One that does not work may go at once: its replacement is no loss.
    (isUp ? candidates : broken).push(pod);
  }
  const room = mayBeUnavailable(set, wanted.length) - unavailable;
  return [...broken, ...candidates.slice(0, Math.max(room, 0))];
}

/** A number, or a share of all, rounded up. At least one, as nothing would move otherwise. */
function mayBeUnavailable(set: Stored, desired: number): number {
  const strategy = objectAt(objectAt(set, 'spec'), 'updateStrategy');
  const value = objectAt(strategy, 'rollingUpdate')?.['maxUnavailable'];
  const share = typeof value === 'string' ? Number.parseInt(value, 10) / 100 : 0;
  return Math.max(1, typeof value === 'number' ? value : Math.ceil(share * desired));
}
