// A little world for the behaviours of agent-sandbox: a model API server whose news are late until
// a test delivers them, watches that select by label, the module's routes and views, and writes
// that are under way until a test says what comes of them. `settle` does all of it at once. What
// kubelets do, a test does by hand.
import type { AnyMachineSnapshot } from 'xstate';
import { Cache } from '#actors/mail/cache.ts';
import { noCause } from '#actors/mail/causality.ts';
import type { Observation, WriteOutcome } from '#actors/ports.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { agentSandboxKinds } from '#machines/agentsandbox/kinds.ts';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { actorId, refKey } from '#machines/contract/address.ts';
import type { ActorKey, ObjectRef } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { namesOf } from '#machines/contract/module.ts';
import type { Delivery } from '#machines/contract/route.ts';
import { apiKind, kindRow } from '#machines/kinds.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { LateStore } from '../late-store.ts';
import { LateWrites } from '../late-writes.ts';
import type { Fate, MachineEvent } from '../late-writes.ts';
import { refOf, stored, toStore } from '../world-store.ts';
import type { WriteIntent } from '../world-store.ts';
import { agentSandboxSettings } from './samples.ts';

export interface AgentSandboxOptions {
  readonly settings?: Partial<AgentSandboxSettings>;
  /** Those that run; of others tests write by hand what they would. */
  readonly actors?: readonly ActorKind[];
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKind, value: unknown) => void;
  readonly decided?: (intent: WriteIntent) => void;
  /** Hears of a write that has reached the server, before it is done. */
  readonly arrives?: (intent: WriteIntent, live: KubeObject | undefined) => void;
  /** What comes of a write in `settle`. */
  readonly fateOf?: (intent: WriteIntent) => Fate;
}

interface SandboxActor extends Reader {
  readonly key: ActorKey;
  readonly behaviour: Behaviour<AgentSandboxInput>;
  snapshot: AnyMachineSnapshot;
  wakesAt: number | undefined;
  isTouched: boolean;
}

/** An object is stored once, whatever the module calls its kind. */
class SandboxStore extends LateStore {
  arrives: AgentSandboxOptions['arrives'];

  override write(intent: WriteIntent, seen: KubeObject | undefined): WriteOutcome {
    this.arrives?.(intent, this.objects.get(refKey(stored(intent.ref))));
    return super.write(toStore(intent), seen);
  }

  override read(ref: ObjectRef): WriteOutcome {
    return super.read(stored(ref));
  }
}

export class AgentSandboxWorld {
  readonly store = new SandboxStore();
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  options: AgentSandboxOptions;
  #cache = new Cache({ tombstones: 1_000 });
  #actors = new Map<string, SandboxActor>();
  #views = new Views<SandboxActor>(() => {});
  /** Where each object was delivered last, by key. */
  #targets = new Map<string, readonly (Delivery & { readonly gone: Delivery['event'] })[]>();
  readonly #writes: LateWrites;

