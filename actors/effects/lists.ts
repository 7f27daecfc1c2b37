// Lists that actors ask for: consistent reads of some objects, for whoever must know what is there
// now and not what the watch has told so far. What a list brings is observed, and then the actor
// hears that it was. All who want the same when it is sent share one list, and of that one is in
// flight at a time; who fails does not ask again before a pause. Fed by actor-runner.ts.
import { CoppiceError, isRetryable } from '#machines/contract/errors.ts';
import type { ListObjects } from '#machines/contract/intents.ts';
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

/** What one actor asks for under one id. */
interface ActorRequest {
  readonly actor: Actor;
  intent: ListObjects;
  cause: Cause;
  /** Of the shard's lease when it was asked for. */
  epoch: number;
  /** `resting`: it failed, and may be tried again. */
  phase: 'queued' | 'flying' | 'paused' | 'resting';
  /** That it waits for. */
  list: SharedList | undefined;
  /** In a row. */
  failures: number;
  /** It was asked for during the pause. */
  isWanted: boolean;
}

/** A list of the same objects serves all who asked before it is sent. */
interface SharedList {
  readonly key: string;
  readonly intent: ListObjects;
  /** Without any nobody waits for it: it is not sent, or it is aborted. */
  readonly waiting: Set<ActorRequest>;
  readonly abort: AbortController;
}

