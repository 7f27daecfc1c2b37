// The lease of one process over its shards: joins, renews, takes what it is given, hands over what
// is another's, judges who is dead. Each look at the clock or at a lease ends in `settle`, which
// makes what is held equal to what was seen and starts the writes that decide.ts asks for. Made by
// src/leases; see docs/decisions/0010-leases.md for why it is safe.
import { isNewer } from '../cache.ts';
import type { Clock, ShardLease, ShardListener, Telemetry, Versions } from '../ports.ts';
import { decide } from './decide.ts';
import type { Action, Situation } from './decide.ts';
import { Holdings } from './holdings.ts';
import { Membership } from './membership.ts';
import type { Draft, Followed, LeaseStore, OwnerRecord, StoreOutcome } from './records.ts';
import { Standing } from './standing.ts';
import type { Moment } from './standing.ts';
import { leaveMs, tickMs } from './terms.ts';
import type { Terms } from './terms.ts';
import { View } from './view.ts';

export interface KeeperPorts {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** A name that no process ever had: one per life. */
  readonly newMember: () => string;
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
  /** Versions of shards on which a write of ours had no answer. */
  readonly #doubts = new Map<number, string>();
  readonly #written = new Map<number, Versions>();
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

  holder(shard: number): string {
    return this.#view.shard(shard)?.holder ?? '';
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
      this.#settle();
    };
    this.#followed = this.#ports.store.follow({
      listed: (records, version) =>
        seen(() => this.#view.list(records, version, this.#now().steady)),
      seen: (record) => seen(() => this.#view.take(record, this.#now().steady)),
      gone: (record) => seen(() => this.#view.drop(record, this.#now().steady)),
    });
    this.#tick();
  }

  /** Hands every shard over, or gives it back, and deletes the own lease. Bounded in time. */
  async leave(): Promise<void> {
    if (this.#isStopped) return;
    this.#membership.leave();
    const { clock } = this.#ports;
    if (this.#followed !== undefined && this.#membership.isIn) {
      await new Promise<void>((resolve) => {
        const cancel = clock.at(clock.now() + leaveMs, resolve);
        this.#left = () => {
          cancel();
          resolve();
        };
        this.#settle();
      });
    }
    this.#isStopped = true;
    this.#cancelTick?.();
    this.#followed?.stop();
    this.#holdings.closeAll();
    this.#standing.lost();
    await this.#membership.end();
  }

