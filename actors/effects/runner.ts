// The only place where an intent becomes an act. Serial per object, bounded in flight, in order of
// priority, each write with a precondition and under the shard's lease; the outcome comes back to
// the actor as events, after the object in the reply was observed. Fed by turn.ts and the
// supervisor.
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
import { Aftermath, type EffectSink, type Failure } from './aftermath.ts';
import { Drain } from './drain.ts';
import { Flows } from './flows.ts';
import { Lanes, type Flight, type Lane, type Pause } from './lane.ts';
import { Patience } from './patience.ts';
import { WriteQueue } from './queue.ts';
import { Recreation } from './recreation.ts';
import { answer, judged, look, sortEchoes, unreadable } from './reply.ts';
import { report } from './report.ts';
import { createdUid, judge, type Verdict } from './verdict.ts';
import { isOutdated, isOvertakenByNews, isWritten, overtakes } from './work.ts';
import { rankOf, requestOf, workOf } from './work.ts';
import type { Work, WriteIntent } from './work.ts';

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
  readonly #lanes = new Lanes();
  readonly #deadlines: Deadlines;
  readonly #flows: Flows;
  readonly #queue: WriteQueue;
  readonly #aftermath: Aftermath;
  readonly #patience: Patience;
  readonly #drain = new Drain();
  readonly #recreation: Recreation;
  #queued = 0;
  #isStopping = false;
  #drained: (() => void) | undefined;

  constructor(options: {
    ports: EffectPorts;
    limits: Limits;
    cache: Cache;
    journal: Journal;
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
    const { random, clock } = ports;
    const resumed = (): void => this.flush();
    const flows = new Flows({ clock, limits, deadlines, random, resumed });
    this.#flows = flows;
    const release = (lane: Lane): void => this.#release(lane);
    this.#patience = new Patience({ clock, deadlines, limits, release });
    const lanes = this.#lanes;
    this.#aftermath = new Aftermath({ lanes, flows, deadlines, limits, clock, random, sink });
    const again = (ref: ObjectRef): void => this.#aftermath.free(lanes.open(ref));
    this.#recreation = new Recreation({ clock, random, deadlines, limits, release: again });
  }

  /** Nothing is in flight and nothing waits to be sent (what backs off does not count). */
  get isIdle(): boolean {
    return this.#queued === 0 && this.#flows.inFlight === 0;
  }

  get queued(): number {
    return this.#queued;
  }

  get inFlight(): number {
    return this.#flows.inFlight;
  }

  /** Takes one intent of an actor. It is sent by `flush`, dropped, or overtakes one that waits. */
  submit(actor: Actor, intent: WriteIntent, cause: Cause, settle: string): void {
    if (this.#isStopping) return;
    const lane = this.#lanes.open(intent.ref);
    if (intent.type === 'writeStatus' && this.#isNeedless(lane, intent)) {
      this.#lanes.tidy(lane);
      return;
    }
    const { queued } = lane;
    const mustWait = (lane.flying ?? lane.pause) !== undefined || this.#recreation.holds(intent);
    const version = this.#cache.at(lane.key)?.version;
    const isThere = version !== undefined;
    if (mustWait || (queued !== undefined && !overtakes(intent, queued.intent, isThere))) {
      lane.waiters.set(actor, cause);
      return;
    }
    if (queued !== undefined && queued.intent.type !== intent.type) {
      lane.waiters.set(queued.actor, queued.cause);
    }
    const epoch = this.#ports.lease.epoch(actor.shard);
    const rank = rankOf(actor, intent, queued);
    this.#withdraw(lane);
    this.#enqueue(lane, workOf(actor, intent, { rank, cause, settle, epoch, version }));
  }

  /** Sends what may be sent now, in order. */
  flush(): void {
    while (!this.#isStopping) {
      const work = this.#queue.pick(this.#flows.maySend);
      if (work === undefined) return;
      this.#send(this.#lanes.open(work.intent.ref), work);
    }
  }

  /** A new generation of the actor's own object, or its end, lifts what it was refused. */
  lift(actor: Actor): void {
    this.#aftermath.lift(actor);
  }

  /** A kind is served that was not. */
  readonly served = (kind: Kind): void => this.#aftermath.served(kind);

  /** The actor's writes that do not proceed, for `why`. */
  blocked(actor: Actor): (Pause & { readonly key: string })[] {
    return this.#lanes
      .pausedBy(actor)
      .flatMap(({ key, pause }) => (pause === undefined ? [] : [{ ...pause, key }]));
  }

  /**
   * The write of ours that a watch event of this object and version is taken to come from: one that
   * is in flight or whose reply was lost. `wasOther` is called if the reply shows another version.
   */
  echoOf(key: string, version: string, wasOther: () => void): Cause | undefined {
    const lane = this.#lanes.find(key);
    if (lane?.flying === undefined) return lane?.lastTry;
    lane.flying.echoes.push({ version, wasOther });
    return lane.flying.link;
  }

  /** Resolves when no write of the shard is in flight, with what was written last of each kind. */
  quiet(shard: number): Promise<Versions> {
    return this.#drain.quiet(shard);
  }

  /** Sends nothing more; resolves when all replies are in, or after the limit's time. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#queue.clear();
    this.#queued = 0;
    this.#deadlines.stop();
    if (this.#flows.inFlight === 0) return;
    const { clock } = this.#ports;
    await new Promise<void>((resolve) => {
      const cancel = clock.at(clock.now() + this.#limits.stopMs, resolve);
      this.#drained = () => {
        cancel();
        resolve();
      };
    });
  }

  /** True when the status says what is written already, or what is being written. */
  #isNeedless(lane: Lane, intent: WriteStatus): boolean {
    const flying = lane.flying?.work.intent;
    if (flying?.type === 'writeStatus') return isEqual(flying.status, intent.status);
    const known = this.#cache.at(lane.key);
    if (known === undefined || known.uid !== intent.uid) return true;
    if (!isWritten(intent, known)) return false;
    if (lane.queued?.intent.type === 'writeStatus') {
      this.#withdraw(lane);
      this.#patience.letGo(lane);
    }
    return true;
  }

  #withdraw(lane: Lane): void {
    if (lane.queued === undefined) return;
    lane.queued.isDropped = true;
    lane.queued = undefined;
    this.#queued--;
  }

  #enqueue(lane: Lane, work: Work): void {
    lane.queued = work;
    this.#queued++;
    const isGoing = this.#cache.at(lane.key)?.object.metadata.deletionTimestamp !== undefined;
    if (this.#patience.mustHold(work, isGoing)) return this.#patience.hold(lane);
    this.#patience.letGo(lane);
    this.#queue.push(work);
  }

  #release(lane: Lane): void {
    if (lane.queued === undefined) return this.#lanes.tidy(lane);
    this.#queue.push(lane.queued);
    this.flush();
  }

  #send(lane: Lane, work: Work): void {
    lane.queued = undefined;
    this.#queued--;
    const { actor, intent } = work;
    if (actor.mode === 'ended' || isOutdated(work)) return this.#aftermath.turnedAway(lane, work);
    if (!this.#isOurs(work)) {
      return this.#aftermath.failed(lane, work, work.cause, notOwner);
    }
    const known = this.#cache.at(lane.key);
    if (isOvertakenByNews(work, known) || this.#recreation.holds(intent)) {
      return this.#aftermath.turnedAway(lane, work);
    }
    const request = requestOf(intent, known);
    if (request === undefined) return this.#aftermath.free(lane);
    this.#patience.wrote(work);
    const link = this.#journal.next(work.cause);
    const flight: Flight = { work, link, since: this.#ports.clock.steady(), echoes: [] };
    lane.flying = flight;
    lane.lastTry = link;
    this.#flows.sent(intent.ref.kind);
    this.#recreation.sent(intent);
    this.#drain.sent(actor.shard);
    void this.#fly(lane, flight, request);
  }

  #isOurs({ actor, epoch }: Work): boolean {
    const { lease } = this.#ports;
    return lease.holds(actor.shard) && lease.epoch(actor.shard) === epoch;
  }

  async #fly(lane: Lane, flight: Flight, request: Write): Promise<void> {
    const { cluster } = this.#ports;
    const { intent } = flight.work;
    const isWanted = (): boolean => this.#isOurs(flight.work);
    const outcome = await answer(() => cluster.write(request, isWanted));
    let verdict = judged(() => judge(intent, outcome));
    if (verdict.type === 'read' && !outcome.ok) {
      verdict = await look(cluster, intent, outcome);
    }
    this.#land(lane, flight, verdict.type === 'read' ? unreadable('no outcome') : verdict);
  }

  /** An observation that breaks us must not keep the lane from being freed. */
  #observe(observation: Observation, shard: number, link: Cause): void {
    try {
      if (observation.type === 'seen') this.#drain.wrote(shard, observation);
      this.#sink.observe(observation, link);
    } catch (error) {
      this.#ports.telemetry.log('error', 'a reply broke', { error: String(error) });
    }
  }

  #land(lane: Lane, flight: Flight, verdict: Exclude<Verdict, { type: 'read' }>): void {
    const { work, link } = flight;
    lane.flying = undefined;
    this.#flows.landed(work.intent.ref.kind, verdict.type === 'done');
    report(this.#journal, this.#ports, flight, verdict);
    sortEchoes(flight, verdict);
    const observations = isWatched(work.intent.ref.kind) ? verdict.observations : [];
    for (const seen of observations) this.#observe(seen, work.actor.shard, link);
    this.#drain.landed(work.actor.shard);
    if (this.#isStopping) {
      if (this.#flows.inFlight === 0) this.#drained?.();
      return;
    }
    const { intent } = work;
    if (verdict.type === 'done') {
      if (intent.type === 'createObject') this.#recreation.created(intent);
      this.#aftermath.succeeded(lane, work, link, createdUid(intent, verdict));
    }
    if (verdict.type === 'failed') this.#aftermath.failed(lane, work, link, verdict);
    this.#recreation.landed(intent);
    this.flush();
  }
}

const notOwner: Failure = {
  code: 'NOT_OWNER',
  message: 'the lease of the shard is not surely held',
  retry: 'backoff',
  afterMs: 0,
};
