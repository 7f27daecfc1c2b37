// A store of leases that behaves as an API server does, one order of versions for all, with faults:
// requests, answers and events that are late or lost, refusals, a server that is away.
import type { Random } from '#actors/ports.ts';
import type {
  Draft,
  LeaseRecord,
  LeaseStore,
  StoreOutcome,
  StoreSink,
} from '#actors/shards/lease/records.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import type { OwnClock } from './own-clock.ts';

export interface Faults {
  /** Chance that a request is lost on its way, or its answer. */
  lost: number;
  /** Chance of a 409 for no reason, as a foreign writer would cause it. */
  changed: number;
  /** Longest delay of a request, an answer and an event. */
  delayMs: number;
  /** So much later comes each answer, while events come as before. */
  answerDelayMs: number;
  isDown: boolean;
  /** Every request fails at once, as where nobody listens. */
  isRefusing: boolean;
}

/** What etcd is for kube-apiserver: one order of versions over all leases. */
export class LeaseServer {
  readonly clock: VirtualClock;
  readonly #random: Random;
  readonly faults: Faults = {
    lost: 0,
    changed: 0,
    delayMs: 5,
    answerDelayMs: 0,
    isDown: false,
    isRefusing: false,
  };
  /** Those whose requests do not arrive, and who hear of nothing. */
  readonly cutOff = new Set<OwnClock>();
  readonly leases = new Map<string, LeaseRecord>();
  readonly #watchers = new Set<(event: 'seen' | 'gone', record: LeaseRecord) => void>();
  #version = 100;
  /** By outcome, of writes. */
  readonly writes = { ok: 0, changed: 0, gone: 0 };
  /** Requests that were tried, watches and lists apart. */
  calls = 0;

  constructor(clock: VirtualClock, random: Random) {
    this.clock = clock;
    this.#random = random;
  }

  /** The store of one process. */
  store(own: OwnClock): LeaseStore {
    const call = (work: () => StoreOutcome): Promise<StoreOutcome> => this.#call(own, work);
    return {
      create: (draft) => call(() => this.#create(draft)),
      update: (draft, of) => call(() => this.#update(draft, of)),
      readMember: (member) =>
        call(() => {
          const record = this.leases.get(`member ${member}`);
          return record === undefined ? gone : { ok: true, record };
        }),
      remove: (member, of) => call(() => this.remove(`member ${member}`, of)),
      follow: (sink) => this.#follow(own, sink),
    };
  }

  remove(key: string, of: { readonly uid: string; readonly version?: string }): StoreOutcome {
    const record = this.leases.get(key);
    if (record === undefined) return this.#count(gone);
    const isOther = of.version !== undefined && of.version !== record.version;
    if (record.uid !== of.uid || isOther) return this.#count(changed);
    this.leases.delete(key);
    this.#version++;
    this.#tell('gone', { ...record, version: String(this.#version) });
    return this.#count({ ok: true, record });
  }

  #create(draft: Draft): StoreOutcome {
    const key = keyOf(draft);
    if (this.leases.has(key)) return this.#count(changed);
    return this.#put(key, draft, `u${this.#version}`);
  }

  #update(draft: Draft, of: { readonly uid: string; readonly version: string }): StoreOutcome {
    const key = keyOf(draft);
    const record = this.leases.get(key);
    if (record === undefined) return this.#count(gone);
    if (record.uid !== of.uid || record.version !== of.version) return this.#count(changed);
    return this.#put(key, draft, record.uid);
  }

  #put(key: string, draft: Draft, uid: string): StoreOutcome {
    const record: LeaseRecord = { ...draft, uid, version: String(++this.#version) };
    this.leases.set(key, record);
    this.#tell('seen', record);
    return this.#count({ ok: true, record });
  }

  #count(outcome: StoreOutcome): StoreOutcome {
    if (outcome.ok) this.writes.ok++;
    else if (outcome.why === 'changed') this.writes.changed++;
    else if (outcome.why === 'gone') this.writes.gone++;
    return outcome;
  }

  #tell(event: 'seen' | 'gone', record: LeaseRecord): void {
    for (const watcher of [...this.#watchers]) watcher(event, record);
  }

  /** There and back, each late or lost. The answer of a lost request is that there was none. */
  #call(own: OwnClock, work: () => StoreOutcome): Promise<StoreOutcome> {
    const { faults, clock } = this;
    this.calls++;
    if (faults.isRefusing) return Promise.resolve(unknown);
    return new Promise((resolve) => {
      const answer = (outcome: StoreOutcome): void => own.guard(() => resolve(outcome))();
      const cancel = own.at(own.now() + 2_000, () => resolve(unknown));
      if (this.#isAwayFor(own) || this.#random.next() < faults.lost) return;
      clock.at(clock.now() + this.#delay(), () => {
        if (faults.isDown) return;
        const outcome = this.#random.next() < faults.changed ? changed : work();
        if (this.#random.next() < faults.lost) return;
        clock.at(clock.now() + this.#delay() + faults.answerDelayMs, () => {
          cancel();
          answer(outcome);
        });
      });
    });
  }

  #isAwayFor(own: OwnClock): boolean {
    return this.faults.isDown || this.cutOff.has(own);
  }

  #delay(): number {
    return 1 + Math.floor(this.#random.next() * this.faults.delayMs);
  }

  /** Lists, then tells in order; breaks and lists again while the server is away. */
  #follow(own: OwnClock, sink: StoreSink): { refresh: () => void; stop: () => void } {
    let round = 0;
    let end = (): void => undefined;
    const list = (): void => {
      end();
      const mine = ++round;
      const { clock, faults } = this;
      const again = (): void => void own.at(own.now() + 250, () => mine === round && list());
      if (this.#isAwayFor(own) || faults.isRefusing) return again();
      if (this.#random.next() < faults.lost) return again();
      clock.at(clock.now() + this.#delay(), () => {
        const records = [...this.leases.values()];
        const version = String(this.#version);
        let last = clock.now();
        const deliver = (run: () => void): void => {
          last = Math.max(last, clock.now() + this.#delay());
          clock.at(last, () => own.guard(() => mine === round && run())());
        };
        deliver(() => sink.listed(records, version));
        const watcher = (event: 'seen' | 'gone', record: LeaseRecord): void => {
          // A watch that is half open says nothing; it is noticed after a while.
          if (this.#isAwayFor(own) || this.#random.next() < faults.lost) {
            end();
            clock.at(clock.now() + 3_000, again);
          } else deliver(() => sink[event](record));
        };
        if (mine !== round) return;
        this.#watchers.add(watcher);
        end = () => this.#watchers.delete(watcher);
      });
    };
    list();
    const stop = (): void => {
      round++;
      end();
    };
    return { refresh: list, stop };
  }
}

const gone: StoreOutcome = { ok: false, why: 'gone', message: 'not found' };
const changed: StoreOutcome = { ok: false, why: 'changed', message: 'conflict' };
const unknown: StoreOutcome = { ok: false, why: 'unknown', message: 'no answer' };

const keyOf = (draft: Draft): string =>
  draft.type === 'member' ? `member ${draft.member}` : `shard ${draft.shard}`;
