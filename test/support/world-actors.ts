// The actors of a little world: made when something concerns them, told, stepped and reconciled as
// in the runtime, with its views. What else they intend is done by the world around them.
// Used by world.ts and late-world.ts.
import type { AnyMachineSnapshot } from 'xstate';
import { noCause } from '#actors/mail/causality.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { actorId } from '#machines/contract/address.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Delivery } from '#machines/contract/route.ts';
import type { Entry } from '#machines/contract/view.ts';
import type { GroveSettings } from '#machines/grove/settings.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import { behaviourOf } from '#test/support/modules.ts';
import { entriesOf, removals, newsOf } from './world-news.ts';

export interface WorldActor extends Reader {
  readonly key: ActorKey;
  readonly root: ActorKey;
  snapshot: AnyMachineSnapshot;
  readonly published: Map<string, Entry>;
  wakesAt: EpochMs | undefined;
  /** Since when it was not woken by a message that was lost. */
  lostAt: EpochMs | undefined;
  isTouched: boolean;
}

export interface WorldEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Those that the world itself carries out. */
export type WorldIntent = Exclude<Intent, { type: 'publish' | 'answer' }>;

/** When who was not woken is woken at last. */
const wakeMs = 5_000;

/** The world around the actors. */
export interface Around {
  readonly now: () => EpochMs;
  readonly settings: () => GroveSettings;
  /** What is known, of which a new actor is told what concerns it. */
  readonly objects: () => Iterable<KubeObject>;
  readonly act: (actor: WorldActor, intent: WorldIntent) => void;
  /** Hears of each message that a view has changed; true: it does not arrive. */
  readonly loses?: (to: ActorKey, view: string) => boolean;
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKey['kind'], value: unknown) => void;
}

export class WorldActors {
  readonly #around: Around;
  readonly #views = new Views<WorldActor>(() => {});
  #actors = new Map<string, WorldActor>();

  constructor(around: Around) {
    this.#around = around;
  }

  get all(): readonly WorldActor[] {
    return [...this.#actors.values()];
  }

  find(id: string): WorldActor | undefined {
    return this.#actors.get(id);
  }

  /** All are lost; what objects say in views is still known. */
  clear(): void {
    for (const actor of this.all) this.#views.end(actor, noCause);
    this.#actors = new Map();
  }

  /** Takes over copies of others that know these objects; nobody is told anything. */
  adopt(others: WorldActors, objects: Iterable<readonly [string, KubeObject]>): void {
    for (const [key, one] of objects) this.#views.put(key, entriesOf(one), noCause);
    for (const [id, actor] of others.#actors) {
      const copy = { ...actor, reads: new Map() };
      this.#actors.set(id, copy);
      for (const entry of actor.published.values()) this.#publish(copy, entry);
    }
    // What they read they know already.
    for (const actor of this.all) this.refresh(actor);
    this.#views.changes();
  }

  /** All whom an object concerns hear of it, and those whom it concerned `before` that it does no
   *  more. `key`: of the object. */
  observe(key: string, one: KubeObject, before?: KubeObject, isGone = false): void {
    const news = isGone ? new Map<string, Delivery>() : newsOf(one);
    const left = before === undefined ? [] : removals(before);
    for (const each of left) if (!news.has(actorId(each.to))) this.#deliver(each);
    for (const each of news.values()) this.#deliver(each);
    this.#views.put(key, isGone ? [] : entriesOf(one), noCause);
    this.#wake();
  }

  /** Whoever reads what has changed. */
  #wake(): void {
    for (const { id, view, value, readers } of this.#views.changes()) {
      for (const reader of readers) {
        if (reader.reads.get(id)?.value === value) continue;
        const isLost = this.#around.loses?.(reader.key, view.name) === true;
        if (!isLost) reader.isTouched = true;
        else reader.lostAt ??= this.#around.now();
      }
    }
  }

  /** To be followed by `stabilize`. */
  passDeadlines(): void {
    const now = this.#around.now();
    for (const actor of this.all) {
      if (actor.lostAt !== undefined && actor.lostAt + wakeMs <= now) actor.isTouched = true;
      if (actor.wakesAt === undefined || actor.wakesAt > now) continue;
      actor.wakesAt = undefined;
      actor.isTouched = true;
    }
  }

  /** Until nothing is touched. */
  stabilize(): void {
    for (let round = 0; round < 1_000; round++) {
      const touched = this.all.filter((actor) => actor.isTouched);
      if (touched.length === 0) return;
      for (const actor of touched) {
        actor.isTouched = false;
        this.#reconcile(actor);
      }
    }
    throw new Error('does not come to rest');
  }

  /** What is no news touches nobody, but for the answers to writes. */
  send(actor: WorldActor, event: WorldEvent): void {
    const snapshot = behaviourOf(actor.key.kind).reduce(actor.snapshot, event);
    const isAnswer = /^(?:effect|objects)\./.test(event.type);
    if (snapshot !== actor.snapshot || isAnswer) actor.isTouched = true;
    this.#move(actor, snapshot);
  }

  #reconcile(actor: WorldActor): void {
    this.refresh(actor);
    actor.lostAt = undefined;
    const behaviour = behaviourOf(actor.key.kind);
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.#around.now());
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    actor.wakesAt = first === Infinity ? undefined : first;
    this.#move(actor, snapshot);
    for (const intent of intents) this.#act(actor, intent);
    this.#wake();
  }

  /** It reads what is there now. */
  refresh(actor: WorldActor): void {
    const { reads, reduce } = behaviourOf(actor.key.kind);
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(actor, reads(actor.snapshot));
      if (events.length === 0) return;
      for (const event of events) this.#move(actor, reduce(actor.snapshot, event));
    }
  }

  #publish(actor: WorldActor, entry: Entry): void {
    actor.published.set(`${entry.view.name} ${entry.key}`, entry);
    this.#views.publish(actor.id, entry, noCause);
  }

  #move(actor: WorldActor, snapshot: AnyMachineSnapshot): void {
    this.#around.trace?.(actor.key.kind, snapshot.value);
    actor.snapshot = snapshot;
    const { isOver, reconcile } = behaviourOf(actor.key.kind);
    if (!isOver(snapshot)) return;
    this.#actors.delete(actor.id);
    this.#views.end(actor, noCause);
    const last = reconcile(snapshot, this.#around.now());
    this.#around.trace?.(actor.key.kind, last.snapshot.value);
  }

  #act(actor: WorldActor, intent: Intent): void {
    if (intent.type === 'publish') this.#publish(actor, intent);
    else if (intent.type !== 'answer') this.#around.act(actor, intent);
  }

  #deliver({ to, root, event }: Delivery): void {
    this.send(this.#actorOf(to, root), { ...event });
  }

  /** A new actor hears of everything that is known and concerns it. */
  #actorOf(key: ActorKey, root: ActorKey): WorldActor {
    const id = actorId(key);
    const there = this.#actors.get(id);
    if (there !== undefined) return there;
    const { settings, objects, trace } = this.#around;
    const input = { key, root, settings: settings() };
    const snapshot = behaviourOf(key.kind).start(input);
    const actor: WorldActor = {
      id,
      key,
      root,
      snapshot,
      reads: new Map(),
      published: new Map(),
      wakesAt: undefined,
      lostAt: undefined,
      isTouched: true,
    };
    trace?.(key.kind, snapshot.value);
    this.#actors.set(id, actor);
    for (const one of objects()) {
      const news = newsOf(one).get(id);
      if (news !== undefined) this.send(actor, { ...news.event });
    }
    return actor;
  }
}
