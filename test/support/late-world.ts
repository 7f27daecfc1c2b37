// A world for histories: all actors of one process over a model API server whose news come late, in
// another order and twice, and whose answers are lost. The process is the pure behaviours with the
// cache and the table of verdicts of the runtime; nothing happens but what a test asks for.
import { initialTransition } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import { Cache } from '#actors/cache.ts';
import type { Observation } from '#actors/ports.ts';
import { behaviours } from '#machines/index.ts';
import { refKey } from '#machines/objects.ts';
import type { KubeObject } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey, Delivery, EpochMs, Intent } from '#machines/vocabulary.ts';
import { LateStore } from './late-store.ts';
import { type Fate, LateWrites, type MachineEvent } from './late-writes.ts';
import { quickStepOf } from './step.ts';
import { collect, runPods } from './world-life.ts';
import { Board, farewells, newsOf } from './world-news.ts';
import { refOf, type WriteIntent } from './world-store.ts';
import { settings } from './world.ts';

interface Actor {
  readonly key: ActorKey;
  readonly root: ActorKey;
  snapshot: AnyMachineSnapshot;
  readonly wakes: Map<string, EpochMs>;
  isTouched: boolean;
}

export interface Judge {
  /** Another process begins. */
  restarted(): void;
  /** The process decides to write this. */
  decided(intent: WriteIntent, world: LateWorld): void;
  /** The server has carried it out. */
  landed(intent: WriteIntent, world: LateWorld): void;
}

export class LateWorld {
  readonly store = new LateStore();
  #cache = new Cache({ tombstones: 1_000 });
  readonly #known = new Map<string, KubeObject>();
  #board = new Board();
  #actors = new Map<string, Actor>();
  readonly #writes: LateWrites;
  readonly #judge: Judge;