  #now(): Moment {
    const { clock } = this.#ports;
    const wall = clock.now();
    return { steady: clock.steady?.() ?? wall, wall };
  }

  readonly #tick = (): void => {
    if (this.#isStopped) return;
    const { clock } = this.#ports;
    this.#cancelTick = clock.at(clock.now() + tickMs, this.#tick);
    this.#settle();
  };

  #lost(): void {
    this.#standing.lost();
    this.#holdings.closeAll();
    this.#followed?.refresh();
  }

  #settle(): void {
    if (this.#isStopped) return;
    this.#membership.settle(() => this.#settle());
    const now = this.#now();
    if (this.#standing.isHopeless(now)) this.#holdings.closeAll();
    for (let shard = 0; shard < this.#terms.shards; shard++) this.#settleShard(shard, now);
    for (const action of decide(this.#situation(now))) this.#act(action, now);
    if (this.#membership.isLeaving && this.#isEmpty()) this.#left?.();
  }

  /** Makes what is held equal to what was seen. */
  #settleShard(shard: number, now: Moment): void {
    const record = this.#view.shard(shard);
    const isOurs = record?.holder === this.#membership.id && this.#membership.isIn;
    const epoch = this.#holdings.epoch(shard);
    if (this.#holdings.isClosing(shard)) return;
    if (epoch !== undefined && (!isOurs || epoch !== record.epoch)) this.#holdings.close(shard);
    if (!isOurs || this.#holdings.isOpen(shard) || this.#membership.isLeaving) return;
    if (!this.#standing.isSure(now) || this.#isDoubtful(record)) return;
    this.#written.delete(shard);
    this.#holdings.open(shard, record.epoch, record.written);
  }

  #situation(now: Moment): Situation {
    return {
      self: this.#membership.id,
      leaving: this.#membership.isLeaving,
      view: this.#view,
      terms: this.#terms,
      now: now.steady,
      sureForMs: this.#standing.sureFor(now),
      joinedForMs: this.#membership.joinedFor(now),
      isDoubtful: (record) => this.#isDoubtful(record),
    };
  }

  #isDoubtful({ shard, version }: OwnerRecord): boolean {
    return this.#doubts.get(shard) === version;
  }

  /** The others know that we leave, and no shard is ours any more, as far as was seen. */
  #isEmpty(): boolean {
    if (this.#view.member(this.#membership.id)?.leaving !== true) return false;
    if (this.#holdings.size > 0 || [...this.#busy.values()].includes(Infinity)) return false;
    for (let shard = 0; shard < this.#terms.shards; shard++) {
      if (this.holder(shard) === this.#membership.id) return false;
    }
    return true;
  }

  #act(action: Action, now: Moment): void {
    const key = keyOf(action);
    const pausedUntil = this.#busy.get(key);
    if (pausedUntil !== undefined && now.steady < pausedUntil) return;
    this.#busy.set(key, Infinity);
    void this.#carryOut(action).then((outcome) => {
      const isDone = outcome.ok || outcome.why === 'gone';
      if (isDone) this.#busy.delete(key);
      else this.#busy.set(key, this.#now().steady + this.#terms.retryMs);
      if (!outcome.ok) this.#failed(action, outcome);
      this.#settle();
    });
  }

  async #carryOut(action: Action): Promise<StoreOutcome> {
    const { store } = this.#ports;
    switch (action.type) {
      case 'declareDead': {
        const { member, uid, version } = action.member;
        const outcome = await store.remove(member, { uid, version });
        if (outcome.ok) {
          this.#view.bury(member);
          this.#ports.log('warn', 'a process was silent too long and lost its shards', { member });
        }
        return outcome;
      }
      case 'createShard': {
        const { shard, to, epoch } = action;
        return this.#store(
          await store.create({ type: 'shard', shard, holder: to, epoch, written: {} }),
        );
      }
      case 'giveShard':
        return this.#pass(action.record, action.to);
      case 'returnShard':
        return this.#pass(action.record, '');
    }
  }

  /** Ends our actors of the shard and waits for their writes, then names the next holder. */
  async #pass(record: OwnerRecord, holder: string): Promise<StoreOutcome> {
    const { shard } = record;
    if (record.holder === this.#membership.id) {
      const written = await this.#holdings.drain(shard);
      if (written !== undefined) this.#written.set(shard, written);
    }
    const written = newest(record.written, this.#written.get(shard) ?? {});
    const epoch = holder === '' ? record.epoch : record.epoch + 1;
    const draft: Draft = { type: 'shard', shard, holder, epoch, written };
    const outcome = await this.#ports.store.update(draft, record);
    // Before the shard is looked at again: what had no answer may have been done.
    if (!outcome.ok && outcome.why === 'unknown') this.#doubts.set(shard, record.version);
    this.#holdings.drained(shard);
    return this.#store(outcome);
  }

  #store(outcome: StoreOutcome): StoreOutcome {
    if (outcome.ok && !this.#isStopped) this.#view.take(outcome.record, this.#now().steady);
    return outcome;
  }

  #failed(action: Action, { why, message }: Extract<StoreOutcome, { ok: false }>): void {
    if (this.#isStopped) return;
    this.#ports.log('warn', 'a lease could not be written', {
      action: keyOf(action),
      why,
      message,
    });
    if (why === 'changed' || why === 'gone') this.#followed?.refresh();
  }
}

/** Of each kind the later version. */
function newest(a: Versions, b: Versions): Versions {
  const later = Object.entries(a).filter(([kind, version]) => {
    const other = Object.entries(b).find(([name]) => name === kind);
    return other === undefined || isNewer(version, other[1]);
  });
  return { ...b, ...Object.fromEntries(later) };
}

const keyOf = (action: Action): string => {
  if (action.type === 'declareDead') return `member ${action.member.member}`;
  return `shard ${action.type === 'createShard' ? action.shard : action.record.shard}`;
};
