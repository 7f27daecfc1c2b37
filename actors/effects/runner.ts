// The only place where an intent becomes an act. Serial per object, bounded in flight, in order of
// priority, each write with a precondition and under the shard's lease; the outcome comes back to
// the actor as events, after the object in the reply was observed. Fed by actor-runner.ts.
import type { ObjectRef } from '#machines/contract/address.ts';
import type { WriteStatus } from '#machines/contract/intents.ts';
import { isWatched, type Kind } from '#machines/kinds.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Limits } from '../limits.ts';
import type { Cache } from '../mail/cache.ts';
import type { Cause, Journal } from '../mail/causality.ts';
import type { Clock, ClusterPort, Observation, Random, ShardLease } from '../ports.ts';
import type { Telemetry, Versions, Write } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import { Deadlines } from '../run/deadlines.ts';
import { WriteCompletion, type EffectSink } from './completion.ts';
import { ConcurrencyLimiter } from './concurrency.ts';
import { CreateBackoff } from './create-backoff.ts';
import { InFlightByShard } from './in-flight.ts';
import { WritesByObject } from './object-writes.ts';
import type { BlockedWrite, InFlightWrite, ObjectWrites, Pause } from './object-writes.ts';
import type { Precedence } from './precedence.ts';
import { WriteQueue } from './queue.ts';
import { answer, judged, look, notOwner, sortEchoes, unreadable } from './reply.ts';
import { report } from './report.ts';
import { StatusThrottle } from './status-throttle.ts';
import { createdUid, failed, judge, type Verdict } from './verdict.ts';
import { isOutdated, isOvertakenByNews, isWritten, overtakes } from './work.ts';
import { rankOf, requestOf, workOf, type Rank, type Work, type WriteIntent } from './work.ts';

export interface EffectPorts {
  readonly cluster: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: ShardLease;
  readonly telemetry: Telemetry;
}

export class Effects {
  readonly #ports: EffectPorts;
  readonly #limits: Limits;
  readonly #cache: Cache;
  readonly #journal: Journal;
  readonly #sink: EffectSink;
  readonly #objects = new WritesByObject();
  readonly #deadlines: Deadlines;
  readonly #limiter: ConcurrencyLimiter;
  readonly #queue: WriteQueue;
  readonly #precedence: Precedence;
  readonly #completion: WriteCompletion;
  readonly #statusThrottle: StatusThrottle;
  readonly #inFlightByShard = new InFlightByShard();
  readonly #createBackoff: CreateBackoff;
  #queued = 0;
  #isStopping = false;
  #drained: (() => void) | undefined;

  constructor(options: {
    ports: EffectPorts;
    limits: Limits;
    cache: Cache;
    journal: Journal;
    precedence: Precedence;
    sink: EffectSink;
  }) {
    const { ports, limits, sink } = options;
    this.#ports = ports;
    this.#limits = limits;
    this.#cache = options.cache;
    this.#journal = options.journal;
    this.#sink = sink;
    const deadlines = new Deadlines(ports.clock);
    this.#deadlines = deadlines;
    this.#queue = new WriteQueue(limits);
    this.#precedence = options.precedence;
    options.precedence.onResume(() => this.flush());
    const { random, clock } = ports;
    const resumed = (): void => this.flush();
    const limiter = new ConcurrencyLimiter({ clock, limits, deadlines, random, resumed });
    this.#limiter = limiter;
    const release = (writes: ObjectWrites): void => this.#release(writes);
    this.#statusThrottle = new StatusThrottle({ clock, deadlines, limits, release });
    const objects = this.#objects;
    const parts = { objects, limiter, deadlines, limits, clock, random, sink };
    this.#completion = new WriteCompletion(parts);
    const again = (ref: ObjectRef): void => this.#completion.free(objects.open(ref));
    this.#createBackoff = new CreateBackoff({ clock, random, deadlines, limits, release: again });
  }

  /** Nothing is in flight and nothing waits to be sent (what backs off does not count). */
  get isIdle(): boolean {
    return this.#queued === 0 && this.#limiter.inFlight === 0;
  }

