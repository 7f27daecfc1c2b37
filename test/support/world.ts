// A little world for the machines: objects in memory, one actor per object that has a life, intents
// applied at once. It behaves like an API server where the machines can tell (uid, generation,
// versions, finalizers, preconditions) and has steps for scheduler, kubelet and garbage collector.
import { initialTransition, transition } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import type { MachineSettings } from '#machines/behaviour.ts';
import type { ErrorCode } from '#machines/errors.ts';
import { behaviours, routes } from '#machines/index.ts';
import { at, isObject, list, object } from '#machines/json.ts';
import { isEqual } from '#machines/merge.ts';
import { controllerOf, refKey } from '#machines/objects.ts';
import type { JsonObject, KubeObject, ObjectRef } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey, EpochMs, Intent, Operation } from '#machines/vocabulary.ts';
import { refOf, Store } from './world-store.ts';
import type { Outcome, WriteIntent } from './world-store.ts';

export const settings: MachineSettings = {
  defaultSchedulerName: 'default-scheduler',
  schedulerNames: ['default-scheduler', 'kai-scheduler'],
  initContainerImage: 'grove-initc:test',
};

export interface Written {
  readonly op: Operation;
  readonly ref: ObjectRef;
}

interface Actor {
  readonly key: ActorKey;
  readonly root: ActorKey;
  snapshot: AnyMachineSnapshot;
  readonly wakes: Map<string, EpochMs>;
  isTouched: boolean;
}

