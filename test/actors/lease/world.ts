// Leases on a virtual clock: a store that behaves as an API server does, with faults, and processes
// whose clocks run at rates of their own and that may be paused as by SIGSTOP. Looks on at every
// instant whether two of them think that they hold the same shard.
import type { KeeperPorts } from '#actors/lease/keeper.ts';
import { LeaseKeeper } from '#actors/lease/keeper.ts';
import type {
  Draft,
  LeaseRecord,
  LeaseStore,
  StoreOutcome,
  StoreSink,
} from '#actors/lease/records.ts';
import type { Terms } from '#actors/lease/terms.ts';
import type { Clock, Random } from '#actors/ports.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';

export const terms: Terms = { shards: 4, durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/** The clock of one process: faster or slower than the world's, and still while paused. What was
 *  due meanwhile happens when it goes on, as with a stopped process; its time goes on regardless. */
export class OwnClock implements Clock {
  readonly #world: VirtualClock;
  readonly #rate: number;
  readonly #start: number;
  readonly #late: (() => void)[] = [];
  isPaused = false;
  isDead = false;

  constructor(world: VirtualClock, rate: number) {
    this.#world = world;
    this.#rate = rate;
    this.#start = world.now();
  }

  now(): number {
    return this.#start + (this.#world.now() - this.#start) * this.#rate;
  }

  steady(): number {
    return this.now();
  }

  at(at: number, run: () => void): () => void {
    const due = this.#start + Math.ceil((at - this.#start) / this.#rate);
    return this.#world.at(due, this.guard(run));
  }

  soon(run: () => void): void {
    this.#world.soon(this.guard(run));
  }

  /** Of a paused process nothing runs; of a dead one nothing ever. */
  guard(run: () => void): () => void {
    return () => {
      if (this.isDead) return;
      if (this.isPaused) this.#late.push(run);
      else run();
    };
  }

  resume(): void {
    this.isPaused = false;
    for (const run of this.#late.splice(0)) this.soon(run);
  }
}

export interface Faults {
  /** Chance that a request is lost on its way, or its answer. */
  lost: number;
  /** Chance of a 409 for no reason, as a foreign writer would cause it. */
  changed: number;
  /** Longest delay of a request, an answer and an event. */
  delayMs: number;
  isDown: boolean;
}

/** What etcd is for kube-apiserver: one order of versions over all leases. */
export class LeaseServer {
  readonly clock: VirtualClock;
  readonly #random: Random;
  readonly faults: Faults = { lost: 0, changed: 0, delayMs: 5, isDown: false };
  readonly leases = new Map<string, LeaseRecord>();
  readonly #watchers = new Set<(event: 'seen' | 'gone', record: LeaseRecord) => void>();
  #version = 100;
  /** By outcome, of writes. */
  readonly writes = { ok: 0, changed: 0, gone: 0 };

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
    return new Promise((resolve) => {
      const answer = (outcome: StoreOutcome): void => own.guard(() => resolve(outcome))();
      const cancel = own.at(own.now() + 2_000, () => resolve(unknown));
      if (faults.isDown || this.#random.next() < faults.lost) return;
      clock.at(clock.now() + this.#delay(), () => {
        if (faults.isDown) return;
        const outcome = this.#random.next() < faults.changed ? changed : work();
        if (this.#random.next() < faults.lost) return;
        clock.at(clock.now() + this.#delay(), () => {
          cancel();
          answer(outcome);
        });
      });
    });
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
      if (faults.isDown || this.#random.next() < faults.lost) return again();
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
          if (faults.isDown || this.#random.next() < faults.lost) {
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

export interface Node {
  readonly name: string;
  readonly clock: OwnClock;
  readonly keeper: LeaseKeeper;
  /** Shards whose actors run here. */
  readonly running: Set<number>;
  /** How long it takes to finish the writes of a shard. */
  drainMs: number;
}

export class World {
  readonly clock: VirtualClock;
  readonly server: LeaseServer;
  readonly nodes: Node[] = [];
  /** The highest epoch with which each shard was held. */
  readonly #epochs = new Map<number, { epoch: number; node: Node }>();

  constructor(clock: VirtualClock, random: Random) {
    this.clock = clock;
    this.server = new LeaseServer(clock, random);
  }

  start(name: string, rate = 1, log: KeeperPorts['log'] = () => undefined): Node {
    const clock = new OwnClock(this.clock, rate);
    const store = this.server.store(clock);
    let lives = 0;
    const newMember = (): string => `${name}-${++lives}`;
    const keeper = new LeaseKeeper(terms, { store, clock, log, newMember });
    const node: Node = { name, clock, keeper, running: new Set(), drainMs: 5 };
    keeper.onChange((shard, held) => {
      if (held) {
        node.running.add(shard);
        return;
      }
      node.running.delete(shard);
      return new Promise((resolve) => {
        clock.at(clock.now() + node.drainMs, () => resolve({}));
      });
    });
    this.nodes.push(node);
    keeper.start();
    return node;
  }

  kill(node: Node): void {
    node.clock.isDead = true;
  }

  get living(): Node[] {
    return this.nodes.filter(({ clock }) => !clock.isDead);
  }

  /** Those that would write for the shard if they ran right now. A dead process writes nothing. */
  holders(shard: number): Node[] {
    return this.living.filter(({ keeper }) => keeper.holds(shard));
  }

  /** Throws when a shard has two holders, or one of an epoch that is over. */
  check(): void {
    for (let shard = 0; shard < terms.shards; shard++) {
      const holders = this.holders(shard);
      if (holders.length > 1) {
        const who = holders.map(({ name, keeper }) => `${name} in epoch ${keeper.epoch(shard)}`);
        throw new Error(`shard ${shard} is held by ${who.join(' and ')}`);
      }
      const [holder] = holders;
      if (holder === undefined) continue;
      const epoch = holder.keeper.epoch(shard);
      const last = this.#epochs.get(shard);
      if (
        last !== undefined &&
        (epoch < last.epoch || (epoch === last.epoch && holder !== last.node))
      ) {
        throw new Error(`shard ${shard}: ${holder.name} in epoch ${epoch} after ${last.epoch}`);
      }
      this.#epochs.set(shard, { epoch, node: holder });
    }
  }

  /** Every shard has one holder, and each living process its part. */
  isShared(): boolean {
    const living = this.living.length;
    const most = Math.ceil(terms.shards / living);
    return (
      Array.from({ length: terms.shards }, (_, shard) => this.holders(shard)).every(
        (holders) => holders.length === 1,
      ) && this.living.every(({ running }) => running.size <= most)
    );
  }

  /** Lets time pass and looks every few milliseconds. */
  async pass(ms: number, stepMs = 50): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      await this.clock.advance(Math.min(stepMs, end - this.clock.now()));
      this.check();
    }
  }

  /** Milliseconds until the claim holds; throws after the limit. */
  async until(claim: () => boolean, limitMs: number, stepMs = 50): Promise<number> {
    const start = this.clock.now();
    while (!claim()) {
      if (this.clock.now() - start > limitMs) throw new Error(`not within ${limitMs} ms`);
      await this.pass(stepMs, stepMs);
    }
    return this.clock.now() - start;
  }
}
