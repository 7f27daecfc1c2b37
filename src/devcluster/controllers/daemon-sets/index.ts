// The simulated DaemonSet controller: a pod of each set on every node that its template fits, and
// its status. It names the node in the pod's affinity, and the scheduler binds. Pods of a set that
// is being deleted are left to the garbage collector.
import { backoff } from '#machines/contract/backoff.ts';
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import { later } from '#machines/kubernetes/versions.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import {
  isOk,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  orRetryLater,
  RetryLater,
  uidOf,
} from '../client.ts';
import type { Answer } from '../client.ts';
import { EventRecorder } from '../events.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';
import { claimPods, managerOf } from './claim.ts';
import { outdatedOf, planOf } from './plan.ts';
import type { Sight } from './plan.ts';
import { isSelected, minReadySeconds, placeOf, podFor } from './pods.ts';
import { statusOf, statusPatch } from './status.ts';

const sets = '/apis/apps/v1/daemonsets';
const pods = '/api/v1/pods';
const nodes = '/api/v1/nodes';
/** Between two looks whether the cache has the pods that were made; their events come sooner. */
const lookAgainMs = 1_000;
/** A node on which pods fail again and again is left alone for longer and longer. */
const firstRestMs = 1_000;
const longestRestMs = 15 * 60_000;

/** What is remembered of a set, by its UID. */
interface Memory {
  /** Of the last pod that was made; before that, older than all. */
  version: string;
  /** By node: pods that failed there and were deleted, and when the last was. */
  readonly failures: Map<string, { readonly count: number; readonly at: number }>;
}

