// A little world for the behaviours of ComputeDomains: an API server in memory, watches that select
// by label, the module's routes and views, and intents applied at once. What the driver's other
// parts do (cliques, pods, labels on nodes) a test does by hand.
import type { AnyMachineSnapshot } from 'xstate';
import { noCause } from '#actors/mail/causality.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { actorId, refKey } from '#machines/contract/address.ts';
import type { ActorKey, ObjectRef } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { namesOf } from '#machines/contract/module.ts';
import type { Delivery } from '#machines/contract/route.ts';
import { apiKind, kindRow } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { nvidiaKinds } from '#machines/nvidia/kinds.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { hasCliques } from '#machines/nvidia/settings.ts';
import type { NvidiaInput, NvidiaSettings } from '#machines/nvidia/settings.ts';
import { nvidiaSettings } from './nvidia.ts';
import { LiveLists } from './live-lists.ts';
import type { Listing, ListOutcome, ListObjects } from './live-lists.ts';
import { isSelected, opOf } from './world-intents.ts';
import { refOf, Store, stored, toStore } from './world-store.ts';
import type { WriteIntent } from './world-store.ts';

export interface NvidiaOptions {
  readonly settings?: Partial<NvidiaSettings>;
  /** Refuses a write. */
  readonly refuse?: (op: string, ref: ObjectRef) => ErrorCode | undefined;
  /** Watches do not tell of it; a live list does. */
  readonly hides?: (one: KubeObject) => boolean;
  readonly list?: ListOutcome;
  /** Writes take until `land`. */
  readonly isSlow?: boolean;
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKey['kind'], value: unknown) => void;
}

interface NvidiaActor extends Reader {
  readonly key: ActorKey;
  readonly behaviour: Behaviour<NvidiaInput>;
  snapshot: AnyMachineSnapshot;
  wakesAt: number | undefined;
  isTouched: boolean;
}

interface Pending {
  readonly intent: WriteIntent;
  readonly sender: NvidiaActor;
  readonly waiters: Set<NvidiaActor>;
}

interface Event {
  readonly type: string;
  readonly [field: string]: unknown;
}

export class NvidiaWorld extends Store {
  /** `op kind name`, of those that were done. */
  readonly writes: string[] = [];
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  options: NvidiaOptions;
  #actors = new Map<string, NvidiaActor>();
  #views = new Views<NvidiaActor>(() => {});
  /** What watches have told, by kind of the module. */
  readonly #seen = new Map<string, { kind: Kind; one: KubeObject }>();
  readonly #flying = new Map<string, Pending>();
  readonly #backingOff = new Map<string, Pending>();
  readonly #lists = new LiveLists<NvidiaActor>();
  readonly lists: readonly ListObjects[] = this.#lists.sent;