interface WorldEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface WorldOptions {
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKey['kind'], value: unknown) => void;
  /** Refuses a write, e.g. for a quota. */
  readonly refuse?: (op: Operation, ref: ObjectRef) => ErrorCode | undefined;
  /** Loses a message. */
  readonly lose?: (to: ActorKey, type: string) => boolean;
  /** Puts deliveries of a restart in another order. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
}

export class World extends Store {
  readonly writes: Written[] = [];
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  readonly told: string[] = [];
  #actors = new Map<string, Actor>();
  /** What was refused and is not tried again yet, with the actors that want to. */
  readonly #backingOff = new Map<string, { ref: ObjectRef; waiters: Set<string> }>();
  options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    super((one, isGone) => this.#observe(one, isGone));
    this.options = options;
  }

  /** A world in the same state that goes its own way. Snapshots and objects are never changed. */
  copy(): World {
    const copy = new World(this.options);
    copy.adopt(this);
    for (const [id, actor] of this.#actors) {
      copy.#actors.set(id, { ...actor, wakes: new Map(actor.wakes) });
    }
    for (const [key, { ref, waiters }] of this.#backingOff) {
      copy.#backingOff.set(key, { ref, waiters: new Set(waiters) });
    }
    return copy;
  }

  /** The actors that live, with the state that each is in. */
  states(): readonly { readonly key: ActorKey; readonly value: unknown }[] {
    return Array.from(this.#actors.values(), ({ key, snapshot }) => ({
      key,
      value: snapshot.value,
    }));
  }

  // -- what tests do ------------------------------------------------------------------------------

  why(key: ActorKey): readonly string[] {
    const actor = this.#actors.get(actorId(key));
    return actor === undefined ? [] : behaviours[key.kind].why(actor.snapshot, this.now);
  }

  snapshotOf(key: ActorKey): AnyMachineSnapshot | undefined {
    return this.#actors.get(actorId(key))?.snapshot;
  }

  /** Settles until nothing is touched. */
  settle(): void {
    for (let round = 0; round < 1_000; round++) {
      const touched = [...this.#actors.values()].filter((actor) => actor.isTouched);
      if (touched.length === 0) return;
      for (const actor of touched) {
        actor.isTouched = false;
        this.#send(actor, { type: 'settle', now: this.now }, false);
      }
    }
    throw new Error('does not come to rest');
  }

  /** Time passes: what was refused may be tried again, deadlines fire. */
  pass(ms: number): void {
    this.now += ms;
    const refused = Array.from(this.#backingOff.values());
    this.#backingOff.clear();
    for (const { ref, waiters } of refused) {
      for (const id of waiters) {
        const actor = this.#actors.get(id);
        if (actor !== undefined) this.#send(actor, { type: 'effect.retry', ref });
      }
    }
    const due = Array.from(this.#actors.values()).flatMap((actor) =>
      Array.from(actor.wakes, ([name, when]) => ({ actor, name, when })),
    );
    for (const { actor, name, when } of due) {
      if (when > this.now) continue;
      actor.wakes.delete(name);
      this.#send(actor, { type: 'deadline.passed', name, now: this.now });
    }
    this.settle();
  }

  /** All actors are lost; new ones see every object again. */
  restart(): void {
    this.#actors = new Map();
    this.#backingOff.clear();
    const every = [...this.objects.values()];
    for (const one of this.options.shuffle?.(every) ?? every) this.#observe(one);
    this.settle();
  }

  /** The scheduler, the kubelets and the garbage collector do one round of work. */
  live(): void {
    this.collect();
    for (const pod of this.all('Pod')) {
      const ref = refOf(pod);
      if (pod.metadata.deletionTimestamp !== undefined) this.drop(ref);
      else this.#runPod(ref, pod);
    }
    this.settle();
  }

  /** Rounds of work until nothing changes any more. */
  converge(rounds = 30): void {
    this.settle();
    for (let round = 0; round < rounds; round++) {
      const before = this.version;
      this.live();
      if (this.version === before) return;
    }
    throw new Error('does not converge');
  }

  collect(): void {
    const all = Array.from(this.objects.values());
    const uids = new Set(all.map((one) => one.metadata.uid));
    for (const one of all) {
      const owner = controllerOf(one);
      if (owner !== undefined && !uids.has(owner.uid)) this.remove(refOf(one));
    }
  }

  setPodStatus(name: string, status: JsonObject): void {
    this.edit({ kind: 'Pod', namespace: 'demo', name }, { status });
  }

  #runPod(ref: ObjectRef, pod: KubeObject): void {
    const gates = list(at(pod, 'spec', 'schedulingGates'));
    const phase = at(pod, 'status', 'phase');
    if (phase === 'Failed' || phase === 'Succeeded') return;
    if (gates.length > 0) return this.#patchStatus(ref, gatedStatus);
    if (at(pod, 'spec', 'nodeName') === undefined) {
      this.edit(ref, { spec: { nodeName: 'node-1' } });
      return this.#patchStatus(ref, scheduledStatus);
    }
    this.#patchStatus(ref, readyStatus);
  }

  #patchStatus(ref: ObjectRef, status: JsonObject): void {
    const there = object(this.objects.get(refKey(ref))?.['status']);
    if (!isEqual(there, status)) this.edit(ref, { status });
  }

  #observe(one: KubeObject, isGone = false): void {
    const route = routes[refOf(one).kind];
    const fact = route.decode(one);
    if (isObject(fact) && 'malformed' in fact) throw new Error(String(fact['malformed']));
    const deliveries = isGone ? route.forget(fact, one) : route.deliver(fact, one);
    for (const { to, root, event } of deliveries) this.#send(this.#actorOf(to, root), { ...event });
  }

  // -- the actors ---------------------------------------------------------------------------------

  #actorOf(key: ActorKey, root: ActorKey): Actor {
    const id = actorId(key);
    const there = this.#actors.get(id);
    if (there !== undefined) return there;
    const [snapshot] = initialTransition(behaviours[key.kind].machine, { key, root, settings });
    const actor: Actor = { key, root, snapshot, wakes: new Map(), isTouched: false };
    this.options.trace?.(key.kind, snapshot.value);
    this.#actors.set(id, actor);
    this.#replay(actor);
    return actor;
  }

  /** A new actor hears of everything that is known and concerns it. */
  #replay(actor: Actor): void {
    const id = actorId(actor.key);
    for (const one of this.objects.values()) {
      const route = routes[refOf(one).kind];
      for (const { to, event } of route.deliver(route.decode(one), one)) {
        if (actorId(to) === id) this.#send(actor, { ...event });
      }
    }
  }

  #send(actor: Actor, event: WorldEvent, touches = true): void {
    const { machine, isOver } = behaviours[actor.key.kind];
    const [snapshot, actions] = transition(machine, actor.snapshot, event);
    if (touches && snapshot !== actor.snapshot) actor.isTouched = true;
    this.options.trace?.(actor.key.kind, snapshot.value);
    actor.snapshot = snapshot;
    if (isOver(snapshot)) this.#actors.delete(actorId(actor.key));
    for (const { type, params } of actions.map(looseAction)) {
      if (type === 'intend') this.#act(actor, asIntent(params));
    }
  }

  #act(actor: Actor, intent: Intent): void {
    switch (intent.type) {
      case 'wakeAt':
        if (intent.at === null) actor.wakes.delete(intent.name);
        else actor.wakes.set(intent.name, intent.at);
        return;
      case 'recordEvent':
        this.events.push(intent);
        return;
      case 'decide':
        return;
      case 'tell': {
        const isLost = this.options.lose?.(intent.to, intent.message.type) === true;
        this.told.push(`${intent.message.type} ${actorId(intent.to)}${isLost ? ' lost' : ''}`);
        if (!isLost) this.#send(this.#actorOf(intent.to, actor.root), { ...intent.message });
        return;
      }
      default:
        this.#write(actor, intent);
    }
  }

  #write(actor: Actor, intent: WriteIntent): void {
    const op = opOf[intent.type];
    const { ref } = intent;
    const pause = this.#backingOff.get(refKey(ref));
    if (pause !== undefined) {
      pause.waiters.add(actorId(actor.key));
      return;
    }
    const refused = this.options.refuse?.(op, ref);
    const outcome: Outcome | 'nothing' =
      refused === undefined
        ? this.apply(intent)
        : { ok: false, code: refused, message: `${op} refused by the test` };
    if (outcome === 'nothing') return;
    this.writes.push({ op, ref });
    if (outcome.ok) return this.#send(actor, { type: 'effect.done', op, ref });
    const { code, message } = outcome;
    const { now } = this;
    this.#backingOff.set(refKey(ref), { ref, waiters: new Set([actorId(actor.key)]) });
    this.#send(actor, { type: 'effect.failed', op, ref, code, message, now, retryAt: now + 1 });
  }
}

const opOf = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
} as const;

const looseAction = (action: { type: string; params?: unknown }) => ({
  type: action.type,
  params: action.params,
});

const isIntent = (value: unknown): value is Intent =>
  isObject(value) && typeof value['type'] === 'string';

function asIntent(value: unknown): Intent {
  if (!isIntent(value)) throw new Error('an action without an intent');
  return value;
}

const condition = (type: string, status: string, reason: string): JsonObject => ({
  type,
  status,
  reason,
});

const gatedStatus: JsonObject = {
  phase: 'Pending',
  conditions: [condition('PodScheduled', 'False', 'SchedulingGated')],
};

const scheduledStatus: JsonObject = {
  phase: 'Pending',
  conditions: [condition('PodScheduled', 'True', 'Scheduled')],
};

export const readyStatus: JsonObject = {
  phase: 'Running',
  conditions: [condition('PodScheduled', 'True', 'Scheduled'), condition('Ready', 'True', 'Ready')],
  containerStatuses: [{ name: 'main', started: true, ready: true }],
};