export class ActorLists {
  readonly #parts: Parts;
  readonly #byActor = new Map<Actor, Map<string, ActorRequest>>();
  /** By what is listed; first come, first sent. */
  readonly #queue = new Map<string, SharedList>();
  readonly #flying = new Map<string, SharedList>();
  readonly #later: RetryLater;
  #isStopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#later = new RetryLater(parts.ports.clock, parts.deadlines);
  }

  /** Nothing is in flight and nothing waits to be sent (what backs off does not count). */
  get isIdle(): boolean {
    return (
      this.#flying.size === 0 && [...this.#queue.keys()].every((key) => this.#later.isHeld(key))
    );
  }

  /** Throws where nobody would be told of the objects: their kind is not watched. */
  submit(actor: Actor, intent: ListObjects, cause: Cause): void {
    if (!isWatched(intent.kind)) {
      throw new CoppiceError('ASSERTION', `${intent.kind} is not watched, so nothing keeps it`);
    }
    if (this.#isStopped) return;
    const request = this.#open(actor, intent, cause);
    if (request.phase === 'flying') return;
    if (request.phase === 'paused') {
      request.isWanted = true;
      return;
    }
    const epoch = this.#parts.ports.lease.epoch(actor.shard);
    Object.assign(request, { intent, cause, epoch });
    this.#enqueue(request);
    this.#flush();
  }

  /** The actor starts anew, is parked or has ended: it hears of none that it asked for before. */
  forget(actor: Actor): void {
    for (const request of this.#byActor.get(actor)?.values() ?? []) this.#end(request);
    this.#flush();
  }

  /** Sends nothing more, and waits for nothing that is in flight. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.clear();
    for (const { abort } of this.#flying.values()) abort.abort();
    this.#flying.clear();
  }

  #open(actor: Actor, intent: ListObjects, cause: Cause): ActorRequest {
    const mine = entryOf(this.#byActor, actor, () => new Map<string, ActorRequest>());
    return entryOf(mine, intent.id, () => ({
      ...{ actor, intent, cause },
      epoch: 0,
      phase: 'resting',
      list: undefined,
      failures: 0,
      isWanted: false,
    }));
  }

  #end(request: ActorRequest): void {
    const { actor, intent } = request;
    this.#leave(request);
    this.#parts.deadlines.clear(timerOf(request));
    const mine = this.#byActor.get(actor);
    mine?.delete(intent.id);
    if (mine?.size === 0) this.#byActor.delete(actor);
  }

  /** Where it waits already it keeps its turn. */
  #enqueue(request: ActorRequest): void {
    const { intent } = request;
    const key = keyOf(intent);
    if (request.list?.key === key) return;
    this.#leave(request);
    request.phase = 'queued';
    request.list = entryOf(this.#queue, key, () => {
      return { key, intent, waiting: new Set<ActorRequest>(), abort: new AbortController() };
    });
    request.list.waiting.add(request);
  }

  #leave(request: ActorRequest): void {
    const { list, phase } = request;
    list?.waiting.delete(request);
    if (list === undefined || list.waiting.size > 0) return;
    (phase === 'queued' ? this.#queue : this.#flying).delete(list.key);
    list.abort.abort();
  }

  #flush(): void {
    for (const [key, list] of this.#queue) {
      if (this.#flying.size >= this.#parts.limits.listsInFlight) return;
      if (this.#flying.has(key) || this.#later.isHeld(key)) continue;
      this.#queue.delete(key);
      this.#flying.set(key, list);
      void this.#send(list);
    }
  }

  async #send(list: SharedList): Promise<void> {
    const { key, waiting } = list;
    for (const request of waiting) request.phase = 'flying';
    const outcome = await this.#list(list);
    if (this.#isStopped) return;
    if (outcome.ok) this.#observe(list, outcome);
    else this.#later.hold(key, outcome.retryAfterMs ?? 0, () => this.#flush());
    if (waiting.size > 0) this.#flying.delete(key);
    for (const request of waiting) {
      request.list = undefined;
      this.#conclude(request, outcome);
    }
    this.#flush();
  }

  #list({ intent, waiting, abort }: SharedList): Promise<Listed> {
    const { cluster, lease } = this.#parts.ports;
    const isWanted = (): boolean =>
      waiting
        .values()
        .some(({ actor: { shard }, epoch }) => lease.holds(shard) && lease.epoch(shard) === epoch);
    if (!isWanted()) return Promise.resolve(notOwner);
    const none: Promise<Listed> = Promise.resolve({ ok: true, objects: [] });
    return answer(() => cluster.list?.(intent.kind, intent, isWanted, abort.signal) ?? none);
  }

  /** Also where nobody waits any more: nobody else is told of what a list has brought. */
  #observe({ intent: { kind } }: SharedList, { objects }: Extract<Listed, { ok: true }>): void {
    const { sink, ports } = this.#parts;
    for (const object of objects) {
      try {
        sink.observe({ type: 'seen', kind, object });
      } catch (error) {
        ports.telemetry.log('error', 'an object of a list broke', { error: String(error) });
      }
    }
  }

  #conclude(request: ActorRequest, outcome: Listed): void {
    const { actor, intent, cause } = request;
    const event = { type: 'objects.listed', id: intent.id } as const;
    if (outcome.ok) this.#end(request);
    else this.#pause(request, outcome);
    const failure = outcome.ok ? {} : { error: `${outcome.code}: ${outcome.message}` };
    this.#parts.sink.signal(actor, { ...event, ...failure }, cause, false);
  }

  #pause(request: ActorRequest, { code, message, retryAfterMs = 0 }: Failure): void {
    const { ports, limits, deadlines, touch } = this.#parts;
    const { actor, intent } = request;
    const { controller } = actor.behaviour;
    const { namespace, name } = actor.key;
    ports.telemetry.reconcileError({ controller, code });
    const fields = { controller, namespace, name, kind: intent.kind, code, message };
    ports.telemetry.log(isRetryable(code) ? 'info' : 'warn', 'a list failed', fields);
    request.failures++;
    request.phase = 'paused';
    request.isWanted = false;
    const { random } = ports;
    const ms = retryPauseMs({ limits, random }, { code, afterMs: retryAfterMs }, request.failures);
    deadlines.after(timerOf(request), ms, () => {
      request.phase = 'resting';
      // Who does not ask again in this time has given it up.
      deadlines.after(timerOf(request), limits.repeatMs, () => {
        if (request.phase === 'resting') this.#end(request);
      });
      if (request.isWanted && actor.mode === 'alive') touch(actor, request.cause);
    });
  }
}

type Failure = Extract<Listed, { ok: false }>;

const timerOf = ({ actor, intent }: ActorRequest): string => `list ${actor.id}\n${intent.id}`;

const keyOf = ({ kind, labels, namespaces }: ListObjects): string =>
  `lists ${kind} ${JSON.stringify([labels, namespaces])}`;
