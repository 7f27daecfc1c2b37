// A little world for the behaviours of agent-sandbox: a model API server whose news are late until
// a test delivers them, watches that select by label, the module's routes and views, and writes
// that are under way until a test says what comes of them. `comeToRest` does all of it at once.
// What kubelets do, a test does by hand.
import { Cache } from '#actors/mail/cache.ts';
import type { Observation, WriteOutcome } from '#actors/ports.ts';
import { agentSandboxKinds } from '#machines/agentsandbox/kinds.ts';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { actorId, refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { namesOf } from '#machines/contract/module.ts';
import type { Delivery } from '#machines/contract/route.ts';
import { apiKind, kindRow } from '#machines/kinds.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { LateStore } from '../late-store.ts';
import { LateWrites } from '../late-writes.ts';
import type { Fate } from '../late-writes.ts';
import { refOf, stored, toStore } from '../world-store.ts';
import type { WriteIntent } from '../world-store.ts';
import { SandboxActors } from './actors.ts';
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
  /** Hears of a write that was done. */
  readonly landed?: (intent: WriteIntent) => void;
  /** What comes of a write in `comeToRest`. */
  readonly fateOf?: (intent: WriteIntent) => Fate;
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
  #actors = this.#nobody();
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
      landed: (intent) => this.options.landed?.(intent),
      observe: (observation) => this.#take(observation),
      tell: (id, event) => void this.#actors.tell(id, { ...event }, true),
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
    return this.#actors.why({ kind, namespace: 'demo', name });
  }

  /** Everything is delivered and answered until nothing is under way. */
  comeToRest(): this {
    for (let round = 0; round < 200; round++) {
      this.#actors.stabilize();
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
    this.#actors.stabilize();
  }

  /** A write that is under way comes to its end. */
  land(pick: number, fate: Fate): void {
    this.#writes.land(pick, fate);
    this.#actors.stabilize();
  }

  /** Time passes: pauses end, deadlines fire. */
  pass(ms: number): this {
    this.store.now += ms;
    this.#writes.resume();
    this.#actors.passDeadlines();
    this.#actors.stabilize();
    return this;
  }

  /** Another process: it lists everything. Of what the former had under way some still lands. */
  restart(isLate: (at: number) => boolean = () => false): this {
    this.#writes.end(isLate);
    this.#cache = new Cache({ tombstones: 1_000 });
    this.#actors = this.#nobody();
    this.#targets = new Map();
    this.store.forget();
    for (const one of Array.from(this.store.objects.values())) this.#tellOf(one, false);
    this.#actors.stabilize();
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
    const end = isSure ? {} : { isSure, upTo };
    const known = this.#cache.gone(ref, metadata.uid ?? '', end);
    if (known === undefined) return;
    this.#address(known.key, []);
    this.#actors.show(known.key, []);
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
    this.#actors.show(key, route.show?.(observed) ?? []);
  }

  /** Who gets it no more hears that; all others hear of it. */
  #address(key: string, targets: readonly (Delivery & { readonly gone: Delivery['event'] })[]) {
    const before = this.#targets.get(key) ?? [];
    if (targets.length === 0) this.#targets.delete(key);
    else this.#targets.set(key, targets);
    const ids = new Set(targets.map(({ to }) => actorId(to)));
    for (const { to, gone } of before) {
      if (!ids.has(actorId(to))) this.#actors.tell(actorId(to), gone);
    }
    for (const { to, event } of targets) this.#actors.deliver(to, event);
  }

  /** A process that has just started. */
  #nobody(): SandboxActors {
    return new SandboxActors({
      now: () => this.now,
      settings: () => ({ ...agentSandboxSettings, ...this.options.settings }),
      kinds: () => this.options.actors ?? ['sandbox', 'sandboxtemplate'],
      addressed: (id) =>
        [...this.#targets.values()]
          .flat()
          .filter(({ to }) => actorId(to) === id)
          .map(({ event }) => event),
      act: (id, intent) => {
        if (intent.type === 'recordEvent') this.events.push(intent);
        else if ('ref' in intent) this.#writes.want(id, intent);
      },
      trace: (kind, value) => this.options.trace?.(kind, value),
    });
  }
}
