// The simulated node agent of all nodes, those that a user makes included: brings pods that are
// bound to them through their init containers to Ready, lets them end as their script says, and
// removes them when they are deleted. It writes a pod's status once or twice, as a real agent would
// at its best. Containers run for real where a plug-in has a runtime for them. Pods of a node that
// is deleted are left as they are until the node is back.
import { numberAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { ContainerRuntime, InitProgram } from '../../plugins/contract.ts';
import {
  isOk,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  nodeOf,
  okOrGone,
  uidOf,
} from '../client.ts';
import { EventRecorder } from '../events.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';
import { Containers } from './containers.ts';
import { InitPrograms } from './init-programs.ts';
import { hostIp, nodeName } from './nodes.ts';
import { scriptOf } from './script.ts';
import { podStatus, skeleton } from './status.ts';
import { podView } from './timeline.ts';
import type { InitEnd } from './timeline.ts';

/** Pods whose status is written at once. */
const parallelPods = 16;

/** What the agent remembers of a pod on one of its nodes. */
interface Local {
  readonly uid: string;
  boundAt: number;
  readonly hostIP: string;
  readonly podIP: string;
  /** Skeleton of the status that was last written or found. */
  written: string;
  /** Why a volume cannot be mounted, as told; empty: nothing was told. */
  mountTold: string;
  stoppingSince: number | undefined;
}

export class Kubelet implements Controller {
  readonly #context: ControllerContext;
  /** Each node that ever was, with the number that its address is made of. */
  readonly #nodes = new Map<string, number>();
  /** Those that are deleted. */
  readonly #lost = new Set<string>();
  readonly #local = new Map<string, Local>();
  readonly #addresses = new Set<string>();
  readonly #queue: WorkQueue;
  readonly #programs: InitPrograms;
  readonly #containers: Containers;
  readonly #events: EventRecorder;
  readonly #wakes = new Map<string, () => void>();
  readonly #stops: (() => void)[];
  #lastAddress = 0;

  constructor(
    context: ControllerContext,
    nodeCount: number,
    programs: readonly InitProgram[],
    runtime: ContainerRuntime | undefined,
  ) {
    this.#context = context;
    for (let index = 0; index < nodeCount; index++) this.#nodes.set(nodeName(index), index);
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: parallelPods,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'pod upkeep failed', { pod: key, error: String(error) }),
    });
    this.#programs = new InitPrograms(context, programs, (key) => this.#queue.add(key));
    this.#containers = new Containers(context, runtime, (key) => this.#queue.add(key));
    this.#events = new EventRecorder(context.client, context.clock, 'kubelet');
    const { informers } = context;
    this.#stops = [
      informers.at('/api/v1/pods').listen({
        seen: (pod) => this.#seen(pod),
        gone: (pod) => this.#gone(pod),
      }),
      informers.at('/api/v1/nodes').listen({
        seen: (node) => this.#nodeSeen(nameOf(node)),
        gone: (node) => this.#lost.add(nameOf(node)),
      }),
    ];
  }

  get idle(): boolean {
    return this.#queue.idle && this.#wakes.size === 0;
  }

  stop(): void {
    this.#queue.stop();
    this.#programs.stop();
    this.#containers.stop();
    for (const cancel of this.#wakes.values()) cancel();
    for (const stop of this.#stops) stop();
  }

  #nodeSeen(name: string): void {
    const isBack = this.#lost.delete(name);
    if (this.#nodes.has(name) && !isBack) return;
    if (!isBack) this.#nodes.set(name, this.#nodes.size);
    for (const pod of this.#context.informers.at('/api/v1/pods').values()) this.#seen(pod);
  }

  #seen(pod: Stored): void {
    if (this.#isCaredFor(pod)) this.#queue.add(keyOf(pod));
  }

  #isCaredFor(pod: Stored): boolean {
    return this.#nodes.has(nodeOf(pod)) && !this.#lost.has(nodeOf(pod));
  }

  #gone(pod: Stored): void {
    this.#programs.gone(pod);
    this.#containers.gone(pod);
    const key = keyOf(pod);
    this.#wakes.get(key)?.();
    this.#wakes.delete(key);
    const local = this.#local.get(key);
    if (local?.uid !== uidOf(pod)) return;
    this.#local.delete(key);
    this.#addresses.delete(local.podIP);
  }

  async #work(key: string): Promise<void> {
    const pod = this.#context.informers.at('/api/v1/pods').get(key);
    if (pod === undefined || !this.#isCaredFor(pod)) return;
    const local = this.#localOf(pod);
    if (isTerminating(pod)) return this.#finish(pod, local);
    const phase = textAt(objectAt(pod, 'status'), 'phase');
    if (phase === 'Succeeded' || phase === 'Failed') return;
    await this.#report(pod, local);
  }

  #localOf(pod: Stored): Local {
    const key = keyOf(pod);
    const known = this.#local.get(key);
    if (known?.uid === uidOf(pod)) return known;
    const status = objectAt(pod, 'status');
    const index = this.#nodes.get(nodeOf(pod)) ?? 0;
    const started = Date.parse(textAt(status, 'startTime'));
    const local: Local = {
      uid: uidOf(pod),
      boundAt: Number.isNaN(started) ? this.#context.clock.now() : started,
      hostIP: hostIp(index),
      podIP: textAt(status, 'podIP') || this.#freeAddress(this.#containers.isFor(pod)),
      written: skeleton(status),
      mountTold: '',
      stoppingSince: undefined,
    };
    this.#addresses.add(local.podIP);
    this.#local.set(key, local);
    return local;
  }

  /** All of 127.0.0.0/8 is loopback (on Linux): a program can listen there. */
  #freeAddress(isReal: boolean): string {
    for (;;) {
      const n = (this.#lastAddress = (this.#lastAddress + 1) % (1 << 16));
      const address = `${isReal ? 127 : 10}.244.${n >> 8}.${n & 255}`;
      if (!this.#addresses.has(address)) return address;
    }
  }

  async #report(pod: Stored, local: Local): Promise<void> {
    const { clock, client, settings } = this.#context;
    const now = clock.now();
    if (await this.#isUnmountable(pod, local)) return;
    const script = scriptOf(pod, settings);
    const simulated = podView(pod, script, local.boundAt, now, this.#initEnd(pod));
    const view = this.#containers.shown(pod, local.podIP, simulated);
    this.#wakeAt(keyOf(pod), view.nextAt);
    const hasInit = view.init.length > 0;
    const idleStart = !hasInit && view.containers.every((each) => each.state.is === 'waiting');
    // Nothing runs yet: a write would only say what the binding said.
    if (idleStart && view.containers.every((each) => each.last === undefined)) return;
    const status = podStatus(pod, view, local, now);
    const shape = skeleton(status);
    if (shape === local.written) return;
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}/status`;
    const answer = await client.strategicPatch(path, { metadata: { uid: local.uid }, status });
    if (isOk(okOrGone('pod status', answer))) local.written = shape;
  }

  /** As on a real node, nothing starts while a volume is missing, and an Event says so. */
  async #isUnmountable(pod: Stored, local: Local): Promise<boolean> {
    const message = this.#programs.unmountable(pod);
    if (message === undefined) {
      // What was waited for may have come late: the containers start from now on.
      if (local.mountTold !== '') local.boundAt = this.#context.clock.now();
      local.mountTold = '';
      return false;
    }
    if (local.mountTold !== message) {
      local.mountTold = message;
      await this.#events.record(pod, { type: 'Warning', reason: 'FailedMount', message });
    }
    return true;
  }

  #initEnd(pod: Stored): InitEnd {
    const program = this.#programs.of(pod);
    return (container, isRunning) => {
      if (container !== program?.container) return undefined;
      return { at: isRunning ? this.#programs.endOf(pod, program) : undefined };
    };
  }

  #wakeAt(key: string, at: number): void {
    this.#wakes.get(key)?.();
    this.#wakes.delete(key);
    if (!Number.isFinite(at)) return;
    const cancel = this.#context.clock.at(at, () => {
      this.#wakes.delete(key);
      this.#queue.add(key);
    });
    this.#wakes.set(key, cancel);
  }

  /** Stops the containers in their time and says so by the last DELETE. */
  async #finish(pod: Stored, local: Local): Promise<void> {
    const grace = numberAt(pod.metadata, 'deletionGracePeriodSeconds') ?? 0;
    // Stopped already: what keeps the pod are finalizers of others.
    if (grace === 0) return this.#wakeAt(keyOf(pod), Infinity);
    const { clock, client, settings } = this.#context;
    local.stoppingSince ??= clock.now();
    const killAt = local.stoppingSince + grace * 1000;
    if (this.#containers.isStopping(pod, killAt)) {
      // One that is killed tells when it has ended.
      return this.#wakeAt(keyOf(pod), clock.now() < killAt ? killAt : Infinity);
    }
    const stopMs = Math.min(scriptOf(pod, settings).stopMs, grace * 1000);
    const at = local.stoppingSince + stopMs;
    if (clock.now() < at) return this.#wakeAt(keyOf(pod), at);
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
    okOrGone('last delete', await client.remove(path, local.uid, { gracePeriodSeconds: 0 }));
  }
}
