// The lease that says that a process is alive: created, renewed, and after it was lost replaced by
// one under another name. One request at a time. Driven by keeper.ts.
import { isNewer } from '#machines/kubernetes/versions.ts';
import type { Telemetry } from '../../ports.ts';
import type { LeaseStore, MemberLease, MemberRecord, StoreOutcome } from './records.ts';
import { passed, type Moment, type Standing } from './standing.ts';
import { sureMs, type Terms } from './terms.ts';
import type { View } from './view.ts';

interface Parts {
  readonly terms: Terms;
  readonly store: LeaseStore;
  readonly view: View;
  readonly standing: Standing;
  readonly log: Telemetry['log'];
  readonly newMember: () => string;
  readonly address?: (() => string | undefined) | undefined;
  readonly now: () => Moment;
  /** The lease is gone, and with it all shards. */
  readonly lost: () => void;
}

export class Membership {
  readonly #parts: Parts;
  id: string;
  /** The lease exists, as far as is known. */
  isIn = false;
  isLeaving = false;
  #isBusy = false;
  /** Steady clock: when the next request is due. */
  #dueAt = 0;
  #sentAt: number | undefined;
  /** A renewal had no answer: the lease may be newer than what is known of it. */
  #isInDoubt = false;
  /** When its creation was first tried under this name. */
  #tried: Moment | undefined;
  #joinedAt = 0;
  #joinedSince = 0;
  /** What the last request came to; empty: all is well. */
  problem = '';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.id = parts.newMember();
  }

  /** The lease exists, or is being made. */
  get isPresent(): boolean {
    return this.isIn || this.#isBusy;
  }

  /** Since a request was last sent; undefined before the first. */
  sinceAttempt(now: Moment): number | undefined {
    return this.#sentAt === undefined ? undefined : now.steady - this.#sentAt;
  }

  joinedFor(now: Moment): number {
    return this.isIn ? now.steady - this.#joinedSince : 0;
  }

  /** Sends what is due; `then` is called when the answer is in. */
  evaluate(then: () => void): void {
    const { view, now } = this.#parts;
    if (this.isIn && view.member(this.id) === undefined) this.#lose('its lease was deleted');
    if (this.#isBusy || now().steady < this.#dueAt || !view.isListed) return;
    if (!this.isIn && this.isLeaving) return;
    this.#isBusy = true;
    void (this.isIn ? this.#renew() : this.#join()).then((isDone) => {
      this.#isBusy = false;
      if (isDone) this.problem = '';
      then();
    });
  }

  /** Says so with the next renewal, which is due now. */
  leave(): void {
    this.isLeaving = true;
    this.#dueAt = 0;
  }

  /** Deletes the lease, whatever its version. */
  async end(): Promise<void> {
    const record = this.#parts.view.member(this.id);
    if (!this.isIn || record === undefined) return;
    this.isIn = false;
    await this.#parts.store.remove(this.id, { uid: record.uid });
  }

  async #join(): Promise<boolean> {
    const { store, view, now } = this.#parts;
    const sent = this.#send();
    if (this.#mayBeDead(sent)) {
      const found = await store.readMember(this.id);
      if (found.ok || found.why !== 'gone') return this.#adopt(found);
      this.#rename();
    }
    this.#tried ??= sent;
    const others = view.members().map(({ joinedAt }) => joinedAt + 1);
    this.#joinedAt = Math.max(Math.floor(sent.wall * 1000), ...others);
    const outcome = await store.create(this.#draft());
    // An earlier attempt without an answer was carried out: it is ours, the name is nobody else's.
    if (!outcome.ok && outcome.why === 'changed') {
      return this.#adopt(await store.readMember(this.id));
    }
    if (!outcome.ok) return this.#failed(outcome);
    this.#enter(outcome.record.version, sent);
    view.take(outcome.record, now().steady);
    return true;
  }

  /** The creation was tried so long ago that others may have seen the lease and, as nobody renewed
   *  it, declared it dead. A second one of that name would be dead for them for ever, and alive for
   *  those who come later, and both would hand shards to and fro. */
  #mayBeDead(now: Moment): boolean {
    return this.#tried !== undefined && passed(this.#tried, now) >= sureMs(this.#parts.terms);
  }

  /** Whoever reads leases drops one that appears under the old name after all, when it was silent
   *  for long enough. */
  #rename(): void {
    this.id = this.#parts.newMember();
    this.#tried = undefined;
  }

  #adopt(found: StoreOutcome): boolean {
    const { view, now } = this.#parts;
    if (!found.ok) return this.#failed(found);
    view.take(found.record, now().steady);
    if (found.record.type === 'member') this.#joinedAt = found.record.joinedAt;
    if (!this.isIn) this.#joinedSince = now().steady;
    this.isIn = true;
    this.#dueAt = 0;
    return true;
  }

  async #renew(): Promise<boolean> {
    const { store, view, standing, now } = this.#parts;
    const record = view.member(this.id);
    if (record === undefined) return false;
    if (this.#isInDoubt) {
      this.#send();
      return this.#look(record);
    }
    const wasLeaving = this.isLeaving;
    const sent = this.#send();
    const outcome = await store.update(this.#draft(), record);
    if (wasLeaving !== this.isLeaving) this.#dueAt = 0;
    if (outcome.ok && outcome.record.uid === record.uid) {
      view.take(outcome.record, now().steady);
      standing.renewed(sent, now());
      return true;
    }
    if (outcome.ok || outcome.why === 'gone')
      return this.#lose('it was silent too long, or its lease deleted');
    if (outcome.why === 'changed') return this.#look(record);
    this.#isInDoubt = outcome.why === 'unknown';
    return this.#failed(outcome);
  }

  /** A renewal without an answer was carried out after all, or somebody else wrote, or it is
   *  over. */
  async #look({ uid, version }: MemberRecord): Promise<boolean> {
    const { store, view, now } = this.#parts;
    const found = await store.readMember(this.id);
    if (found.ok && isNewer(version, found.record.version)) {
      return this.#lose('the server was restored from a backup');
    }
    if (found.ok && found.record.uid === uid) {
      this.#isInDoubt = false;
      view.take(found.record, now().steady);
      this.#dueAt = 0;
      return true;
    }
    if (found.ok || found.why === 'gone') return this.#lose('its lease was deleted');
    return this.#failed(found);
  }

  #enter(version: string, sent: Moment): void {
    const { standing, now, log } = this.#parts;
    this.isIn = true;
    this.#joinedSince = now().steady;
    standing.renewed(sent, now());
    log('info', 'joined', { member: this.id, version });
  }

  #send(): Moment {
    const sent = this.#parts.now();
    this.#sentAt = sent.steady;
    this.#dueAt = sent.steady + this.#parts.terms.retryMs;
    return sent;
  }

  #draft(): MemberLease {
    const address = this.#parts.address?.();
    return {
      type: 'member',
      member: this.id,
      joinedAt: this.#joinedAt,
      leaving: this.isLeaving,
      ...(address === undefined ? {} : { address }),
    };
  }

  #lose(why: string): boolean {
    const { view, log, lost } = this.#parts;
    if (!this.isIn) return false;
    log('error', 'this process lost its lease, and all shards with it', { member: this.id, why });
    this.problem = why;
    view.markDead(this.id);
    this.#rename();
    this.isIn = false;
    this.#isInDoubt = false;
    this.#dueAt = 0;
    lost();
    return false;
  }

  #failed({ message }: Extract<StoreOutcome, { ok: false }>): boolean {
    this.problem = message;
    return false;
  }
}
