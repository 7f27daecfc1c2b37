// A little world for the machines: objects in memory, one actor per object that has a life, intents
// applied at once. It behaves like an API server where the machines can tell (uid, generation,
// versions, finalizers, preconditions) and has steps for scheduler, kubelet and garbage collector.
import { initialTransition, transition } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import type { MachineSettings } from '#machines/behaviour.ts';
import type { ErrorCode } from '#machines/errors.ts';
import { behaviours, routes } from '#machines/index.ts';
import { at, isObject, list, object, rfc3339 } from '#machines/json.ts';
import { kinds } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import { applyPatch, isEqual } from '#machines/merge.ts';
import { controllerOf, refKey } from '#machines/objects.ts';
import type { Json, JsonObject, KubeObject, ObjectRef } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey, EpochMs, Intent, Operation } from '#machines/vocabulary.ts';

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

type Outcome = { ok: true } | { ok: false; code: ErrorCode; message: string };
interface WorldEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type WriteIntent = Extract<Intent, { readonly ref: ObjectRef }>;

export interface WorldOptions {
  /** Refuses a write, e.g. for a quota. */
  readonly refuse?: (op: Operation, ref: ObjectRef) => ErrorCode | undefined;
  /** Loses a message. */
  readonly lose?: (to: ActorKey, type: string) => boolean;
  /** Puts deliveries of a restart in another order. */
  readonly shuffle?: <T>(items: readonly T[]) => readonly T[];
}

