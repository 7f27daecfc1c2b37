// The simulated scheduler: binds pods without gates to nodes with room, in order of priority and
// age, and says on the pod why it cannot. A pod that did not fit is tried again when a node or a
// pod changed in a way that may help, at most once a second.
import type { Stored } from '#src/devcluster/contract.ts';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  timeText,
} from '#src/devcluster/strategies/json.ts';
import {
  isOk,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  RetryLater,
  settled,
  uidOf,
} from '../client.ts';
import type { Answer } from '../client.ts';
import { EventRecorder } from '../events.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';
import { needsOf, noFitMessage } from './fit.ts';
import { NodeBook } from './nodes.ts';
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
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue;
  /** Keys of pods to place that wait for their place in the order, with their arrival. */
  readonly #pending = new Map<string, number>();
  /** Keys that were handed to the queue. */
  readonly #offered = new Set<string>();
  /** Keys of pods that did not fit. */
  readonly #unfit = new Set<string>();
  /** The message that was last written on a pod that did not fit. */
  readonly #told = new Map<string, string>();
  readonly #stops: (() => void)[] = [];
  #arrivals = 0;
  #planned = false;
  #nextBindingAt = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#events = new EventRecorder(context.client, context.clock, 'default-scheduler');
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
    return this.#pending.size === 0 && this.#queue.idle && this.#cancelRetry === undefined;
  }

  stop(): void {
    this.#cancelRetry?.();
    this.#queue.stop();
    for (const stop of this.#stops) stop();
  }

  #nodeSeen(node: Stored): void {
    this.#book.set(node);
    this.#retryUnfit();
  }

  #podSeen(pod: Stored, old: Stored | undefined): void {
    const node = textAt(objectAt(pod, 'spec'), 'nodeName');
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
    this.#told.delete(key);
  }

  #isForUs(pod: Stored): boolean {
    const spec = objectAt(pod, 'spec');
    if (listAt(spec, 'schedulingGates').length > 0 || isTerminating(pod) || isOver(pod)) {
      return false;
    }
    return this.#context.settings.schedulerNames.includes(textAt(spec, 'schedulerName'));
  }

  #enqueue(pod: Stored): void {
    const key = keyOf(pod);
    if (this.#pending.has(key) || this.#offered.has(key) || this.#unfit.has(key)) return;
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

  #inOrder(): string[] {
    const pods = this.#context.informers.at('/api/v1/pods');
    const priority = (key: string): number =>
      numberAt(objectAt(pods.get(key), 'spec'), 'priority') ?? 0;
    return [...this.#pending]
      .map(([key, arrival]) => ({ key, arrival, priority: priority(key) }))
      .toSorted((a, b) => b.priority - a.priority || a.arrival - b.arrival)
      .map(({ key }) => key);
  }

  async #work(key: string): Promise<void> {
    if (!this.#offered.has(key)) return;
    const pod = this.#context.informers.at('/api/v1/pods').get(key);
    if (pod === undefined || !this.#isForUs(pod)) return this.#forget(key);
    const needs = needsOf(pod, podRequests(pod));
    const choice = this.#book.choose(needs);
    if ('against' in choice) return this.#didNotFit(pod, noFitMessage(choice.against));
    this.#book.charge(uidOf(pod), choice.node, needs.requests);
    await this.#bind(pod, choice.node);
  }

  async #bind(pod: Stored, node: string): Promise<void> {
    const [namespace, name, uid] = [namespaceOf(pod), nameOf(pod), uidOf(pod)];
    const answer = await this.#context.client.create(
      `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { namespace, name, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      },
    );
    if (!isOk(answer)) return this.#didNotBind(pod, answer);
    this.#forget(keyOf(pod));
    if (!this.#context.settings.scheduledEvents) return;
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    await this.#events.record(pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  /** The reply may be lost and the pod bound all the same: what the cache says by now decides. */
  #didNotBind(pod: Stored, answer: Answer): void {
    const live = this.#context.informers.at('/api/v1/pods').get(keyOf(pod));
    const bound =
      textAt(objectAt(live, 'spec'), 'nodeName') !== '' && live?.metadata['uid'] === uidOf(pod);
    if (bound) return;
    this.#book.release(uidOf(pod));
    if (answer.status === 404) this.#forget(keyOf(pod));
    else throw new RetryLater('binding', answer);
  }

  async #didNotFit(pod: Stored, message: string): Promise<void> {
    const key = keyOf(pod);
    const told = this.#told.get(key) ?? unschedulableMessage(pod);
    if (told !== message) await this.#tell(pod, message);
    if (this.#offered.delete(key)) this.#unfit.add(key);
    this.#told.set(key, message);
  }

  async #tell(pod: Stored, message: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}/status`;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: timeText(this.#context.clock.now()),
    };
    const answer = await this.#context.client.strategicPatch(path, {
      metadata: { uid: uidOf(pod) },
      status: { conditions: [condition] },
    });
    settled('unschedulable condition', answer);
    await this.#events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
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

/** What the pod says already, so that a restart does not say it again. */
function unschedulableMessage(pod: Stored): string {
  const conditions = objectsAt(objectAt(pod, 'status'), 'conditions');
  const condition = conditions.find((each) => each['type'] === 'PodScheduled');
  return condition?.['reason'] === 'Unschedulable' ? textAt(condition, 'message') : '';
}
