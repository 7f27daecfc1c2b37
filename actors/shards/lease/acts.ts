// Carries out what decide.ts asks for, one write each. What had no answer leaves a doubt: until a
// newer version of the lease is seen, nobody knows who owns the shard. Used by keeper.ts.
import { isNewer } from '#machines/kubernetes/versions.ts';
import type { Telemetry, Versions } from '../../ports.ts';
import type { Action } from './decide.ts';
import type { Holdings } from './holdings.ts';
import type { Draft, LeaseRecord, LeaseStore, OwnerRecord, StoreOutcome } from './records.ts';
import type { Moment } from './standing.ts';
import type { View } from './view.ts';

interface Parts {
  readonly store: LeaseStore;
  readonly view: View;
  readonly holdings: Holdings;
  readonly log: Telemetry['log'];
  readonly now: () => Moment;
  /** The member that this process is. */
  readonly self: () => string;
}

export class Acts {
  readonly #parts: Parts;
  /** Versions of shards on which a write of ours had no answer. */
  readonly #doubts = new Map<number, string>();
  /** What our actors wrote last, of shards that are to be handed over. */
  readonly #written = new Map<number, Versions>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Not to be trusted before it is written again. */
  isDoubtful(record: OwnerRecord): boolean {
    const { shard, version } = record;
    return this.#doubts.get(shard) === version || this.#parts.view.isUsedEpoch(record);
  }

  /** The shard begins anew here. */
  forget(shard: number): void {
    this.#written.delete(shard);
  }

  /** Never rejects. */
  async run(action: Action): Promise<StoreOutcome> {
    const { store, view, log } = this.#parts;
    switch (action.type) {
      case 'declareDead': {
        const { member, uid, version } = action.member;
        const outcome = this.#keep(await store.remove(member, { uid, version }), action.member);
        if (outcome.ok) {
          view.markDead(member);
          log('warn', 'a process was silent too long and lost its shards', { member });
        }
        return outcome;
      }
      case 'createShard': {
        const { shard, to, epoch } = action;
        return this.#keep(
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
    const { store, holdings, self, view } = this.#parts;
    if (record.holder === self()) {
      const written = await holdings.drain(shard);
      if (written !== undefined) this.#written.set(shard, written);
    }
    const written = newest(record.written, this.#written.get(shard) ?? {});
    const epoch = holder === '' ? record.epoch : Math.max(record.epoch, view.epoch(shard)) + 1;
    const draft: Draft = { type: 'shard', shard, holder, epoch, written };
    const outcome = await store.update(draft, record);
    // Before the shard is looked at again: what had no answer may have been done.
    if (!outcome.ok && outcome.why === 'unknown') this.#doubts.set(shard, record.version);
    holdings.drained(shard);
    return this.#keep(outcome, record);
  }

  /** `record`: what the write was about. Where that is gone no watch needs to tell it, and a server
   *  that was restored from a backup never will. */
  #keep(outcome: StoreOutcome, record?: LeaseRecord): StoreOutcome {
    const { view, now } = this.#parts;
    if (outcome.ok && outcome.record.type === 'shard') view.take(outcome.record, now().steady);
    if (!outcome.ok && outcome.why === 'gone' && record !== undefined) {
      view.drop(record, now().steady);
    }
    return outcome;
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

/** The lease that the action writes, in words: for logs, and for one write at a time. */
export const keyOf = (action: Action): string => {
  if (action.type === 'declareDead') return `member ${action.member.member}`;
  return `shard ${action.type === 'createShard' ? action.shard : action.record.shard}`;
};