  constructor(judge: Judge) {
    this.#judge = judge;
    this.#writes = new LateWrites({
      store: this.store,
      seen: (ref) => this.#cache.get(ref)?.object,
      decided: (intent) => judge.decided(intent, this),
      landed: (intent) => judge.landed(intent, this),
      observe: (observation) => this.#take(observation),
      tell: (id, event) => this.#tellActor(id, event),
    });
  }

  /** What reached the server, in words. */
  get writes(): readonly string[] {
    return this.#writes.arrived;
  }

  /** The objects that the process knows. */
  get known(): Iterable<KubeObject> {
    return this.#known.values();
  }

  get actors(): number {
    return this.#actors.size;
  }

  get inFlight(): readonly WriteIntent[] {
    return this.#writes.inFlight;
  }

  /** The news of one object reach the process. */
  deliver(pick: number, isWhole: boolean): void {
    const news = this.store.next(pick, isWhole);
    for (const each of news) this.#observe(each.one, each.isGone);
    this.#settle();
  }

  /** What was delivered is delivered again. */
  repeat(pick: number): void {
    const all = [...this.#known.values()];
    const one = all[pick % Math.max(1, all.length)];
    if (one !== undefined) this.#observe(one, false);
    this.#settle();
  }

  /** A write that is under way comes to its end. */
  land(pick: number, fate: Fate): void {
    this.#writes.land(pick, fate);
    this.#settle();
  }

  /** Time passes: pauses end, deadlines fire. */
  pass(ms: number): void {
    this.store.now += ms;
    this.#writes.resume();
    for (const actor of [...this.#actors.values()]) {
      for (const [name, when] of [...actor.wakes]) {
        if (when > this.store.now) continue;
        actor.wakes.delete(name);
        this.#send(actor, { type: 'deadline.passed', name, now: this.store.now });
      }
    }
    this.#settle();
  }

  /** The scheduler, the kubelets and the collector do one round of work. */
  live(): void {
    collect(this.store);
    runPods(this.store);
  }

  /** Another process: it lists everything. Of what the former had under way some still lands. */
  restart(pick: number, order: <T>(items: readonly T[]) => readonly T[]): void {
    this.#writes.end((at) => ((pick >> (at % 16)) & 1) === 1);
    this.#known.clear();
    this.#judge.restarted();
    this.#actors = new Map();
    this.#cache = new Cache({ tombstones: 1_000 });
    this.#board = new Board();
    this.store.forget();
    for (const one of order([...this.store.objects.values()])) this.#observe(one, false);
    this.#settle();
  }

  /** Everything is delivered and answered until nothing is under way; false: that never ends. */
  comeToRest(): boolean {
    for (let round = 0; round < 200; round++) {
      if (this.store.isQuiet && this.inFlight.length === 0) return true;
      while (!this.store.isQuiet) {
        for (const each of this.store.next(0, true)) this.#observe(each.one, each.isGone);
      }
      for (let left = this.inFlight.length; left > 0; left--) this.#writes.land(0, 'answered');
      this.#settle();
    }
    return false;
  }

  // -- the process --------------------------------------------------------------------------------

  #observe(one: KubeObject, isGone: boolean): void {
    const ref = refOf(one);
    if (isGone) return this.#gone(refKey(ref), one.metadata.uid ?? '');
    const before = this.#cache.get(ref)?.object;
    const seen = this.#cache.see(ref.kind, one);
    if (seen.type === 'stale') return;
    if (seen.replaced !== undefined) this.#tellGone(seen.replaced.key, seen.replaced.object);
    const isSame = before !== undefined && seen.replaced === undefined;
    this.#tell(seen.known.key, one, isSame ? before : undefined);
  }

  #gone(key: string, uid: string): void {
    const known = this.#cache.at(key);
    if (known === undefined) return;
    const gone = this.#cache.gone(known.ref, uid);
    if (gone !== undefined) this.#tellGone(key, gone.object);
  }

  #tellGone(key: string, last: KubeObject): void {
    this.#known.delete(key);
    this.#deliverAll(farewells(last));
    this.#post(key, last, true);
  }

  #tell(key: string, one: KubeObject, before: KubeObject | undefined): void {
    this.#known.set(key, one);
    const now = newsOf(one);
    const left = before === undefined ? [] : farewells(before);
    this.#deliverAll(left.filter(({ to }) => !now.has(actorId(to))));
    this.#deliverAll([...now.values()]);
    this.#post(key, one, false);
  }

  #deliverAll(deliveries: readonly Delivery[]): void {
    for (const { to, root, event } of deliveries) this.#send(this.#actorOf(to, root), { ...event });
  }

  #post(key: string, one: KubeObject, isGone: boolean): void {
    for (const { to, trees, event } of this.#board.heard(key, one, isGone)) {
      for (const actor of [...this.#actors.values()]) {
        const isTold = to.includes(actor.key.kind) && trees?.has(actorId(actor.root)) !== false;
        if (isTold) this.#send(actor, { ...event });
      }
    }
  }

  #actorOf(key: ActorKey, root: ActorKey): Actor {
    const id = actorId(key);
    const there = this.#actors.get(id);
    if (there !== undefined) return there;
    const { machine } = behaviours[key.kind];
    const [snapshot] = initialTransition(machine, { key, root, settings });
    const actor: Actor = { key, root, snapshot, wakes: new Map(), isTouched: false };
    this.#actors.set(id, actor);
    for (const one of this.#known.values()) {
      const news = newsOf(one).get(id);
      if (news !== undefined) this.#send(actor, { ...news.event });
    }
    for (const { event } of this.#board.of(actor)) this.#send(actor, { ...event });
    return actor;
  }

  #send(actor: Actor, event: MachineEvent, touches = true): void {
    const behaviour = behaviours[actor.key.kind];
    const { snapshot, intents } = quickStepOf(behaviour, actor.snapshot, event);
    if (touches && snapshot !== actor.snapshot) actor.isTouched = true;
    actor.snapshot = snapshot;
    if (behaviour.isOver(snapshot)) this.#actors.delete(actorId(actor.key));
    for (const intent of intents) this.#act(actor, intent);
  }

  #settle(): void {
    for (let round = 0; round < 1_000; round++) {
      const touched = [...this.#actors.values()].filter((actor) => actor.isTouched);
      if (touched.length === 0) return;
      for (const actor of touched) {
        actor.isTouched = false;
        this.#send(actor, { type: 'settle', now: this.store.now }, false);
      }
    }
    throw new Error('does not come to rest');
  }

  #act(actor: Actor, intent: Intent): void {
    if (intent.type === 'wakeAt') {
      if (intent.at === null) actor.wakes.delete(intent.name);
      else actor.wakes.set(intent.name, intent.at);
    } else if (intent.type === 'tell') {
      this.#send(this.#actorOf(intent.to, actor.root), { ...intent.message });
    } else if ('ref' in intent) this.#writes.want(actorId(actor.key), intent);
  }

  #take(observation: Observation): void {
    if (observation.type === 'seen') this.#observe(observation.object, false);
    else this.#gone(refKey(observation.ref), observation.uid);
  }

  #tellActor(id: string, event: MachineEvent): void {
    const actor = this.#actors.get(id);
    if (actor === undefined) return;
    this.#send(actor, event);
    // What is wanted is asked anew, also where this was no news.
    if (event.type === 'effect.retry') actor.isTouched = true;
  }
}
