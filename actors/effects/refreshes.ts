// Lists that actors ask for: consistent reads of some objects, for whoever must know what is there
// now and not what the watch has told so far. What a list brings is observed, and then the actor
// hears that it was. One of each name is under way at a time; one that fails is not repeated before
// a pause. Fed by actor-runner.ts.
import { CoppiceError, isRetryable } from '#machines/contract/errors.ts';
import type { RefreshObjects } from '#machines/contract/intents.ts';
import { isWatched } from '#machines/kinds.ts';
import type { Limits } from '../limits.ts';
import type { Cause } from '../mail/causality.ts';
import { entryOf } from '../maps.ts';
import type { Clock, Listed, Random, Telemetry } from '../ports.ts';
import type { ClusterPort, ShardLease } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { Deadlines } from '../run/deadlines.ts';
import type { EffectSink } from './completion.ts';
import { answer, notOwner } from './reply.ts';
import { RetryLater, retryPauseMs } from './retry-later.ts';

interface Parts {
  readonly ports: {
    readonly cluster: ClusterPort;
    readonly clock: Clock;
    readonly random: Random;
    readonly lease: ShardLease;
    readonly telemetry: Telemetry;
  };
  readonly limits: Limits;
  readonly deadlines: Deadlines;
  readonly sink: EffectSink;
  /** The actor may ask again. */
  readonly touch: (actor: Actor, cause: Cause) => void;
}

interface Refresh {
  readonly actor: Actor;
  intent: RefreshObjects;
  cause: Cause;
  /** Of the shard's lease when it was asked for. */
  epoch: number;
  /** `resting`: it failed, and may be tried again. `over`: nobody waits for it any more. */
  phase: 'queued' | 'flying' | 'paused' | 'resting' | 'over';
  /** In a row. */
  failures: number;
  /** It was asked for during the pause. */
  isWanted: boolean;
}