export class World {
  readonly objects = new Map<string, KubeObject>();
  readonly writes: Written[] = [];
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  readonly told: string[] = [];
  /** Names of all pods that were ever created. */
  readonly podsEver: string[] = [];
  now: EpochMs = Date.UTC(2026, 0, 1);
  #actors = new Map<string, Actor>();
  #ids = 0;
  #version = 0;
  options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    this.options = options;
  }

  // -- what tests do ------------------------------------------------------------------------------

  /** Creates an object as a user would. */
  create(body: KubeObject): KubeObject {
    const ref = refOf(body);
    const made = this.#stamp(body, {
      uid: `uid-${++this.#ids}`,
      generation: 1,
      creationTimestamp: rfc3339(this.now),
    });
    this.#store(ref, made);
    return made;
  }

  /** Merge patch as a user would. */
  edit(ref: ObjectRef, patch: JsonObject): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) throw new Error(`no ${refKey(ref)}`);
    const merged = applyPatch(old, patch);
    this.#replace(ref, old, merged);
  }

  /** Deletes as a user would: finalizers, and the grace of pods, keep it for a while. */
  remove(ref: ObjectRef): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) return;
    const stays = (old.metadata.finalizers ?? []).length > 0 || ref.kind === 'Pod';
    if (!stays) return this.#drop(ref);
    if (old.metadata.deletionTimestamp !== undefined) return;
    this.edit(ref, { metadata: { deletionTimestamp: rfc3339(this.now) } });
  }

  get(kind: Kind, name: string): KubeObject | undefined {
    return this.objects.get(refKey({ kind, namespace: 'demo', name }));
  }

  all(kind: Kind): readonly KubeObject[] {
    return [...this.objects.values()].filter((one) => one.kind === kind);
  }

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

  /** Time passes; deadlines fire. */
  pass(ms: number): void {
    this.now += ms;
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
    const every = [...this.objects.values()];
    for (const one of this.options.shuffle?.(every) ?? every) this.#observe(one);
    this.settle();
  }

  /** The scheduler, the kubelets and the garbage collector do one round of work. */
  live(): void {
    this.collect();
    for (const pod of this.all('Pod')) {
      const ref = refOf(pod);
      if (pod.metadata.deletionTimestamp !== undefined) this.#drop(ref);
      else this.#runPod(ref, pod);
    }
    this.settle();
  }

  /** Rounds of work until nothing changes any more. */
  converge(rounds = 30): void {
    this.settle();
    for (let round = 0; round < rounds; round++) {
      const before = this.#version;
      this.live();
      if (this.#version === before) return;
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

  // -- the store ----------------------------------------------------------------------------------

  #stamp(body: KubeObject, more: object): KubeObject {
    const resourceVersion = String(++this.#version);
    return { ...body, metadata: { ...body.metadata, ...more, resourceVersion } };
  }

  #replace(ref: ObjectRef, old: KubeObject, merged: Json): void {
    const next = asObject(merged);
    if (isEqual(old, next)) return;
    const isNewSpec = !isEqual(old['spec'], next['spec']);
    const generation = (old.metadata.generation ?? 1) + (isNewSpec ? 1 : 0);
    const stamped = this.#stamp(next, { generation });
    const isFree = (stamped.metadata.finalizers ?? []).length === 0 && ref.kind !== 'Pod';
    if (stamped.metadata.deletionTimestamp !== undefined && isFree) this.#drop(ref);
    else this.#store(ref, stamped);
  }

  #store(ref: ObjectRef, body: KubeObject): void {
    this.objects.set(refKey(ref), body);
    this.#observe(body);
  }

  #drop(ref: ObjectRef): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) return;
    this.objects.delete(refKey(ref));
    this.#version++;
    this.#observe(old, true);
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
    this.#actors.set(id, actor);
    return actor;
  }

  #send(actor: Actor, event: WorldEvent, touches = true): void {
    const { machine, isOver } = behaviours[actor.key.kind];
    const [snapshot, actions] = transition(machine, actor.snapshot, event);
    if (touches && snapshot !== actor.snapshot) actor.isTouched = true;
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
    const refused = this.options.refuse?.(op, ref);
    const outcome: Outcome | 'nothing' =
      refused === undefined
        ? this.#apply(intent)
        : { ok: false, code: refused, message: `${op} refused by the test` };
    if (outcome === 'nothing') return;
    this.writes.push({ op, ref });
    const { now } = this;
    this.#send(
      actor,
      outcome.ok
        ? { type: 'effect.done', op, ref }
        : Object.assign({ type: 'effect.failed', op, ref, now, retryAt: null }, outcome),
      outcome.ok,
    );
  }

  #apply(intent: WriteIntent): Outcome | 'nothing' {
    const old = this.objects.get(refKey(intent.ref));
    if (intent.type === 'createObject') {
      if (old !== undefined) return failed('ALREADY_EXISTS', 'exists');
      if (intent.ref.kind === 'Pod') this.podsEver.push(intent.ref.name);
      this.create(structuredClone(intent.body));
      return { ok: true };
    }
    if (old === undefined) return failed('NOT_FOUND', 'not found');
    if (old.metadata.uid !== intent.uid) return failed('CONFLICT', 'another uid');
    if (intent.type === 'writeStatus') return this.#writeStatus(intent, old);
    const { resourceVersion } = intent;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      return failed('CONFLICT', 'another version');
    }
    if (intent.type === 'deleteObject') {
      if (old.metadata.deletionTimestamp !== undefined) return 'nothing';
      this.remove(intent.ref);
    } else this.edit(intent.ref, intent.patch);
    return { ok: true };
  }

  #writeStatus(
    intent: Extract<Intent, { type: 'writeStatus' }>,
    old: KubeObject,
  ): Outcome | 'nothing' {
    if (isEqual(old['status'], intent.status)) return 'nothing';
    this.#store(intent.ref, this.#stamp({ ...old, status: intent.status }, {}));
    return { ok: true };
  }
}

const opOf = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
} as const;

const failed = (code: ErrorCode, message: string): Outcome => ({ ok: false, code, message });

export const refOf = (one: KubeObject): ObjectRef => ({
  kind: kindOf(one.kind),
  namespace: one.metadata.namespace ?? '',
  name: one.metadata.name,
});

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);

function kindOf(name: string): Kind {
  if (!isKind(name)) throw new Error(`unknown kind ${name}`);
  return name;
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

function asObject(value: Json): KubeObject {
  if (!isKubeObject(value)) throw new Error('a patch made something that is no object');
  return value;
}

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
