// The lease of one process over its shards: joins, renews, takes what it is given, hands over what
// is another's, judges who is dead. Each look at the clock or at a lease ends in `evaluate`, which
// makes what is held equal to what was seen and starts the writes that decide.ts asks for. Made by
// src/leases; see docs/decisions/0010-leases.md for why it is safe.
import type { Clock, ShardLease, ShardListener, Telemetry } from '../../ports.ts';
import { Acts, keyOf } from './acts.ts';
import { decide, type Action, type Situation } from './decide.ts';
import { Holdings } from './holdings.ts';
import { Membership } from './membership.ts';
import type { Followed, LeaseStore, StoreOutcome } from './records.ts';
import { Standing, type Moment } from './standing.ts';
import { leaveMs, tickMs, type Terms } from './terms.ts';
import { View } from './view.ts';

export interface KeeperPorts {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** A name that no process ever had: one per life. */
  readonly newMember: () => string;
  /** What the lease says of where this process answers questions, as of the next renewal. */
  readonly address?: (() => string | undefined) | undefined;
  /** The lease of this process is gone: it was stopped or cut off for long, or the server was
   *  restored from a backup. What it has read may be out of date without another sign. */
  readonly lost?: (() => void) | undefined;
}

export interface KeeperState {
  readonly member: string;
  readonly isMember: boolean;
  readonly isSure: boolean;
  readonly held: number;
  /** Shards taken or lost so far. */
  readonly changes: number;
  /** Since the last successful renewal was sent; undefined before the first. */
  readonly sinceRenewalMs: number | undefined;
  /** Since a renewal was last tried; undefined before the first. */
  readonly sinceAttemptMs: number | undefined;
  /** What the last request came to; empty: all is well. */
  readonly problem: string;
}

export class LeaseKeeper implements ShardLease {
  readonly #terms: Terms;
  readonly #ports: KeeperPorts;
  readonly #view = new View();
  readonly #standing: Standing;
  readonly #membership: Membership;
  readonly #holdings = new Holdings();
  /** Objects of leases that a write is under way for, or pauses after a failure (steady time). */
  readonly #busy = new Map<string, number>();
  readonly #acts: Acts;
  #followed: Followed | undefined;
  #cancelTick: (() => void) | undefined;
  #left: (() => void) | undefined;
  #isStopped = false;

  constructor(terms: Terms, ports: KeeperPorts) {
    this.#terms = terms;
    this.#ports = ports;
    this.#standing = new Standing(terms);
    const now = (): Moment => this.#now();
    const lost = (): void => this.#lost();
    const parts = { terms, view: this.#view, standing: this.#standing };
    this.#membership = new Membership({ ...ports, ...parts, now, lost });
    const self = (): string => this.#membership.id;
    this.#acts = new Acts({ ...ports, view: this.#view, holdings: this.#holdings, now, self });
  }

  get shards(): number {
    return this.#terms.shards;
  }

  /** Asks the clock at every call: after a pause it is false before anything else has run. */
  holds(shard: number): boolean {
    return this.#holdings.isOpen(shard) && this.#standing.isSure(this.#now());
  }

  runs(shard: number): boolean {
    return this.#holdings.isOpen(shard);
  }

  epoch(shard: number): number {
    return this.#holdings.epoch(shard) ?? this.#view.epoch(shard);
  }

  /** The Lease may still name this process when it has let go for want of a renewal. */
  holder(shard: number): string {
    const named = this.#namedHolder(shard);
    return named === this.#membership.id && !this.runs(shard) ? '' : named;
  }

  address(shard: number): string | undefined {
    return this.#view.member(this.holder(shard))?.address;
  }

  onChange(listener: ShardListener): () => void {
    return this.#holdings.onChange(listener);
  }

  state(): KeeperState {
    const now = this.#now();
    return {
      member: this.#membership.id,
      isMember: this.#membership.isIn,
      isSure: this.#standing.isSure(now),
      held: this.#holdings.size,
      changes: this.#holdings.changes,
      sinceRenewalMs: this.#standing.sinceRenewal(now),
      sinceAttemptMs: this.#membership.sinceAttempt(now),
      problem: this.#membership.problem,
    };
  }

  /** Begins to follow the leases and joins; returns at once. */
  start(): void {
    if (this.#followed !== undefined || this.#isStopped) return;
    const seen = (change: () => void): void => {
      if (this.#isStopped) return;
      change();
      this.#evaluate();
    };
    this.#followed = this.#ports.store.follow({
      listed: (records, version) =>
        seen(() => this.#view.list(records, version, this.#now().steady)),
      seen: (record) => seen(() => this.#view.take(record, this.#now().steady)),
      gone: (record) => seen(() => this.#view.drop(record, this.#now().steady)),
    });
    this.#tick();
  }

  /**
   * Hands every shard over, or gives it back, and deletes the own lease. Bounded in time: where
   * that does not suffice the lease stays, and the others wait until it is over.
   */
  async leave(): Promise<void> {
    if (this.#isStopped) return;
    this.#membership.leave();
    const { clock } = this.#ports;
    let isEmpty = false;
    if (this.#followed !== undefined && this.#membership.isPresent) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(clock.now() + leaveMs, resolve);
        this.#left = () => {
          isEmpty = true;
          cancel();
          resolve();
        };
        this.#evaluate();
      });
    }
    this.#isStopped = true;
    this.#cancelTick?.();
    this.#followed?.stop();
    this.#holdings.closeAll();
    this.#standing.lost();
    if (isEmpty) await this.#membership.end();
  }

  #now(): Moment {
    const { clock } = this.#ports;
    const wall = clock.now();
    return { steady: clock.steady(), wall };
  }

  readonly #tick = (): void => {
    if (this.#isStopped) return;
    const { clock } = this.#ports;
    this.#cancelTick = clock.at(clock.now() + tickMs, this.#tick);
    this.#evaluate();
  };

  #lost(): void {
    this.#standing.lost();
    this.#holdings.closeAll();
    this.#followed?.refresh();
    this.#ports.lost?.();
  }