export class Refreshes {
  readonly #parts: Parts;
  readonly #byActor = new Map<Actor, Map<string, Refresh>>();
  #queue: Refresh[] = [];
  readonly #later: RetryLater;
  #inFlight = 0;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#later = new RetryLater(parts.ports.clock, parts.deadlines);
  }

  /** Nothing is in flight and nothing waits to be sent (what backs off does not count). */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#queue.every(({ intent }) => this.#later.isHeld(intent));
  }

  /** Throws where nobody would be told of the objects: their kind is not watched. */
  submit(actor: Actor, intent: RefreshObjects, cause: Cause): void {
    if (!isWatched(intent.kind)) {
      throw new CoppiceError('ASSERTION', `${intent.kind} is not watched, so nothing keeps it`);
    }
    if (this.#isStopped) return;
    const refresh = this.#open(actor, intent, cause);
    if (refresh.phase === 'flying') return;
    if (refresh.phase === 'paused') {
      refresh.isWanted = true;
      return;
    }
    const epoch = this.#parts.ports.lease.epoch(actor.shard);
    Object.assign(refresh, { intent, cause, epoch });
    if (refresh.phase === 'queued') return;
    refresh.phase = 'queued';
    this.#queue.push(refresh);
    this.#flush();
  }

  /** The actor starts anew, is parked or has ended: it hears of none that it asked for before. */
  forget(actor: Actor): void {
    for (const refresh of this.#byActor.get(actor)?.values() ?? []) this.#end(refresh);
    this.#queue = this.#queue.filter(({ phase }) => phase === 'queued');
  }

  /** Sends nothing more. What is in flight is let go: it changes nothing. */
  stop(): void {
    this.#isStopped = true;
    this.#queue = [];
  }

  #open(actor: Actor, intent: RefreshObjects, cause: Cause): Refresh {
    const mine = entryOf(this.#byActor, actor, () => new Map<string, Refresh>());
    return entryOf(mine, intent.id, () => ({
      ...{ actor, intent, cause },
      epoch: 0,
      phase: 'resting',
      failures: 0,
      isWanted: false,
    }));
  }

  #end(refresh: Refresh): void {
    const { actor, intent } = refresh;
    refresh.phase = 'over';
    this.#parts.deadlines.clear(timerOf(refresh));
    const mine = this.#byActor.get(actor);
    mine?.delete(intent.id);
    if (mine?.size === 0) this.#byActor.delete(actor);
  }

  #flush(): void {
    while (this.#inFlight < this.#parts.limits.refreshesInFlight) {
      const at = this.#queue.findIndex(({ intent }) => !this.#later.isHeld(intent));
      const [next] = at < 0 ? [] : this.#queue.splice(at, 1);
      if (next === undefined) return;
      void this.#send(next);
    }
  }

  async #send(refresh: Refresh): Promise<void> {
    refresh.phase = 'flying';
    this.#inFlight++;
    const outcome = await this.#list(refresh);
    this.#inFlight--;
    if (this.#isStopped) return;
    if (outcome.ok) this.#observe(refresh, outcome);
    // Over: of an actor that has ended meanwhile, or has asked anew since.
    if (refresh.phase === 'flying') this.#conclude(refresh, outcome);
    this.#flush();
  }

  #list(refresh: Refresh): Promise<Listed> {
    const { cluster, lease } = this.#parts.ports;
    const { actor, intent, epoch } = refresh;
    const isWanted = (): boolean =>
      refresh.phase === 'flying' && lease.holds(actor.shard) && lease.epoch(actor.shard) === epoch;
    if (!isWanted()) return Promise.resolve(notOwner);
    const none: Promise<Listed> = Promise.resolve({ ok: true, objects: [] });
    return answer(() => cluster.list?.(intent.kind, intent, isWanted) ?? none);
  }

  /** Also where the actor has ended: nobody else is told of what a list has brought. */
  #observe({ intent: { kind } }: Refresh, { objects }: Extract<Listed, { ok: true }>): void {
    const { sink, ports } = this.#parts;
    for (const object of objects) {
      try {
        sink.observe({ type: 'seen', kind, object });
      } catch (error) {
        ports.telemetry.log('error', 'an object of a list broke', { error: String(error) });
      }
    }
  }

  #conclude(refresh: Refresh, outcome: Listed): void {
    const { actor, intent, cause } = refresh;
    const event = { type: 'objects.refreshed', id: intent.id } as const;
    if (outcome.ok) this.#end(refresh);
    else this.#pause(refresh, outcome);
    const failure = outcome.ok ? {} : { error: `${outcome.code}: ${outcome.message}` };
    this.#parts.sink.signal(actor, { ...event, ...failure }, cause, false);
  }

  #pause(refresh: Refresh, { code, message, retryAfterMs = 0 }: Failure): void {
    const { ports, limits, deadlines, touch } = this.#parts;
    const { actor, intent } = refresh;
    const { controller } = actor.behaviour;
    const { namespace, name } = actor.key;
    ports.telemetry.reconcileError({ controller, code });
    const fields = { controller, namespace, name, kind: intent.kind, code, message };
    ports.telemetry.log(isRetryable(code) ? 'info' : 'warn', 'a list failed', fields);
    this.#later.hold(intent, retryAfterMs, () => this.#flush());
    refresh.failures++;
    refresh.phase = 'paused';
    refresh.isWanted = false;
    const { random } = ports;
    const ms = retryPauseMs({ limits, random }, { code, afterMs: retryAfterMs }, refresh.failures);
    deadlines.after(timerOf(refresh), ms, () => {
      refresh.phase = 'resting';
      // Who does not ask again in this time has given it up.
      deadlines.after(timerOf(refresh), limits.repeatMs, () => {
        if (refresh.phase === 'resting') this.#end(refresh);
      });
      if (refresh.isWanted && actor.mode === 'alive') touch(actor, refresh.cause);
    });
  }
}

type Failure = Extract<Listed, { ok: false }>;

const timerOf = ({ actor, intent }: Refresh): string => `refresh ${actor.id}\n${intent.id}`;
