// A little world for the machines: objects in memory, one actor per object that has a life, intents
// applied at once. It behaves like an API server where the machines can tell (uid, generation,
// versions, finalizers, preconditions) and has steps for scheduler, kubelet and garbage collector.
import type { AnyMachineSnapshot } from 'xstate';
import { refKey, actorId } from '#machines/contract/address.ts';
import type { ObjectRef, ActorKey } from '#machines/contract/address.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { GroveSettings } from '#machines/grove/settings.ts';
import { isWatched } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import { behaviourOf } from '#test/support/modules.ts';
import { type WorldActor, WorldActors, type WorldEvent, type WorldIntent } from './world-actors.ts';
import { isLook, isVain, opOf, toldOf } from './world-intents.ts';
import { collect, runPods } from './world-life.ts';
import type { WorldOptions } from './world-options.ts';
import { refOf, Store } from './world-store.ts';
import type { Outcome, WriteIntent } from './world-store.ts';

export type { WorldOptions } from './world-options.ts';

export const settings: GroveSettings = {
  defaultSchedulerName: 'default-scheduler',
  schedulerNames: ['default-scheduler', 'kai-scheduler', 'volcano', 'lpx-scheduler'],
  initContainerImage: 'grove-initc:test',
  isTopologyAware: false,
  makesComputeDomains: true,
};

export interface Written {
  readonly op: Operation;
  readonly ref: ObjectRef;
}

/** An object that takes no other write now, and the actors that want to write to it. */
interface Pause {
  readonly ref: ObjectRef;
  readonly waiters: Set<string>;
}

interface InFlightWrite extends Pause {
  intent: WriteIntent;
  readonly sender: string;
}