export class DaemonSets implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;
  readonly #sets = new Map<string, Stored>();
  readonly #memory = new Map<string, Memory>();
  readonly #stops: (() => void)[];

  constructor(context: ControllerContext) {
    this.#context = context;
    const { client, clock, informers } = context;
    const about = { apiVersion: 'apps/v1', kind: 'DaemonSet' };
    this.#events = new EventRecorder(client, clock, 'daemonset-controller', about);
    this.#queue = new WorkQueue({
      clock,
      parallel: 8,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'daemon set upkeep failed', { key, error: String(error) }),
    });
    // The garbage collector follows every kind: a cluster without DaemonSets pays for none.
    informers.join(sets, {
      seen: (set) => {
        this.#sets.set(keyOf(set), set);
        this.#queue.add(keyOf(set));
      },
      gone: (set) => {
        this.#sets.delete(keyOf(set));
        this.#memory.delete(uidOf(set));
      },
    });
    this.#stops = [
      informers.at(nodes).listen({
        seen: (node, old) => {
          if (old === undefined || !isSameFor(node, old)) this.#addAll();
        },
        gone: () => this.#addAll(),
      }),
      informers.at(pods).listen({
        seen: (pod, old) => {
          this.#addOwners(pod);
          if (old !== undefined && !isEqual(managerOf(old), managerOf(pod))) this.#addOwners(old);
        },
        gone: (pod) => this.#addOwners(pod),
      }),
    ];
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    for (const stop of this.#stops) stop();
  }

  #addAll(): void {
    for (const key of this.#sets.keys()) this.#queue.add(key);
  }

  /** The set that has the pod, or those that may want it. */
  #addOwners(pod: Stored): void {
    const manager = managerOf(pod);
    if (manager !== undefined) {
      const key = `${namespaceOf(pod)}/${textAt(manager, 'name')}`;
      if (textAt(manager, 'kind') === 'DaemonSet' && this.#sets.has(key)) this.#queue.add(key);
      return;
    }
    for (const set of this.#sets.values()) {
      const isNear = namespaceOf(set) === namespaceOf(pod);
      if (isNear && isSelected(set, pod)) this.#queue.add(keyOf(set));
    }
  }

  #memoryOf(set: Stored): Memory {
    const known = this.#memory.get(uidOf(set)) ?? { version: '0', failures: new Map() };
    this.#memory.set(uidOf(set), known);
    return known;
  }

  async #work(key: string): Promise<void> {
    const { informers } = this.#context;
    const set = this.#sets.get(key);
    if (set === undefined || isTerminating(set)) return;
    // A pod that the cache has not would be made a second time.
    const isBehind = ![pods, nodes].every((path) => informers.at(path).synced);
    if (isBehind || !informers.at(pods).hasSeen(this.#memoryOf(set).version)) {
      return this.#queue.addAfter(key, lookAgainMs);
    }
    let restMs = Infinity;
    try {
      restMs = await this.#manage(await this.#sightOf(set));
    } finally {
      const againMs = Math.min(restMs, await this.#report(await this.#sightOf(set)));
      if (Number.isFinite(againMs)) this.#queue.addAfter(key, againMs);
    }
  }

  async #sightOf(set: Stored): Promise<Sight> {
    const { client, informers, clock } = this.#context;
    const near = [...informers.at(pods).values()].filter(
      (pod) => namespaceOf(pod) === namespaceOf(set),
    );
    return {
      set,
      nodes: [...informers.at(nodes).values()],
      pods: await claimPods(client, set, near),
      now: clock.now(),
    };
  }

  /** In how many milliseconds to look again at pods that failed. Throws RetryLater. */
  async #manage(sight: Sight): Promise<number> {
    const { set } = sight;
    const { missing, surplus, failed } = planOf(sight);
    const rests = new Map(failed.map((pod) => [pod, this.#restOf(set, placeOf(pod))]));
    const restMs = Math.min(...[...rests.values()].filter((ms) => ms > 0));
    const rested = failed.filter((pod) => rests.get(pod) === 0);
    const gone = [...rested, ...surplus];
    for (const pod of rested) await this.#tellFailed(set, pod);
    for (const node of missing) await this.#create(set, node);
    for (const pod of gone) await this.#remove(set, pod);
    // An update goes on when nothing else is under way.
    if (missing.length + gone.length > 0) return restMs;
    for (const pod of outdatedOf(sight)) await this.#remove(set, pod);
    return restMs;
  }

  /** For how long a node on which a pod failed is still to be left alone. 0: its turn is now. */
  #restOf(set: Stored, node: string): number {
    const { failures } = this.#memoryOf(set);
    const now = this.#context.clock.now();
    const before = failures.get(node);
    const count = before === undefined || now - before.at > 2 * longestRestMs ? 0 : before.count;
    const rest = count === 0 ? 0 : backoff(count, firstRestMs, longestRestMs);
    const until = (before?.at ?? 0) + rest;
    if (now < until) return until - now;
    failures.set(node, { count: count + 1, at: now });
    return 0;
  }

  async #create(set: Stored, node: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespaceOf(set)}/pods`;
    const answer = await this.#context.client.create(path, podFor(set, node));
    const metadata = objectAt(answer.body, 'metadata');
    if (isOk(answer)) {
      const memory = this.#memoryOf(set);
      memory.version = later(memory.version, textAt(metadata, 'resourceVersion'));
      const message = `Created pod: ${textAt(metadata, 'name')}`;
      return this.#events.record(set, { type: 'Normal', reason: 'SuccessfulCreate', message });
    }
    // The set goes with its namespace.
    if (isNamespaceGoing(answer)) return;
    const message = `Error creating: ${textAt(answer.body, 'message')}`;
    await this.#events.record(set, { type: 'Warning', reason: 'FailedCreate', message });
    throw new RetryLater('daemon pod', answer);
  }

  async #remove(set: Stored, pod: Stored): Promise<void> {
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
    const answer = orRetryLater('daemon pod', await this.#context.client.remove(path, uidOf(pod)));
    if (!isOk(answer)) return;
    const message = `Deleted pod: ${nameOf(pod)}`;
    await this.#events.record(set, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }

  async #tellFailed(set: Stored, pod: Stored): Promise<void> {
    const message = `Found failed daemon pod ${keyOf(pod)} on node ${placeOf(pod)}, will try to kill it`;
    await this.#events.record(set, { type: 'Warning', reason: 'FailedDaemonPod', message });
  }

  /** Writes the status; in how many milliseconds it may be another by itself. */
  async #report(sight: Sight): Promise<number> {
    const { set } = sight;
    const wanted = statusOf(sight);
    const status = statusPatch(set, wanted);
    if (status !== undefined) {
      const path = `/apis/apps/v1/namespaces/${namespaceOf(set)}/daemonsets/${nameOf(set)}/status`;
      const patch = { metadata: { uid: uidOf(set) }, status };
      orRetryLater('status', await this.#context.client.mergePatch(path, patch));
    }
    // Time alone makes a ready pod available.
    const isRipening = wanted['numberReady'] !== wanted['numberAvailable'];
    return isRipening ? minReadySeconds(set) * 1000 : Infinity;
  }
}

/** What DaemonSets ask of a node is the same in both. */
const isSameFor = (node: Stored, old: Stored): boolean =>
  isEqual(textsAt(node.metadata, 'labels'), textsAt(old.metadata, 'labels')) &&
  isEqual(objectAt(node, 'spec')?.['taints'], objectAt(old, 'spec')?.['taints']);

const isNamespaceGoing = ({ body }: Answer): boolean =>
  objectsAt(objectAt(body, 'details'), 'causes').some(
    ({ reason }) => reason === 'NamespaceTerminating',
  );
