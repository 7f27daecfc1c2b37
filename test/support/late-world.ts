// A world for histories: all actors of one process over a model API server whose news come late, in
// another order and twice, and whose answers are lost. The process is the pure behaviours with the
// cache and the table of verdicts of the runtime; nothing happens but what a test asks for.
import { Cache } from '#actors/mail/cache.ts';
import type { Observation } from '#actors/ports.ts';
import { refKey, actorId } from '#machines/contract/address.ts';
import type { ListObjects } from '#machines/contract/intents.ts';
import { isWatched } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { LateStore } from './late-store.ts';
import { type Fate, LateWrites, type MachineEvent } from './late-writes.ts';
import { WorldActors } from './world-actors.ts';
import { isSelected } from './world-intents.ts';
import { collect, runPods } from './world-life.ts';
import { refOf, type WriteIntent } from './world-store.ts';
import { settings } from './world.ts';

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
  #actors = this.#nobody();
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
    return this.#actors.all.length;
  }

  get inFlight(): readonly WriteIntent[] {
    return this.#writes.inFlight;
  }

  /** The news of one object reach the process. */
  deliver(pick: number, isWhole: boolean): void {
    const news = this.store.next(pick, isWhole);
    for (const each of news) this.#observe(each.one, each.isGone);
    this.#actors.stabilize();
  }

  /** What was delivered is delivered again. */
  repeat(pick: number): void {
    const all = [...this.#known.values()];
    const one = all[pick % Math.max(1, all.length)];
    if (one !== undefined) this.#observe(one, false);
    this.#actors.stabilize();
  }

  /** A write that is under way comes to its end. */
  land(pick: number, fate: Fate): void {
    this.#writes.land(pick, fate);
    this.#actors.stabilize();
  }

  /** Time passes: pauses end, deadlines fire. */
  pass(ms: number): void {
    this.store.now += ms;
    this.#writes.resume();
    this.#actors.passDeadlines();
    this.#actors.stabilize();
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
    this.#actors = this.#nobody();
    this.#cache = new Cache({ tombstones: 1_000 });
    this.store.forget();
    for (const one of order([...this.store.objects.values()])) this.#observe(one, false);
    this.#actors.stabilize();
  }

  /** Everything is delivered and answered until nothing is under way; false: that never ends. */
  comeToRest(): boolean {
    for (let round = 0; round < 200; round++) {
      if (this.store.isQuiet && this.inFlight.length === 0) return true;
      while (!this.store.isQuiet) {
        for (const each of this.store.next(0, true)) this.#observe(each.one, each.isGone);
      }
      for (let left = this.inFlight.length; left > 0; left--) this.#writes.land(0, 'answered');
      this.#actors.stabilize();
    }
    return false;
  }

  // -- the process --------------------------------------------------------------------------------

  #observe(one: KubeObject, isGone: boolean): void {
    const ref = refOf(one);
    if (!isWatched(ref.kind)) return;
    if (isGone) return this.#gone(refKey(ref), one.metadata.uid ?? '');
    const before = this.#cache.get(ref)?.object;
    const seen = this.#cache.see(ref.kind, one);
    if (seen === undefined) return;
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
    this.#actors.observe(key, last, last, true);
  }

  #tell(key: string, one: KubeObject, before: KubeObject | undefined): void {
    this.#known.set(key, one);
    this.#actors.observe(key, one, before);
  }

  /** A process that has just started. */
  #nobody(): WorldActors {
    return new WorldActors({
      now: () => this.store.now,
      settings: () => settings,
      objects: () => this.#known.values(),
      act: ({ key }, intent) => {
        if ('ref' in intent) this.#writes.want(actorId(key), intent);
        if (intent.type === 'listObjects') this.#list(actorId(key), intent);
      },
    });
  }

  /** As they are now, whatever was delivered of them. */
  #list(id: string, intent: ListObjects): void {
    for (const one of this.store.objects.values()) {
      if (refOf(one).kind === intent.kind && isSelected(intent, one)) this.#observe(one, false);
    }
    this.#tellActor(id, { type: 'objects.listed', id: intent.id });
  }

  #take(observation: Observation): void {
    if (observation.type === 'seen') this.#observe(observation.object, false);
    else this.#gone(refKey(observation.ref), observation.uid);
  }

  #tellActor(id: string, event: MachineEvent): void {
    const actor = this.#actors.find(id);
    if (actor === undefined) return;
    this.#actors.send(actor, { ...event });
    // What is wanted is asked anew, also where this was no news.
    if (event.type === 'effect.retry') actor.isTouched = true;
  }
}