  constructor(options: NvidiaOptions = {}) {
    super((one, isGone) => this.#tellOf(one, isGone));
    this.options = options;
  }

  find(kind: Kind, name: string, namespace = 'driver'): KubeObject | undefined {
    const place = kindRow(kind).isClusterScoped === true ? '' : namespace;
    return this.objects.get(refKey(stored({ kind, namespace: place, name })));
  }

  why(kind: ActorKey['kind'], name: string, namespace = 'demo'): readonly string[] {
    const actor = this.#actors.get(actorId({ kind, namespace, name }));
    return actor === undefined ? ['no actor'] : actor.behaviour.why(actor.snapshot, this.now);
  }

  snapshotOf(key: ActorKey): AnyMachineSnapshot | undefined {
    return this.#actors.get(actorId(key))?.snapshot;
  }

  view(key: ActorKey): unknown {
    const actor = this.#actors.get(actorId(key));
    return actor?.behaviour.view(actor.snapshot);
  }

  /** Reconciles until nothing is touched. */
  stabilize(): this {
    for (let round = 0; round < 1_000; round++) {
      for (const { id, value, readers } of this.#views.changes()) {
        for (const reader of readers) reader.isTouched ||= reader.reads.get(id)?.value !== value;
      }
      const touched = [...this.#actors.values()].filter(({ isTouched }) => isTouched);
      if (touched.length === 0) return this;
      for (const actor of touched) this.#reconcile(actor);
    }
    throw new Error('does not come to rest');
  }

  /** Time passes: pauses end, deadlines fire. */
  pass(ms: number): this {
    this.now += ms;
    const paused = [...this.#backingOff.values()];
    this.#backingOff.clear();
    for (const { intent, waiters } of paused) {
      for (const actor of waiters) this.#send(actor, { type: 'effect.retry', ref: intent.ref });
    }
    this.#lists.pass();
    for (const actor of this.#actors.values()) {
      if (actor.wakesAt !== undefined && actor.wakesAt <= this.now) actor.isTouched = true;
    }
    return this.stabilize();
  }

  /** All actors are lost; new ones see every object again. */
  restart(): this {
    this.#actors = new Map();
    this.#views = new Views(() => {});
    this.#seen.clear();
    this.#backingOff.clear();
    this.#lists.clear();
    for (const one of Array.from(this.objects.values())) this.#tellOf(one, false);
    return this.stabilize();
  }

  /** Its watch says that it is gone, though it is there, as where the kind is not served. */
  lose(ref: ObjectRef): this {
    const one = this.objects.get(refKey(stored(ref)));
    if (one !== undefined) this.#tellOf(one, true);
    return this.stabilize();
  }

  /** The first of the slow lists is answered. `isOld`: more is known by then than it shows. */
  answer({ isOld = false } = {}): this {
    this.#answer(this.#lists.takeSlow(), isOld);
    return this.stabilize();
  }

  /** Slow writes are done. */
  land(): this {
    const all = [...this.#flying.values()];
    this.#flying.clear();
    for (const each of all) this.#land(each);
    return this.stabilize();
  }

  get inFlight(): readonly WriteIntent[] {
    return [...this.#flying.values()].map(({ intent }) => intent);
  }

  #tellOf(one: KubeObject, isGone: boolean, isListed = false): void {
    for (const kind of namesOf(nvidiaKinds)) {
      const { apiVersion, labelled } = kindRow(kind);
      if (apiKind(kind) !== one.kind || apiVersion !== one.apiVersion) continue;
      const isSelected = labelled === undefined || one.metadata.labels?.[labelled] !== undefined;
      if (!isGone && !isListed && this.options.hides?.(one) === true) continue;
      this.#observe(kind, one, isGone || !isSelected);
    }
  }

  #observe(kind: Kind, one: KubeObject, isGone: boolean): void {
    const key = refKey({ ...refOf(one), kind });
    const before = this.#seen.get(key)?.one;
    if (isGone) this.#seen.delete(key);
    else this.#seen.set(key, { kind, one });
    const route = nvidia.routes.find((each) => each.kind === kind);
    if (route === undefined) return;
    const news = isGone ? [] : route.deliver(route.decode(one), one);
    const left = before === undefined ? [] : route.forget(route.decode(before), before);
    const isTold = ({ to }: Delivery) => news.some((each) => actorId(each.to) === actorId(to));
    for (const each of left) if (!isTold(each)) this.#deliver(each);
    for (const each of news) this.#deliver(each);
    this.#views.put(key, isGone ? [] : (route.show?.(route.decode(one)) ?? []), noCause);
  }

  #deliver({ to, root, event }: Delivery): void {
    const id = actorId(to);
    const actor = this.#actors.get(id) ?? this.#start(to, root);
    if (actor !== undefined) this.#send(actor, { ...event });
  }

  #start(key: ActorKey, root: ActorKey): NvidiaActor | undefined {
    const settings = { ...nvidiaSettings, ...this.options.settings };
    const behaviour = nvidia.behaviours.find(({ kind }) => kind === key.kind);
    // Most cliques are written by hand here: their own tests have the actor.
    const isByHand = key.kind === 'clique' && hasCliques(settings);
    if (behaviour === undefined || isByHand) return undefined;
    const actor: NvidiaActor = {
      id: actorId(key),
      key,
      behaviour,
      reads: new Map(),
      snapshot: behaviour.start({ key, root, settings }),
      wakesAt: undefined,
      isTouched: true,
    };
    this.#actors.set(actor.id, actor);
    this.#move(actor, actor.snapshot);
    return actor;
  }

  #send(actor: NvidiaActor, event: Event): void {
    const snapshot = actor.behaviour.reduce(actor.snapshot, event);
    if (snapshot !== actor.snapshot || event.type.startsWith('effect.')) actor.isTouched = true;
    this.#move(actor, snapshot);
  }

