// The simulated scheduler: binds pods without gates to nodes with room, in order of priority and
// age, and says on the pod why it cannot. The minimum of a gang is placed together or not at
// all. A pod that did not fit is tried again when a node or a pod changed in a way that may help,
// at most once a second.
import { listAt, numberAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { GangKind } from '../../plugins/contract.ts';
import { isTerminating, keyOf, nameOf, nodeOf, uidOf } from '../client.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';
import { bindPod } from './binder.ts';
import { GangWatch } from './gang-watch.ts';
import { GangBook } from './gangs.ts';
import type { Standing } from './gangs.ts';
import { NodeBook } from './nodes.ts';
import { Notices } from './notices.ts';
import { placeTogether } from './placer.ts';
import { podRequests } from './resources.ts';

/** Bindings under way at once. */
const parallelBindings = 16;
/** From a change that may help to the next attempt for the pods that did not fit. */
const retryUnfitMs = 1_000;

const isOver = (pod: Stored): boolean =>
  ['Succeeded', 'Failed'].includes(textAt(objectAt(pod, 'status'), 'phase'));

export class Scheduler implements Controller {
  readonly #context: ControllerContext;
  readonly #book = new NodeBook();
  readonly #notices: Notices;
  readonly #queue: WorkQueue;
  readonly #gangs: GangBook;
  readonly #gangWatch: GangWatch;
  /** Keys of pods to place that wait for their place in the order, with their arrival. */
  readonly #pending = new Map<string, number>();
  /** Keys that were handed to the queue. */
  readonly #offered = new Set<string>();
  /** Keys of pods that did not fit. */
  readonly #unfit = new Set<string>();
  /** Nodes of pods that were placed with their gang and are not bound yet, by key of the pod. */
  readonly #assigned = new Map<string, { readonly uid: string; readonly node: string }>();
  readonly #stops: (() => void)[] = [];
  #arrivals = 0;
  #planned = false;
  #nextBindingAt = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(context: ControllerContext, kinds: readonly GangKind[]) {
    this.#context = context;
    this.#notices = new Notices(context);
    this.#gangs = new GangBook(kinds, {
      find: (key) => context.informers.at('/api/v1/pods').get(key),
      nodeOf: (pod) => this.#nodeOf(pod),
      isCandidate: (pod) => this.#isForUs(pod),
    });
    this.#gangWatch = new GangWatch(context, this.#gangs, {
      again: (keys) => this.#again(keys),
      constrained: () => this.#retryUnfit(),
    });
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: parallelBindings,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'scheduling failed', { pod: key, error: String(error) }),
    });
    const nodes = context.informers.at('/api/v1/nodes');
    const pods = context.informers.at('/api/v1/pods');
    this.#stops.push(
      nodes.listen({
        seen: (node) => this.#nodeSeen(node),
        gone: (node) => this.#book.delete(nameOf(node)),
      }),
      pods.listen({
        seen: (pod, old) => this.#podSeen(pod, old),
        gone: (pod) => this.#podGone(pod),
      }),
    );
  }

  get idle(): boolean {
    const isResting = this.#queue.idle && this.#gangWatch.idle;
    return this.#pending.size === 0 && isResting && this.#cancelRetry === undefined;
  }

  stop(): void {
    this.#cancelRetry?.();
    this.#queue.stop();
    this.#gangWatch.stop();
    for (const stop of this.#stops) stop();
  }

  #nodeSeen(node: Stored): void {
    this.#book.set(node);
    this.#retryUnfit();
  }

  #podSeen(pod: Stored, old: Stored | undefined): void {
    this.#gangWatch.podSeen(pod);
    const node = nodeOf(pod);
    if (node !== '') {
      this.#forget(keyOf(pod));
      if (isOver(pod)) this.#released(pod);
      else this.#book.charge(uidOf(pod), node, podRequests(pod));
    } else if (this.#isForUs(pod)) {
      if (old?.metadata['generation'] !== pod.metadata['generation'])
        this.#unfit.delete(keyOf(pod));
      this.#enqueue(pod);
    } else {
      this.#forget(keyOf(pod));
      this.#released(pod);
    }
  }

  #podGone(pod: Stored): void {
    this.#forget(keyOf(pod));
    this.#released(pod);
  }

  #released(pod: Stored): void {
    if (this.#book.release(uidOf(pod))) this.#retryUnfit();
  }

  #forget(key: string): void {
    this.#pending.delete(key);
    this.#offered.delete(key);
    this.#unfit.delete(key);
    this.#assigned.delete(key);
    this.#gangWatch.forget(key);
    this.#notices.forget(key);
  }

  #isForUs(pod: Stored): boolean {
    const spec = objectAt(pod, 'spec');
    if (listAt(spec, 'schedulingGates').length > 0 || isTerminating(pod) || isOver(pod)) {
      return false;
    }
    return this.#context.settings.schedulerNames.includes(textAt(spec, 'schedulerName'));
  }

  /** The node of a pod that is bound and alive, or about to be bound; else empty. */
  #nodeOf(pod: Stored): string {
    if (isTerminating(pod) || isOver(pod)) return '';
    const assigned = this.#assigned.get(keyOf(pod));
    const about = assigned?.uid === uidOf(pod) ? assigned.node : '';
    return nodeOf(pod) || about;
  }

  /** Pods that waited for their gang are looked at once more. */
  #again(keys: Iterable<string>): void {
    for (const key of keys) this.#pending.set(key, this.#arrivals++);
    this.#plan();
  }

  #enqueue(pod: Stored): void {
    const key = keyOf(pod);
    if (this.#pending.has(key) || this.#offered.has(key) || this.#unfit.has(key)) return;
    if (this.#gangWatch.isAwaiting(key)) return;
    this.#pending.set(key, this.#arrivals++);
    this.#plan();
  }

  /** Pods that arrive together are put in order before the first is placed. */
  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    this.#context.clock.soon(() => {
      this.#planned = false;
      for (const key of this.#inOrder()) {
        this.#offered.add(key);
        this.#queue.addAfter(key, this.#takeTurn());
      }
      this.#pending.clear();
    });
  }

  /** Milliseconds until the turn that was taken. */
  #takeTurn(): number {
    const { clock, settings } = this.#context;
    if (settings.bindingsPerSecond <= 0) return 0;
    const at = Math.max(this.#nextBindingAt, clock.now());
    this.#nextBindingAt = at + 1000 / settings.bindingsPerSecond;
    return at - clock.now();
  }

  /** By priority; pods beyond the minimum of their gang after all others, then by arrival. */
  #inOrder(): string[] {
    const pods = this.#context.informers.at('/api/v1/pods');
    const rank = (key: string): { priority: number; isExtra: boolean } => {
      const pod = pods.get(key);
      return {
        priority: numberAt(objectAt(pod, 'spec'), 'priority') ?? 0,
        isExtra:
          pod !== undefined &&
          this.#gangs.gangOf(pod) !== undefined &&
          this.#gangs.standingOf(pod).is === 'single',
      };
    };
    return [...this.#pending]
      .map(([key, arrival]) => ({ key, arrival, ...rank(key) }))
      .toSorted(
        (a, b) =>
          b.priority - a.priority || Number(a.isExtra) - Number(b.isExtra) || a.arrival - b.arrival,
      )
      .map(({ key }) => key);
  }

  async #work(key: string): Promise<void> {
    if (!this.#offered.has(key)) return;
    const pod = this.#context.informers.at('/api/v1/pods').get(key);
    if (pod === undefined || !this.#isForUs(pod)) return this.#forget(key);
    if (!this.#assigned.has(key)) {
      const standing = this.#gangs.standingOf(pod);
      const isPlaced = await this.#placeGang(pod, standing);
      if (!isPlaced) return;
    }
    const assigned = this.#assigned.get(key);
    if (assigned !== undefined) return this.#bind(pod, assigned.node);
    const choice = placeTogether([pod], this.#book, this.#gangs);
    if ('against' in choice) return this.#didNotFit(pod, this.#gangs.noRoomMessage(1, pod, choice));
    await this.#bind(pod, choice.nodes.get(uidOf(pod)) ?? '');
  }

  /** True when nothing of its gang keeps the pod from being placed now. */
  async #placeGang(pod: Stored, standing: Standing): Promise<boolean> {
    if (standing.is === 'single' || this.#gangWatch.isGivenUp(pod, standing)) return true;
    if (standing.is !== 'ready') {
      this.#offered.delete(keyOf(pod));
      await this.#gangWatch.await(pod, standing, this.#notices);
      return false;
    }
    const { required, candidates } = standing;
    const choice = placeTogether(required, this.#book, this.#gangs);
    if ('nodes' in choice) {
      for (const each of required) {
        const node = choice.nodes.get(uidOf(each)) ?? '';
        this.#assigned.set(keyOf(each), { uid: uidOf(each), node });
      }
      this.#offer(candidates.map(keyOf));
      return true;
    }
    const first = required.find((each) => uidOf(each) === choice.uid) ?? pod;
    const message = this.#gangs.noRoomMessage(required.length, first, choice);
    for (const each of candidates) await this.#didNotFit(each, message);
    return false;
  }

  /** The rest of a gang that has its place waits no longer. */
  #offer(keys: readonly string[]): void {
    const waiting = keys.filter((key) => this.#unfit.delete(key) || this.#gangWatch.release(key));
    this.#again(waiting);
  }

  async #bind(pod: Stored, node: string): Promise<void> {
    const key = keyOf(pod);
    try {
      const outcome = await bindPod(this.#context, this.#book, pod, node);
      if (outcome === 'gone') return this.#forget(key);
    } catch (error) {
      // The next attempt chooses anew, for the gang too.
      this.#assigned.delete(key);
      throw error;
    }
    this.#offered.delete(key);
    await this.#notices.bound(pod, node);
  }

  async #didNotFit(pod: Stored, message: string): Promise<void> {
    const key = keyOf(pod);
    await this.#notices.unschedulable(pod, message);
    const isWaiting = this.#offered.delete(key) || this.#pending.delete(key);
    if (this.#gangWatch.release(key) || isWaiting) this.#unfit.add(key);
  }

  #retryUnfit(): void {
    if (this.#unfit.size === 0 || this.#cancelRetry !== undefined) return;
    const { clock, informers } = this.#context;
    this.#cancelRetry = clock.at(clock.now() + retryUnfitMs, () => {
      this.#cancelRetry = undefined;
      for (const key of this.#unfit) {
        const pod = informers.at('/api/v1/pods').get(key);
        if (pod !== undefined) this.#pending.set(key, this.#arrivals++);
      }
      this.#unfit.clear();
      this.#plan();
    });
  }
}