export class World extends Store {
  /** Without refused creates of what is not watched. */
  readonly writes: Written[] = [];
  readonly events: Extract<Intent, { type: 'recordEvent' }>[] = [];
  readonly measured: Extract<Intent, { type: 'measure' }>[] = [];
  /** Messages: the view that changed, and whom it wakes. */
  readonly woken: string[] = [];
  readonly #actors = new WorldActors({
    now: () => this.now,
    settings: () => ({ ...settings, ...this.options.settings }),
    objects: () => this.objects.values(),
    act: (actor, intent) => this.#act(actor, intent),
    loses: (to, view) => {
      const isLost = this.options.lose?.(to, view) === true;
      this.woken.push(`${view} ${actorId(to)}${isLost ? ' lost' : ''}`);
      return isLost;
    },
    trace: (kind, value) => this.options.trace?.(kind, value),
  });
  /** What was refused and is not tried again yet, with the actors that want to. */
  readonly #backingOff = new Map<string, Pause>();
  readonly #flying = new Map<string, InFlightWrite>();
  /** What was delivered last, as who no longer gets an object is told to forget it. */
  readonly #seen = new Map<string, KubeObject>();
  options: WorldOptions;

  constructor(options: WorldOptions = {}) {
    super((one, isGone) => this.#observe(one, isGone));
    this.options = options;
  }

  /** A world in the same state that goes its own way. Snapshots and objects are never changed. */
  copy(): World {
    const copy = new World(this.options);
    copy.adopt(this);
    for (const [key, one] of this.#seen) copy.#seen.set(key, one);
    copy.#actors.adopt(this.#actors, this.#seen);
    return copy;
  }

  /** The actors that live, with the state that each is in. */
  states(): readonly { readonly key: ActorKey; readonly value: unknown }[] {
    return this.#actors.all.map(({ key, snapshot }) => ({ key, value: snapshot.value }));
  }

  why(key: ActorKey): readonly string[] {
    const actor = this.#actors.find(actorId(key));
    if (actor === undefined) return [];
    this.#actors.refresh(actor);
    return behaviourOf(key.kind).why(actor.snapshot, this.now);
  }

  /** When the actor looks again at the latest; undefined: it waits for news. */
  wakesAt(key: ActorKey): EpochMs | undefined {
    return this.#actors.find(actorId(key))?.wakesAt;
  }

  snapshotOf(key: ActorKey): AnyMachineSnapshot | undefined {
    return this.#actors.find(actorId(key))?.snapshot;
  }

  /** Reconciles until nothing is touched. */
  stabilize(): void {
    this.#actors.stabilize();
  }

  /** Time passes: what was refused may be tried again, deadlines fire. */
  pass(ms: number): void {
    this.now += ms;
    const refused = Array.from(this.#backingOff.values());
    this.#backingOff.clear();
    for (const { ref, waiters } of refused) {
      for (const id of waiters) this.#tell(id, { type: 'effect.retry', ref });
    }
    this.#actors.passDeadlines();
    this.stabilize();
  }

  /** All actors are lost; new ones see every object again. */
  restart(): void {
    this.#actors.clear();
    this.#backingOff.clear();
    const every = [...this.objects.values()];
    for (const one of this.options.shuffle?.(every) ?? every) this.#observe(one);
    this.stabilize();
  }

  /** The scheduler, the kubelets and the garbage collector do one round of work. */
  live(): void {
    collect(this);
    runPods(this);
    this.stabilize();
  }

  /** Rounds of work until nothing changes any more. */
  converge(rounds = 30): void {
    this.stabilize();
    for (let round = 0; round < rounds; round++) {
      const before = this.version;
      this.live();
      if (this.version === before) return;
    }
    throw new Error('does not converge');
  }

  #observe(one: KubeObject, isGone = false): void {
    const key = refKey(refOf(one));
    const before = this.#seen.get(key);
    if (isGone) this.#seen.delete(key);
    else this.#seen.set(key, one);
    this.#actors.observe(key, one, before, isGone);
  }

  #act(actor: WorldActor, intent: WorldIntent): void {
    if (intent.type === 'recordEvent') this.events.push(intent);
    else if (intent.type === 'listObjects') {
      // Nothing is late here.
      this.#actors.send(actor, { type: 'objects.listed', id: intent.id });
    } else if (intent.type === 'measure') this.measured.push(intent);
    // No actor that lives here has a data plane.
    else if (intent.type !== 'decide' && intent.type !== 'instruct') this.#write(actor, intent);
  }

  /**
   * One write per object at a time: another is dropped, and its actor hears when the first ends.
   */
  #write(actor: WorldActor, intent: WriteIntent): void {
    const key = refKey(intent.ref);
    const id = actorId(actor.key);
    const flying = this.#flying.get(key);
    const busy = flying ?? this.#backingOff.get(key);
    // Of two statuses the latest is kept.
    const isLatest = flying?.intent.type === 'writeStatus' && intent.type === 'writeStatus';
    if (isLatest) flying.intent = intent;
    busy?.waiters.add(id);
    if (busy !== undefined) return;
    if (isWatched(intent.ref.kind) && this.isSo(intent)) return;
    const write: InFlightWrite = { ref: intent.ref, waiters: new Set([id]), intent, sender: id };
    if (this.options.isSlow !== true) return this.#land(write);
    this.#flying.set(key, write);
  }

  /** Slow writes are done, or only the one that `pick` picks. */
  land(pick?: number): void {
    const all = Array.from(this.#flying.values());
    const place = (pick ?? 0) % Math.max(1, all.length);
    for (const write of pick === undefined ? all : all.slice(place, place + 1)) {
      this.#flying.delete(refKey(write.ref));
      this.#land(write);
    }
    this.stabilize();
  }

  #land({ ref, intent, waiters, sender }: InFlightWrite): void {
    const op = opOf[intent.type];
    const refused = this.options.refuse?.(op, ref);
    const outcome: Outcome | 'nothing' =
      refused === undefined
        ? this.apply(intent)
        : {
            ok: false,
            code: refused,
            message: this.options.refusal ?? `${op} refused by the test`,
          };
    if (outcome !== 'nothing' && !isLook(intent, outcome)) this.writes.push({ op, ref });
    if (outcome === 'nothing' || outcome.ok || isVain(intent, outcome)) {
      const done = { type: 'effect.done', op, ref, ...toldOf(intent, this.objects) };
      const again = { type: 'effect.retry', ref };
      for (const id of waiters) this.#tell(id, id === sender ? done : again);
      return;
    }
    const { code, message } = outcome;
    const { now } = this;
    this.#backingOff.set(refKey(ref), { ref, waiters });
    const failed = { type: 'effect.failed', op, ref, code, message, now, retryAt: now + 1 };
    this.#tell(sender, failed);
  }

  #tell(id: string, event: WorldEvent): void {
    const actor = this.#actors.find(id);
    if (actor !== undefined) this.#actors.send(actor, event);
  }
}