  #move(actor: NvidiaActor, snapshot: AnyMachineSnapshot): void {
    const { behaviour, key, id } = actor;
    actor.snapshot = snapshot;
    this.options.trace?.(key.kind, snapshot.value);
    const isKnown = Object(snapshot.context).isGone === true || snapshot.status !== 'active';
    if (!isKnown || !behaviour.isOver(snapshot)) return;
    const last = behaviour.reconcile(snapshot, this.now).snapshot;
    this.options.trace?.(key.kind, last.value);
    this.#actors.delete(id);
    this.#views.end(actor, noCause);
  }

  #reconcile(actor: NvidiaActor): void {
    const { behaviour } = actor;
    actor.isTouched = false;
    if (!this.#actors.has(actor.id)) return;
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(actor, behaviour.reads(actor.snapshot));
      for (const event of events) this.#move(actor, behaviour.reduce(actor.snapshot, event));
    }
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.now);
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    actor.wakesAt = first === Infinity ? undefined : first;
    this.#move(actor, snapshot);
    for (const intent of intents) this.#act(actor, intent);
  }

  #act(actor: NvidiaActor, intent: Intent): void {
    if (intent.type === 'recordEvent') this.events.push(intent);
    else if (intent.type === 'listObjects') this.#list(actor, intent);
    else if ('ref' in intent) this.#write(actor, intent);
  }

  #list(actor: NvidiaActor, intent: ListObjects): void {
    const { list = 'succeeds' } = this.options;
    if (!this.#lists.send(actor, intent, list) || list === 'isSlow') return;
    if (list === 'succeeds') return this.#answer({ actor, intent });
    this.#send(actor, { type: 'objects.listed', id: intent.id, error: 'no answer' });
  }

  #answer({ actor, intent }: Listing<NvidiaActor>, isOld = false): void {
    for (const one of isOld ? [] : Array.from(this.objects.values())) {
      if (one.kind === apiKind(intent.kind) && isSelected(intent, one))
        this.#tellOf(one, false, true);
    }
    this.#send(actor, { type: 'objects.listed', id: intent.id });
  }

  /** One write per object at a time. */
  #write(sender: NvidiaActor, intent: WriteIntent): void {
    const key = refKey(intent.ref);
    const busy = this.#flying.get(key) ?? this.#backingOff.get(key);
    busy?.waiters.add(sender);
    if (busy !== undefined || this.isSo(toStore(intent))) return;
    const pending: Pending = { intent, sender, waiters: new Set() };
    if (this.options.isSlow !== true) return this.#land(pending);
    this.#flying.set(key, pending);
  }

  #land({ intent, sender, waiters }: Pending): void {
    const { ref } = intent;
    const op = opOf[intent.type];
    const code = this.options.refuse?.(op, ref);
    const outcome =
      code === undefined
        ? this.apply(toStore(intent))
        : { ok: false as const, code, message: `${op} refused by the test` };
    if (outcome === 'nothing' || outcome.ok) {
      if (outcome !== 'nothing') this.writes.push(`${op} ${ref.kind} ${ref.name}`);
      this.#send(sender, { type: 'effect.done', op, ref });
      for (const actor of waiters) this.#send(actor, { type: 'effect.retry', ref });
      return;
    }
    const { code: failure, message } = outcome;
    const { now } = this;
    this.#backingOff.set(refKey(ref), { intent, sender, waiters: waiters.add(sender) });
    const failed = { op, ref, code: failure, message, now, retryAt: now + 1 };
    this.#send(sender, { type: 'effect.failed', ...failed });
  }
}