  #evaluate(): void {
    if (this.#isStopped) return;
    this.#membership.evaluate(() => this.#evaluate());
    const now = this.#now();
    if (this.#standing.isExpired(now)) this.#holdings.closeAll();
    for (let shard = 0; shard < this.#terms.shards; shard++) this.#evaluateShard(shard, now);
    for (const action of decide(this.#situation(now))) this.#act(action, now);
    if (this.#membership.isLeaving && this.#isEmpty()) this.#left?.();
  }

  /** Makes what is held equal to what was seen. */
  #evaluateShard(shard: number, now: Moment): void {
    const record = this.#view.shard(shard);
    const isOurs = record?.holder === this.#membership.id && this.#membership.isIn;
    const epoch = this.#holdings.epoch(shard);
    if (this.#holdings.isClosing(shard)) return;
    if (epoch !== undefined && (!isOurs || epoch !== record.epoch)) this.#holdings.close(shard);
    if (!isOurs || this.#holdings.isOpen(shard) || this.#membership.isLeaving) return;
    if (!this.#standing.isSure(now) || this.#acts.isDoubtful(record)) return;
    this.#acts.forget(shard);
    this.#holdings.open(shard, record.epoch, record.written);
  }

  #situation(now: Moment): Situation {
    return {
      self: this.#membership.id,
      leaving: this.#isKnownToLeave,
      view: this.#view,
      terms: this.#terms,
      now: now.steady,
      sureForMs: this.#standing.sureFor(now),
      joinedForMs: this.#membership.joinedFor(now),
      isDoubtful: (record) => this.#acts.isDoubtful(record),
    };
  }

  /** It is written, so whoever is given a shard from now on will not give it back to us. */
  get #isKnownToLeave(): boolean {
    return this.#view.member(this.#membership.id)?.leaving === true;
  }

  /** The others know that we leave, and no shard is ours any more, as far as was seen. */
  #isEmpty(): boolean {
    if (!this.#membership.isPresent) return true;
    if (!this.#isKnownToLeave) return false;
    if (this.#holdings.size > 0 || [...this.#busy.values()].includes(Infinity)) return false;
    for (let shard = 0; shard < this.#terms.shards; shard++) {
      if (this.#namedHolder(shard) === this.#membership.id) return false;
    }
    return true;
  }

  #act(action: Action, now: Moment): void {
    const key = keyOf(action);
    const pausedUntil = this.#busy.get(key);
    if (pausedUntil !== undefined && now.steady < pausedUntil) return;
    if (this.#mustWait(action)) return;
    this.#busy.set(key, Infinity);
    void this.#acts.run(action).then((outcome) => {
      const isDone = outcome.ok || outcome.why === 'gone';
      if (isDone) this.#busy.delete(key);
      else this.#busy.set(key, this.#now().steady + this.#terms.retryMs);
      if (!outcome.ok) this.#failed(action, outcome);
      this.#evaluate();
    });
  }

  /** Shards move one by one, so that most of what is owned here is served at any moment. Whoever
   *  leaves has no time for that. */
  #mustWait(action: Action): boolean {
    return (
      action.type === 'giveShard' &&
      this.#holdings.isMoving &&
      this.#holdings.isOpen(action.record.shard) &&
      !this.#membership.isLeaving
    );
  }

  #failed(action: Action, { why, message }: Extract<StoreOutcome, { ok: false }>): void {
    if (this.#isStopped) return;
    const fields = { action: keyOf(action), why, message };
    this.#ports.log('warn', 'a lease could not be written', fields);
    if (why !== 'refused') this.#followed?.refresh();
  }

  #namedHolder(shard: number): string {
    return this.#view.shard(shard)?.holder ?? '';
  }
}
