// The scheduler's book of nodes: what each has and what the pods on it, bound or about to be, use.
import { objectAt, objectsAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { nameOf } from '../client.ts';
import type { NodeState, PodNeeds } from './fit.ts';
import { reasonsAgainst } from './fit.ts';
import { nodeAllocatable } from './resources.ts';
import type { Resources } from './resources.ts';

interface Charge {
  readonly node: string;
  readonly requests: Resources;
}

type Choice = { readonly node: string } | { readonly against: readonly (readonly string[])[] };

/** A pod to be placed with others. */
export interface Guest {
  readonly uid: string;
  readonly needs: PodNeeds;
}

export type PartyChoice =
  /** Node by UID of the pod. All are charged. */
  | { readonly nodes: ReadonlyMap<string, string> }
  /** Nothing is charged. `placed` of them fitted, then `uid` did not. */
  | {
      readonly placed: number;
      readonly uid: string;
      readonly against: readonly (readonly string[])[];
      /** Label of the nodes that had to share a value, if one had to be. */
      readonly domain?: string;
    };

/** `spread`: to where most room is left. `pack`: to where least is. */
type Manner = 'spread' | 'pack';

export class NodeBook {
  readonly #nodes = new Map<string, NodeState>();
  /** By pod UID; also for nodes that are not there (yet). */
  readonly #charges = new Map<string, Charge>();
  #turn = 0;

  set(node: Stored): void {
    const name = nameOf(node);
    const view = {
      object: node,
      labels: textsAt(node.metadata, 'labels'),
      taints: objectsAt(objectAt(node, 'spec'), 'taints'),
      allocatable: nodeAllocatable(node),
    };
    const known = this.#nodes.get(name);
    if (known !== undefined) {
      Object.assign(known, view);
      return;
    }
    const state: NodeState = { name, ...view, used: new Map(), podCount: 0 };
    this.#nodes.set(name, state);
    for (const charge of this.#charges.values()) {
      if (charge.node === name) apply(state, charge.requests, 1);
    }
  }

  delete(name: string): void {
    this.#nodes.delete(name);
  }

  get size(): number {
    return this.#nodes.size;
  }

  get nodes(): readonly NodeState[] {
    return [...this.#nodes.values()];
  }

  /** Counts the pod on the node from now on; a pod that is counted elsewhere moves. */
  charge(uid: string, node: string, requests: Resources): void {
    const before = this.#charges.get(uid);
    if (before?.node === node) return;
    this.release(uid);
    this.#charges.set(uid, { node, requests });
    const state = this.#nodes.get(node);
    if (state !== undefined) apply(state, requests, 1);
  }

  /** True when the pod was counted. */
  release(uid: string): boolean {
    const charge = this.#charges.get(uid);
    if (charge === undefined) return false;
    this.#charges.delete(uid);
    const state = this.#nodes.get(charge.node);
    if (state !== undefined) apply(state, charge.requests, -1);
    return true;
  }

  /**
   * Places all or none: the largest first, and packed tightly where spreading them fails. Greedy,
   * so a placement that only a search would find may be missed.
   */
  chooseAll(guests: readonly Guest[], among = this.nodes): PartyChoice {
    if (guests.length === 1) return this.#tryAll(guests, among, 'spread');
    const largestFirst = guests
      .map((guest) => ({ guest, size: this.#sizeOf(guest.needs.requests) }))
      .toSorted((a, b) => b.size - a.size)
      .map(({ guest }) => guest);
    const spread = this.#tryAll(largestFirst, among, 'spread');
    if ('nodes' in spread) return spread;
    const packed = this.#tryAll(largestFirst, among, 'pack');
    return 'nodes' in packed ? packed : spread;
  }

  #tryAll(guests: readonly Guest[], among: readonly NodeState[], manner: Manner): PartyChoice {
    const nodes = new Map<string, string>();
    for (const { uid, needs } of guests) {
      const choice = this.#choose(needs, among, manner);
      if ('against' in choice) {
        for (const placed of nodes.keys()) this.release(placed);
        return { placed: nodes.size, uid, against: choice.against };
      }
      nodes.set(uid, choice.node);
      this.charge(uid, choice.node, needs.requests);
    }
    return { nodes };
  }

  /** The part of all nodes together that is asked for, summed over resources. */
  #sizeOf(requests: Resources): number {
    let size = 0;
    for (const [name, amount] of requests) {
      const all = [...this.#nodes.values()].reduce(
        (sum, node) => sum + (node.allocatable.get(name) ?? 0),
        0,
      );
      size += amount / Math.max(all, amount, 1e-9);
    }
    return size;
  }

  /**
   * The node with the most room for the pod, or with the least when packing. Nodes are tried in
   * turn from where the last search ended, so equal nodes fill evenly.
   */
  #choose(needs: PodNeeds, nodes: readonly NodeState[], manner: Manner): Choice {
    const against: (readonly string[])[] = [];
    let best: NodeState | undefined;
    let bestScore = -Infinity;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[(this.#turn + i) % nodes.length];
      if (node === undefined) continue;
      const reasons = reasonsAgainst(needs, node);
      if (reasons.length > 0) {
        against.push(reasons);
        continue;
      }
      const room = roomAfter(needs, node);
      const score = manner === 'spread' ? room : -room;
      if (score <= bestScore) continue;
      best = node;
      bestScore = score;
    }
    if (best === undefined) return { against };
    this.#turn = (nodes.indexOf(best) + 1) % nodes.length;
    return { node: best.name };
  }
}

function apply(state: NodeState, requests: Resources, sign: 1 | -1): void {
  state.podCount += sign;
  for (const [name, amount] of requests) {
    state.used.set(name, (state.used.get(name) ?? 0) + sign * amount);
  }
}

/** The mean free part of the resources that the pod asks for, pods included: 0 to 1. */
function roomAfter(needs: PodNeeds, node: NodeState): number {
  const pods = node.allocatable.get('pods') ?? 0;
  let sum = pods > 0 ? (pods - node.podCount - 1) / pods : 0;
  let count = 1;
  for (const [name, amount] of needs.requests) {
    const all = node.allocatable.get(name) ?? 0;
    if (all <= 0) continue;
    sum += (all - (node.used.get(name) ?? 0) - amount) / all;
    count++;
  }
  return sum / count;
}