  constructor(options: AgentSandboxOptions = {}) {
    this.options = options;
    this.store.arrives = (intent, live) => this.options.arrives?.(intent, live);
    this.#writes = new LateWrites({
      store: this.store,
      seen: (ref) => this.#cache.get(ref)?.object,
      decided: (intent) => this.options.decided?.(intent),
      landed: () => {},
      observe: (observation) => this.#take(observation),
      tell: (id, event) => this.#tellActor(id, event),
    });
  }

  /** What reached the server, e.g. `create SandboxPod/demo/box`. */
  get writes(): readonly string[] {
    return this.#writes.arrived;
  }

  get inFlight(): readonly WriteIntent[] {
    return this.#writes.inFlight;
  }

  get now(): number {
    return this.store.now;
  }

  why(kind: ActorKind, name: string): readonly string[] {
    const actor = this.#actors.get(actorId({ kind, namespace: 'demo', name }));
    if (actor === undefined) return ['no actor'];
    this.#refresh(actor);
    return actor.behaviour.why(actor.snapshot, this.now);
  }

  view(kind: ActorKind, name: string): unknown {
    const actor = this.#actors.get(actorId({ kind, namespace: 'demo', name }));
    return actor?.behaviour.view(actor.snapshot);
  }

  snapshots(): readonly {
    readonly behaviour: Behaviour<never>;
    readonly at: AnyMachineSnapshot;
  }[] {
    return [...this.#actors.values()].map(({ behaviour, snapshot }) => ({
      behaviour,
      at: snapshot,
    }));
  }

  /** Everything is delivered and answered until nothing is under way. */
  settle(): this {
    for (let round = 0; round < 200; round++) {
      this.#stabilize();
      if (this.store.isQuiet && this.inFlight.length === 0) return this;
      this.deliverAll();
      for (let left = this.inFlight.length; left > 0; left--) {
        const [first] = this.inFlight;
        if (first !== undefined) this.land(0, this.options.fateOf?.(first) ?? 'answered');
      }
    }
    throw new Error('it does not come to rest');
  }

  deliverAll(): void {
    while (!this.store.isQuiet) this.deliver(0, true);
  }

  /** The news of one object arrive. */
  deliver(pick: number, isWhole: boolean): void {
    for (const { one, isGone } of this.store.next(pick, isWhole)) this.#tellOf(one, isGone);
    this.#stabilize();
  }

  /** A write that is under way comes to its end. */
  land(pick: number, fate: Fate): void {
    this.#writes.land(pick, fate);
    this.#stabilize();
  }

  /** Time passes: pauses end, deadlines fire. */
  pass(ms: number): this {
    this.store.now += ms;
    this.#writes.resume();
    for (const actor of this.#actors.values()) {
      if (actor.wakesAt !== undefined && actor.wakesAt <= this.now) actor.isTouched = true;
    }
    this.#stabilize();
    return this;
  }

  /** Another process: it lists everything. Of what the former had under way some still lands. */
  restart(isLate: (at: number) => boolean = () => false): this {
    this.#writes.end(isLate);
    this.#cache = new Cache({ tombstones: 1_000 });
    this.#actors = new Map();
    this.#views = new Views(() => {});
    this.#targets = new Map();
    this.store.forget();
    for (const one of Array.from(this.store.objects.values())) this.#tellOf(one, false);
    this.#stabilize();
    return this;
  }

  /** What belongs to nobody who is there goes. */
  collect(): void {
    const uids = new Set([...this.store.objects.values()].map(({ metadata }) => metadata.uid));
    for (const one of Array.from(this.store.objects.values())) {
      const owner = controllerOf(one);
      if (owner !== undefined && !uids.has(owner.uid)) this.store.drop(refOf(one));
    }
  }

  // -- the process --------------------------------------------------------------------------------

  /** Each watch of that kind of object sees it if it has the label of that. */
  #tellOf(one: KubeObject, isGone: boolean): void {
    for (const kind of namesOf(agentSandboxKinds)) {
      const { apiVersion, labelled } = kindRow(kind);
      if (apiKind(kind) !== one.kind || apiVersion !== one.apiVersion) continue;
      const isSelected = labelled === undefined || one.metadata.labels?.[labelled] !== undefined;
      if (isGone || !isSelected) this.#gone({ ...refOf(one), kind }, one, isGone);
      else this.#seen(kind, one);
    }
  }

  #take(observation: Observation): void {
    if (observation.type === 'seen') this.#seen(observation.kind, observation.object);
    else {
      const known = this.#cache.get(observation.ref);
      if (known?.uid === observation.uid) {
        this.#gone(observation.ref, known.object, observation.isSure !== false);
      }
    }
  }

  #gone(ref: ObjectRef, { metadata }: KubeObject, isSure: boolean): void {
    const upTo = metadata.resourceVersion ?? '';
    const known = this.#cache.gone(ref, metadata.uid ?? '', isSure, upTo);
    if (known === undefined) return;
    this.#address(known.key, []);
    this.#views.put(known.key, [], noCause);
  }

  #seen(kind: Kind, one: KubeObject): void {
    const news = this.#cache.see(kind, one);
    if (news === undefined) return;
    const { key } = news.known;
    if (news.replaced !== undefined) this.#address(key, []);
    const route = agentsandbox.routes.find((each) => each.kind === kind);
    const observed = route?.decode(one);
    if (route === undefined || Object(observed).malformed !== undefined) return;
    const ends = route.forget(observed, one);
    this.#address(
      key,
      route.deliver(observed, one).map((each) => ({
        ...each,
        gone: ends.find(({ to }) => actorId(to) === actorId(each.to))?.event ?? { type: 'none' },
      })),
    );
    this.#views.put(key, route.show?.(observed) ?? [], noCause);
  }

  /** Who gets it no more hears that; all others hear of it. */
  #address(key: string, targets: readonly (Delivery & { readonly gone: Delivery['event'] })[]) {
    const before = this.#targets.get(key) ?? [];
    if (targets.length === 0) this.#targets.delete(key);
    else this.#targets.set(key, targets);
    const ids = new Set(targets.map(({ to }) => actorId(to)));
    for (const { to, gone } of before) {
      const actor = this.#actors.get(actorId(to));
      if (!ids.has(actorId(to)) && actor !== undefined) this.#send(actor, gone);
    }
    for (const { to, event } of targets) {
      const actor = this.#actors.get(actorId(to));
      if (actor !== undefined) this.#send(actor, event);
      else this.#start(to);
    }
  }

  /** It hears of all that is addressed to it. */
  #start(key: ActorKey): void {
    const { actors = ['sandbox', 'sandboxtemplate'] } = this.options;
    const behaviour = agentsandbox.behaviours.find(({ kind }) => kind === key.kind);
    if (behaviour === undefined || !actors.includes(key.kind)) return;
    const settings = { ...agentSandboxSettings, ...this.options.settings };
    const id = actorId(key);
    const snapshot = behaviour.start({ key, root: key, settings });
    const reads: SandboxActor['reads'] = new Map();
    const actor = { id, key, behaviour, reads, snapshot, wakesAt: undefined, isTouched: true };
    this.#actors.set(id, actor);
    this.#move(actor, snapshot);
    for (const targets of [...this.#targets.values()]) {
      for (const { to, event } of targets) if (actorId(to) === id) this.#send(actor, event);
    }
  }

  #tellActor(id: string, event: MachineEvent): void {
    const actor = this.#actors.get(id);
    if (actor === undefined) return;
    this.#send(actor, { ...event });
    actor.isTouched = true;
  }

  #send(actor: SandboxActor, event: { readonly type: string }): void {
    const { behaviour } = actor;
    const snapshot = behaviour.reduce(actor.snapshot, event);
    if (snapshot !== actor.snapshot) actor.isTouched = true;
    this.#move(actor, snapshot);
  }

  #move(actor: SandboxActor, snapshot: AnyMachineSnapshot): void {
    actor.snapshot = snapshot;
    this.options.trace?.(actor.key.kind, snapshot.value);
  }

  #stabilize(): void {
    for (let round = 0; round < 1_000; round++) {
      for (const { id, value, readers } of this.#views.changes()) {
        for (const reader of readers) reader.isTouched ||= reader.reads.get(id)?.value !== value;
      }
      const touched = [...this.#actors.values()].filter(({ isTouched }) => isTouched);
      if (touched.length === 0) return;
      for (const actor of touched) this.#reconcile(actor);
    }
    throw new Error('actors touch each other for ever');
  }

  #refresh(actor: SandboxActor): void {
    const { behaviour } = actor;
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(actor, behaviour.reads(actor.snapshot));
      for (const event of events) this.#move(actor, behaviour.reduce(actor.snapshot, event));
    }
  }

  #reconcile(actor: SandboxActor): void {
    const { behaviour } = actor;
    actor.isTouched = false;
    this.#refresh(actor);
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.now);
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    actor.wakesAt = first === Infinity ? undefined : first;
    this.#move(actor, snapshot);
    for (const intent of intents) {
      if (intent.type === 'recordEvent') this.events.push(intent);
      else if ('ref' in intent) this.#writes.want(actor.id, intent);
    }
    if (snapshot.status === 'active' && !behaviour.isOver(snapshot)) return;
    this.#actors.delete(actor.id);
    this.#views.end(actor, noCause);
  }
}
