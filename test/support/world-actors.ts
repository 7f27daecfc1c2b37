// The actors of a little world: made when something concerns them, told, stepped and settled as in
// the runtime, and their messages carried. What else they intend is done by the world around them.
// Used by world.ts and late-world.ts.
import type { AnyMachineSnapshot } from 'xstate';
import type { MachineSettings } from '#machines/behaviour.ts';
import { behaviourOf } from '#test/support/modules.ts';
import type { KubeObject } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey, Delivery, EpochMs, Intent } from '#machines/vocabulary.ts';
import { Board, farewells, newsOf } from './world-news.ts';

export interface WorldActor {
  readonly key: ActorKey;
  readonly root: ActorKey;
  snapshot: AnyMachineSnapshot;
  wakesAt: EpochMs | undefined;
  isTouched: boolean;
}

export interface WorldEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

type Tell = Extract<Intent, { type: 'tell' }>;

/** Those that the world itself carries out. */
export type WorldIntent = Exclude<Intent, { type: 'tell' }>;

/** The world around the actors. */
export interface Around {
  readonly now: () => EpochMs;
  readonly settings: () => MachineSettings;
  /** What is known, of which a new actor is told what concerns it. */
  readonly objects: () => Iterable<KubeObject>;
  readonly act: (actor: WorldActor, intent: WorldIntent) => void;
  /** True: the message does not arrive. */
  readonly loses?: (message: Tell) => boolean;
  /** Hears of every state that an actor is in. */
  readonly trace?: (kind: ActorKey['kind'], value: unknown) => void;
}

export class WorldActors {
  readonly #around: Around;
  readonly #board = new Board();
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

  /** All are lost; what objects said is still known. */
  clear(): void {
    this.#actors = new Map();
  }

  /** Takes over copies of others that know these objects; nobody is told anything. */
  adopt(others: WorldActors, objects: Iterable<readonly [string, KubeObject]>): void {
    for (const [key, one] of objects) this.#board.heard(key, one, false);
    for (const [id, actor] of others.#actors) {
      this.#actors.set(id, { ...actor });
    }
  }

  /** All whom an object concerns hear of it, and those whom it concerned `before` that it does no
   *  more. `key`: of the object. */
  observe(key: string, one: KubeObject, before?: KubeObject, isGone = false): void {
    const news = isGone ? new Map<string, Delivery>() : newsOf(one);
    const left = before === undefined ? [] : farewells(before);
    for (const each of left) if (!news.has(actorId(each.to))) this.#deliver(each);
    for (const each of news.values()) this.#deliver(each);
    for (const { to, trees, event } of this.#board.heard(key, one, isGone)) {
      for (const actor of this.#actors.values()) {
        const isTold = to.includes(actor.key.kind) && trees?.has(actorId(actor.root)) !== false;
        if (isTold) this.send(actor, { ...event });
      }
    }
  }

  /** To be followed by `settle`. */
  passDeadlines(): void {
    const now = this.#around.now();
    for (const actor of this.all) {
      if (actor.wakesAt === undefined || actor.wakesAt > now) continue;
      actor.wakesAt = undefined;
      actor.isTouched = true;
    }
  }

  /** Until nothing is touched. */
  settle(): void {
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
    if (snapshot !== actor.snapshot || event.type.startsWith('effect.')) actor.isTouched = true;
    this.#move(actor, snapshot);
  }

  #reconcile(actor: WorldActor): void {
    const behaviour = behaviourOf(actor.key.kind);
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.#around.now());
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    actor.wakesAt = first === Infinity ? undefined : first;
    this.#move(actor, snapshot);
    for (const intent of intents) this.#act(actor, intent);
  }

  #move(actor: WorldActor, snapshot: AnyMachineSnapshot): void {
    this.#around.trace?.(actor.key.kind, snapshot.value);
    actor.snapshot = snapshot;
    const { isOver, reconcile } = behaviourOf(actor.key.kind);
    if (!isOver(snapshot)) return;
    this.#actors.delete(actorId(actor.key));
    const last = reconcile(snapshot, this.#around.now());
    this.#around.trace?.(actor.key.kind, last.snapshot.value);
  }

  #act(actor: WorldActor, intent: Intent): void {
    if (intent.type === 'tell') {
      const isLost = this.#around.loses?.(intent) === true;
      if (!isLost) this.send(this.#actorOf(intent.to, actor.root), { ...intent.message });
    } else this.#around.act(actor, intent);
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
    const actor: WorldActor = { key, root, snapshot, wakesAt: undefined, isTouched: false };
    trace?.(key.kind, snapshot.value);
    this.#actors.set(id, actor);
    for (const one of objects()) {
      const news = newsOf(one).get(id);
      if (news !== undefined) this.send(actor, { ...news.event });
    }
    for (const { event } of this.#board.of(actor)) this.send(actor, { ...event });
    return actor;
  }
}