  /** Takes one intent of an actor. It is sent by `flush`, dropped, or overtakes one that waits. */
  submit(actor: Actor, intent: WriteIntent, cause: Cause, reconcileId: string): void {
    if (this.#isStopping) return;
    const writes = this.#objects.open(intent.ref);
    if (intent.type === 'writeStatus' && this.#isNeedless(writes, intent)) {
      this.#objects.tidy(writes);
      return;
    }
    const { queued, refused } = writes;
    const mustWait =
      (writes.flying ?? writes.pause) !== undefined || this.#createBackoff.holds(intent);
    const version = this.#cache.at(writes.key)?.version;
    const how = { isThere: version !== undefined, refused };
    if (mustWait || (queued !== undefined && !overtakes(intent, queued.intent, how))) {
      writes.waiters.set(actor, cause);
      return;
    }
    if (queued !== undefined && queued.intent.type !== intent.type) {
      writes.waiters.set(queued.actor, queued.cause);
    }
    const epoch = this.#ports.lease.epoch(actor.shard);
    const rank = rankOf(actor, intent, queued);
    this.#withdraw(writes);
    this.#enqueue(writes, workOf(actor, intent, { rank, cause, reconcileId, epoch, version }));
  }

  /** Sends what may be sent now, in order. */
  flush(): void {
    const mayGo = (rank: Rank): boolean => this.#precedence.maySend(rank);
    while (!this.#isStopping) {
      const work = this.#queue.pick(this.#limiter.maySend, mayGo);
      if (work === undefined) return;
      this.#send(this.#objects.open(work.intent.ref), work);
    }
  }

  readonly lift = (actor: Actor): void => this.#completion.lift(actor);
  readonly served = (kind: Kind): void => this.#completion.served(kind);

  /** The actor's writes that do not proceed, for `why`. */
  blocked(actor: Actor): (Pause & { readonly key: string })[] {
    return this.#objects
      .pausedBy(actor)
      .flatMap(({ key, pause }) => (pause === undefined ? [] : [{ ...pause, key }]));
  }

  /** Those of all actors, for overviews. */
  allBlocked(): Iterable<BlockedWrite> {
    return this.#objects.blocked();
  }

  /**
   * The write of ours that a watch event of this object and version is taken to come from: one that
   * is in flight or whose reply was lost. `wasOther` is called if the reply shows another version.
   */
  echoOf(key: string, version: string, wasOther: () => void): Cause | undefined {
    const writes = this.#objects.find(key);
    if (writes?.flying === undefined) return writes?.lastTry;
    writes.flying.echoes.push({ version, wasOther });
    return writes.flying.link;
  }

  /** Resolves when no write of the shard is in flight, with what was written last of each kind. */
  quiet(shard: number): Promise<Versions> {
    return this.#inFlightByShard.quiet(shard);
  }

  /** Sends nothing more; resolves when all replies are in, or after the limit's time. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#queued = 0;
    this.#deadlines.stop();
    if (this.#limiter.inFlight === 0) return;
    const { clock } = this.#ports;
    await new Promise<void>((resolve) => {
      const cancel = clock.at(clock.now() + this.#limits.stopMs, resolve);
      this.#drained = () => {
        cancel();
        resolve();
      };
    });
  }

  /** True when the status says what is written already, or what is being written. What an actor
   *  that has ended is writing may fail, and nobody would hear of it. */
  #isNeedless(writes: ObjectWrites, intent: WriteStatus): boolean {
    const { actor, intent: flying } = writes.flying?.work ?? {};
    if (flying?.type === 'writeStatus' && actor?.mode !== 'ended') {
      return isEqual(flying.status, intent.status);
    }
    const known = this.#cache.at(writes.key);
    if (known === undefined || known.uid !== intent.uid) return true;
    if (!isWritten(intent, known)) return false;
    if (writes.queued?.intent.type === 'writeStatus') {
      this.#withdraw(writes);
      this.#statusThrottle.letGo(writes);
    }
    return true;
  }

