// One process of a world of claims and warm pools: the pure behaviours with the router, the cache,
// the views and the table of verdicts of the runtime, over watches that come late. Nothing happens
// but what a test asks for.
import type { AnyMachineSnapshot } from 'xstate';
import { Cache } from '#actors/mail/cache.ts';
import { noCause } from '#actors/mail/causality.ts';
import { Router } from '#actors/mail/router.ts';
import type { Observation } from '#actors/ports.ts';
import { ownerOfLife } from '#actors/run/actor.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { actorId, refKey } from '#machines/contract/address.ts';
import type { ActorKey, ObjectRef } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { objectKind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { type Fate, LateWrites } from '#test/support/late-writes.ts';
import { isSelected } from '#test/support/world-intents.ts';
import { refOf, type WriteIntent } from '#test/support/world-store.ts';
import type { Server } from './server.ts';

interface Actor extends Reader {
  readonly key: ActorKey;
  readonly behaviour: Behaviour<AgentSandboxInput>;
  snapshot: AnyMachineSnapshot;
  wakesAt: number | undefined;
  isTouched: boolean;
  /** Of its own object, once seen. */
  uid: string | undefined;
}

type ListObjects = Extract<Intent, { type: 'listObjects' }>;
type Event = Parameters<Behaviour['reduce']>[1];

/** Kinds whose actors live here; the others are the test's to play. */
const played: ReadonlySet<string> = new Set(['sandboxclaim', 'sandboxwarmpool']);
const behaviours = new Map(
  agentsandbox.behaviours.filter(({ kind }) => played.has(kind)).map((one) => [one.kind, one]),
);

export interface Hooks {
  /** Hears of every state that an actor is in. */
  readonly trace?: ((kind: ActorKey['kind'], value: unknown) => void) | undefined;
  readonly decided?: (intent: WriteIntent) => void;
  readonly landed?: (intent: WriteIntent) => void;
}

export class Process {
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  readonly measured: Extract<Intent, { type: 'measure' }>[] = [];
  readonly lists: ListObjects[] = [];
  readonly writes: LateWrites;
  readonly #server: Server;
  readonly #hooks: Hooks;
  readonly #settings: AgentSandboxSettings;
  readonly #cache = new Cache({ tombstones: 1_000 });
  readonly #router: Router;
  readonly #views = new Views<Actor>(() => {});
  readonly #actors = new Map<string, Actor>();
  readonly #news = new Map<string, Observation[]>();
  #listing: { readonly actor: Actor; readonly intent: ListObjects }[] = [];
  reconciles = 0;

  constructor(server: Server, settings: AgentSandboxSettings, hooks: Hooks = {}) {
    this.#server = server;
    this.#hooks = hooks;
    this.#settings = settings;
    this.#router = new Router(agentsandbox.routes, {
      cache: this.#cache,
      refused: ({ malformed, error }) => {
        throw new Error(malformed, { cause: error });
      },
    });
    this.writes = new LateWrites({
      store: server,
      seen: (ref) => this.#cache.get(ref)?.object,
      decided: (intent) => hooks.decided?.(intent),
      landed: (intent) => hooks.landed?.(intent),
      observe: (observation) => this.#observe(observation),
      tell: (id, event) => this.#tell(id, event),
    });
  }

  /** Everything that there is is listed before any actor reconciles. */
  begin(): this {
    for (const object of this.#server.objects.values()) this.#observe(seen(object));
    return this.stabilize();
  }

  /** A watch will tell of it. */
  hear(object: KubeObject, isGone: boolean): void {
    const key = `${refKey(refOf(object))} ${object.metadata.uid}`;
    const queue = this.#news.get(key) ?? [];
    const uid = object.metadata.uid ?? '';
    queue.push(isGone ? { type: 'gone', ref: refOf(object), uid } : seen(object));
    this.#news.set(key, queue);
  }

  get isQuiet(): boolean {
    return this.#news.size + this.writes.inFlight.length + this.#listing.length === 0;
  }

  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  /** The news of one object, those of each in order. */
  deliver(pick: number, isWhole = true): void {
    const keys = [...this.#news.keys()];
    const key = keys[pick % Math.max(1, keys.length)];
    const queue = key === undefined ? undefined : this.#news.get(key);
    if (key === undefined || queue === undefined) return;
    for (const each of queue.splice(0, isWhole ? queue.length : 1)) this.#observe(each);
    if (queue.length === 0) this.#news.delete(key);
    this.stabilize();
  }

  land(pick: number, fate: Fate): void {
    this.writes.land(pick, fate);
    this.stabilize();
  }

  /** A list is of the moment in which it ends. */
  list(isRefused = false): void {
    const [next] = this.#listing.splice(0, 1);
    if (next === undefined) return;
    const { actor, intent } = next;
    const { id, kind } = intent;
    for (const object of isRefused ? [] : this.#server.objects.values()) {
      if (refOf(object).kind === kind && isSelected(intent, object)) this.#observe(seen(object));
    }
    const listed = { type: 'objects.listed', id } as const;
    this.#tell(actor.id, isRefused ? { ...listed, ...{ error: 'of the test' } } : listed);
    this.stabilize();
  }

  /** Pauses end, deadlines pass. */
  pass(): void {
    this.writes.resume();
    for (const actor of this.#actors.values()) {
      actor.isTouched ||= actor.wakesAt !== undefined && actor.wakesAt <= this.#server.now;
    }
    this.stabilize();
  }

  why(kind: ActorKey['kind'], name: string): readonly string[] {
    const actor = this.#actors.get(actorId({ kind, namespace: 'demo', name }));
    return actor?.behaviour.why(actor.snapshot, this.#server.now) ?? ['no actor'];
  }

  state(kind: ActorKey['kind'], name: string): unknown {
    return this.#actors.get(actorId({ kind, namespace: 'demo', name }))?.snapshot.value;
  }

  contextOf(kind: ActorKey['kind'], name: string): unknown {
    return this.#actors.get(actorId({ kind, namespace: 'demo', name }))?.snapshot.context;
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

  #observe(observation: Observation): void {
    const routed = this.#router.route(observation);
    if (routed === undefined) return;
    if (!routed.gone) this.#endNamesake(routed.known);
    for (const { target, gone, events } of routed.routedEvents) {
      const actor = this.#actors.get(target.toId);
      if (actor !== undefined) for (const event of events) this.#reduce(actor, event);
      else if (!gone && behaviours.has(target.to.kind)) this.#spawn(target.to, target.root);
    }
    this.#views.put(routed.known.key, routed.entries, noCause);
  }

  /** An object of another UID has another life. */
  #endNamesake({ ref, uid }: { readonly ref: ObjectRef; readonly uid: string }): void {
    const own = ownerOfLife(ref);
    const actor = own && this.#actors.get(actorId(own));
    if (actor === undefined) return;
    if (actor.uid !== undefined && actor.uid !== uid) this.#end(actor);
    actor.uid = uid;
  }

  #end(actor: Actor): void {
    this.#actors.delete(actor.id);
    this.#listing = this.#listing.filter((other) => other.actor !== actor);
    this.#views.end(actor, noCause);
  }

  #spawn(key: ActorKey, root: ActorKey): void {
    const behaviour = behaviours.get(key.kind);
    if (behaviour === undefined) return;
    const id = actorId(key);
    const snapshot = behaviour.start({ key, root, settings: this.#settings });
    const actor: Actor = {
      ...{ id, key, behaviour, snapshot },
      reads: new Map(),
      wakesAt: undefined,
      isTouched: true,
      uid: this.#cache.get({ kind: objectKind(key.kind), namespace: key.namespace, name: key.name })
        ?.uid,
    };
    this.#actors.set(id, actor);
    const { namespace, name } = key;
    const own: ObjectRef = { kind: objectKind(key.kind), namespace, name };
    for (const known of this.#cache.addressedTo(key, own)) {
      for (const event of this.#router.replay(known, id)) this.#reduce(actor, event);
    }
  }

  #reduce(actor: Actor, event: Event): void {
    const before = actor.snapshot;
    actor.snapshot = actor.behaviour.reduce(before, event);
    actor.isTouched ||= actor.snapshot !== before;
  }

  #tell(id: string, event: Event | CommonEvent): void {
    const actor = this.#actors.get(id);
    if (actor === undefined) return;
    this.#reduce(actor, event);
    actor.isTouched = true;
  }

  #reconcile(actor: Actor): void {
    actor.isTouched = false;
    this.reconciles++;
    const { behaviour } = actor;
    for (let round = 0; round < 5; round++) {
      const events = this.#views.follow(actor, behaviour.reads(actor.snapshot));
      for (const event of events) actor.snapshot = behaviour.reduce(actor.snapshot, event);
      if (events.length === 0) break;
    }
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.#server.now);
    actor.snapshot = snapshot;
    this.#hooks.trace?.(actor.key.kind, snapshot.value);
    const untils = waits.flatMap(({ until }) => (until === undefined ? [] : [until]));
    actor.wakesAt = untils.length === 0 ? undefined : Math.min(...untils);
    for (const intent of intents) this.#carryOut(actor, intent);
    if (actor.isTouched) return;
    if (behaviour.isOver(actor.snapshot) || !this.#cache.isAddressed(actor.id)) {
      this.#end(actor);
    }
  }

  #carryOut(actor: Actor, intent: Intent): void {
    if ('ref' in intent) return this.writes.want(actor.id, intent);
    if (intent.type === 'publish') return this.#views.publish(actor.id, intent, noCause);
    if (intent.type === 'recordEvent') this.events.push(intent);
    if (intent.type === 'measure') this.measured.push(intent);
    if (intent.type !== 'listObjects') return;
    const isUnderWay = this.#listing.some(
      (other) => other.actor === actor && other.intent.id === intent.id,
    );
    if (isUnderWay) return;
    this.lists.push(intent);
    this.#listing.push({ actor, intent });
  }
}

const seen = (object: KubeObject): Observation => ({
  type: 'seen',
  kind: refOf(object).kind,
  object,
});