  #withdraw(writes: ObjectWrites): void {
    if (writes.queued === undefined) return;
    writes.queued.isDropped = true;
    writes.queued = undefined;
    this.#queued--;
  }

  #enqueue(writes: ObjectWrites, work: Work): void {
    writes.queued = work;
    this.#queued++;
    const isGoing = this.#cache.at(writes.key)?.object.metadata.deletionTimestamp !== undefined;
    if (this.#statusThrottle.mustHold(work, isGoing)) return this.#statusThrottle.hold(writes);
    this.#statusThrottle.letGo(writes);
    this.#queue.push(work);
  }

  #release(writes: ObjectWrites): void {
    if (writes.queued === undefined) return this.#objects.tidy(writes);
    this.#queue.push(writes.queued);
    this.flush();
  }

  #send(writes: ObjectWrites, work: Work): void {
    writes.queued = undefined;
    this.#queued--;
    const { actor, intent } = work;
    if (actor.mode === 'ended' || isOutdated(work))
      return this.#completion.turnedAway(writes, work);
    if (!this.#isOurs(work)) {
      return this.#completion.failed(writes, work, work.cause, failed(notOwner, 'backoff'));
    }
    const known = this.#cache.at(writes.key);
    if (isOvertakenByNews(work, known) || this.#createBackoff.holds(intent)) {
      return this.#completion.turnedAway(writes, work);
    }
    const request = requestOf(intent, known);
    if (request === undefined) return this.#completion.free(writes);
    this.#statusThrottle.wrote(work);
    const link = this.#journal.next(work.cause);
    const current: InFlightWrite = { work, link, since: this.#ports.clock.steady(), echoes: [] };
    writes.flying = current;
    writes.lastTry = link;
    this.#limiter.sent(intent.ref.kind);
    this.#precedence.sent(work.rank);
    this.#createBackoff.sent(intent);
    void this.#fly(writes, current, request);
  }

  #isOurs({ actor, epoch }: Work): boolean {
    const { lease } = this.#ports;
    return lease.holds(actor.shard) && lease.epoch(actor.shard) === epoch;
  }

  async #fly(writes: ObjectWrites, current: InFlightWrite, request: Write): Promise<void> {
    const { cluster } = this.#ports;
    const { actor, intent } = current.work;
    const isGivenUp = this.#inFlightByShard.sent(actor.shard);
    const isWanted = (): boolean => !isGivenUp() && this.#isOurs(current.work);
    const outcome = await answer(() => cluster.write(request, isWanted));
    let verdict = judged(() => judge(intent, outcome));
    if (verdict.type === 'read' && !outcome.ok) {
      verdict = await look(cluster, intent, outcome);
    }
    this.#complete(writes, current, verdict.type === 'read' ? unreadable('no outcome') : verdict);
  }

  /** An observation that breaks us must not keep the object from being freed. */
  #observe(observation: Observation, shard: number, link: Cause): void {
    try {
      if (observation.type === 'seen') this.#inFlightByShard.wrote(shard, observation);
      this.#sink.observe(observation, link);
    } catch (error) {
      this.#ports.telemetry.log('error', 'a reply broke', { error: String(error) });
    }
  }

  #complete(
    writes: ObjectWrites,
    current: InFlightWrite,
    verdict: Exclude<Verdict, { type: 'read' }>,
  ): void {
    const { work, link } = current;
    writes.flying = undefined;
    this.#limiter.landed(work.intent.ref.kind, verdict.type === 'done');
    this.#precedence.landed(work.rank);
    report(this.#journal, this.#ports, current, verdict);
    sortEchoes(current, verdict);
    const observations = isWatched(work.intent.ref.kind) ? verdict.observations : [];
    for (const seen of observations) this.#observe(seen, work.actor.shard, link);
    this.#inFlightByShard.landed(work.actor.shard);
    if (this.#isStopping) {
      if (this.#limiter.inFlight === 0) this.#drained?.();
      return;
    }
    const { intent } = work;
    if (verdict.type === 'done') {
      if (intent.type === 'createObject') this.#createBackoff.created(intent);
      this.#completion.succeeded(writes, work, link, createdUid(intent, verdict));
    }
    if (verdict.type === 'failed') this.#completion.failed(writes, work, link, verdict);
    this.#createBackoff.landed(intent);
    if ('urgency' in intent && intent.urgency === 'first') this.#sink.hurry();
    this.flush();
  }
}
