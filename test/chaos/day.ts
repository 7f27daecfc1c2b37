// One day of chaos on a real control plane: two replicas share the work through leases while the
// schedule strikes them, then everything is healed and must come to its end. What happened is
// recorded and judged by the oracles of the simulator. Called by main.ts and by the test.
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { root as checkout } from '#test/support/source-copy.ts';
import { collectEvidence } from '#test/support/evidence.ts';
import { type Ended, Programs } from '#test/support/program.ts';
import { complaintsAbout as complaintsOfSets } from '#test/sim/expected/expected.ts';
import { complaintsAbout as complaintsOfCliques } from '#test/sim/cliques/expected.ts';
import { complaintsAbout as complaintsOfPools } from '#test/sim/pools/expected.ts';
import { streamOf } from '#test/sim/world/streams.ts';
import { type Act, drawSchedule, lineOf } from './schedule.ts';
import { ControlPlane } from './stage/control-plane.ts';
import { computeDomains, Domains, maxNodes } from './stage/domains.ts';
import { History } from './stage/history.ts';
import { Replica } from './stage/replica.ts';
import { User } from './stage/user.ts';

/** From the healing to the end that is wanted. */
const convergenceMs = 240_000;
const quietMs = 15_000;
/** A process that lives on a server that was restored ends by itself: docs/decisions/0018. */
const endedMs = 90_000;
/** Between the backup and the restore. */
const lostMs = 8_000;
const restMs = 2_000;

export interface DayOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Folder for everything; the caller takes it away. */
  readonly folder: string;
  /** Where the sources are that the replicas run; absent: these. */
  readonly root?: string;
  /** Instead of the one that the seed draws. */
  readonly schedule?: readonly Act[];
  readonly say: (line: string) => void;
}

/** A replica as its targets strike it. */
type Place = 'first' | 'second';

export class Day {
  readonly options: DayOptions;
  readonly plane: ControlPlane;
  readonly replicas: Readonly<Record<Place, Replica>>;
  /** Each ended by a restore, the last by the end of the day. */
  readonly histories: History[] = [];
  /** What is wrong with the end, or with what must happen on the way. */
  readonly complaints: string[] = [];
  /** The schedule as it ran: each act with the second of its begin and of its end. */
  readonly ran: string[] = [];
  readonly #programs = new Programs();
  readonly #user: User;
  readonly #domains: Domains;
  readonly #begunAt = performance.now();
  #lives = 0;
  #isRestoring = false;
  #isOver = false;

  private constructor(options: DayOptions, plane: ControlPlane) {
    this.options = options;
    this.plane = plane;
    const { transport } = plane;
    const { seed } = options;
    const say = (line: string): void => this.#note(line);
    const store = () => this.history.store;
    this.#user = new User({ transport, random: streamOf(seed, 'user'), say, store });
    this.#domains = new Domains({ transport, random: streamOf(seed, 'domains'), say, store });
    this.replicas = { first: this.#replica('first'), second: this.#replica('second') };
  }

  static async begin(options: DayOptions): Promise<Day> {
    const day = new Day(options, await ControlPlane.start(options.folder));
    try {
      await day.#begin();
      return day;
    } catch (error) {
      await day.end();
      throw error;
    }
  }

  get history(): History {
    const history = this.histories.at(-1);
    if (history === undefined) throw new Error('the day has not begun');
    return history;
  }

  /** Carries the schedule out; resolves when all of it is over. */
  async pass(): Promise<void> {
    const { seed, seconds, schedule = drawSchedule(seed, seconds) } = this.options;
    const since = performance.now();
    const targets = Map.groupBy(schedule, ({ target }) => target);
    await Promise.all([...targets.values()].map((acts) => this.#passTarget(acts, since)));
  }

  /** Everything is healed, and the user wants the same as on every day; resolves when all is as
   *  wanted and nobody writes any more, or the time for that is over. */
  async finish(): Promise<void> {
    await this.plane.refresh();
    await this.plane.repairNodes();
    await this.#user.finish();
    await this.#domains.finish();
    const limit = performance.now() + convergenceMs;
    let wrong = await this.#wrong();
    for (; wrong.length > 0 && performance.now() < limit; wrong = await this.#wrong()) {
      await pause(500);
      await this.plane.confirmPods(this.history.store);
    }
    this.complaints.push(...wrong.map((one) => `not as wanted: ${one}`));
    if (wrong.length > 0) return;
    // A status that says what is done may still follow.
    await pause(quietMs);
    const { writes } = this.history;
    await pause(quietMs);
    const late = this.history.writes - writes;
    if (late > 0) this.complaints.push(`${late} writes in ${quietMs} ms of quiet`);
    for (const one of await this.#wrong()) this.complaints.push(`after the quiet: ${one}`);
  }

  /** Where it did not come to its end. */
  async keepEvidence(): Promise<void> {
    if (this.complaints.length === 0) return;
    const { transport: client, natsUrl: nats, folder: clusterFolder } = this.plane;
    const scene = { client, nats, clusterFolder };
    this.#note(await collectEvidence(`chaos seed ${this.options.seed}`, scene));
  }

  /** Both replicas are started anew, with the same objects. */
  async renewReplicas(): Promise<void> {
    for (const replica of Object.values(this.replicas)) {
      await replica.leave();
      const program = await replica.start();
      await program.line(/controller synced/);
    }
    await pause(quietMs);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#programs.end();
    await this.#domains.end();
    await this.histories.at(-1)?.stop();
    await this.plane.end();
  }

  // -- the way there ------------------------------------------------------------------------------

  async #begin(): Promise<void> {
    await this.#newHistory();
    await this.#domains.furnish();
    for (const replica of Object.values(this.replicas)) {
      const program = await replica.start();
      await program.line(/controller synced/);
    }
    await this.#user.deploy();
    await this.#domains.deploy();
  }

  async #newHistory(): Promise<void> {
    const history = new History(this.plane.etcdUrl, this.options.folder);
    await history.start();
    this.histories.push(history);
  }

  #replica(name: Place): Replica {
    const { seed, folder, root = checkout } = this.options;
    const settings: JsonObject = { bus: { servers: [this.plane.natsUrl] }, computeDomains };
    const { connection } = this.plane;
    return new Replica({
      ...{ name, seed, connection, folder, root, settings },
      programs: this.#programs,
      nextLife: () => ++this.#lives,
      history: () => this.history,
      say: (line) => this.#note(line),
      ended: (replica, ended) => void this.#revive(replica, ended),
    });
  }

  /** As a kubelet does; not while the cluster is being restored. */
  async #revive(replica: Replica, { code }: Ended): Promise<void> {
    if (this.#isOver || this.#isRestoring) return;
    // Who cannot reach the server at its start gives up.
    if (code === 0) this.complaints.push(`${replica.name} ended by itself`);
    await pause(restMs);
    if (!replica.isAlive && !this.#isRestoring) await replica.start();
  }

  async #passTarget(acts: readonly Act[], since: number): Promise<void> {
    for (const act of acts) {
      await pause(Math.max(0, act.atS * 1_000 - (performance.now() - since)));
      if (act.what === 'edit') {
        await this.#user.act();
        continue;
      }
      if (act.what === 'edit of a domain') {
        await this.#domains.act();
        continue;
      }
      const from = this.#second;
      await this.#act(act).catch((error: unknown) => {
        this.complaints.push(`${lineOf(act)} could not be done: ${String(error)}`);
      });
      this.ran.push(`${from} to ${this.#second} s: ${lineOf(act)}`);
      this.#note(`${lineOf(act)} is over`);
    }
  }

  async #act(act: Act): Promise<void> {
    const { what, target, forMs, draw } = act;
    this.#note(lineOf(act));
    if (target === 'first' || target === 'second') return this.#strike(this.replicas[target], act);
    if (what === 'API server restart') return this.plane.restartApiServer(forMs);
    if (what === 'NATS restart') return this.plane.restartNats(forMs);
    if (what === 'node loss') return this.plane.loseNode(draw, forMs);
    if (what === 'eviction') return this.#user.evict();
    if (what === 'restore') return this.#restore();
  }

  async #strike(replica: Replica, { what, forMs }: Act): Promise<void> {
    // It is about to end, or to come back.
    if (!replica.isAlive || this.#isRestoring) return;
    if (what === 'kill') return this.#replace(replica, forMs);
    if (what === 'pause') return replica.stand(forMs);
    if (what === 'lost replies') return replica.loseReplies(forMs);
    if (what === 'certificate') return replica.renew();
  }

  async #replace(replica: Replica, forMs: number): Promise<void> {
    await replica.kill();
    await pause(forMs);
    // Unless the cluster was restored meanwhile, and somebody started it.
    if (!replica.isAlive && !this.#isRestoring) await replica.start();
  }

  /** Whoever was shown what is lost must end; what they do until then is judged by nobody. */
  async #restore(): Promise<void> {
    await this.plane.backUp();
    const { version } = this.history;
    await pause(lostMs);
    this.#isRestoring = true;
    let knowing: ReadonlySet<number> = new Set();
    await this.plane.restore(async () => {
      await this.history.stop();
      const synced = this.#alive.filter(({ isSynced }) => isSynced).map(({ life }) => life);
      knowing = new Set(synced.filter((life) => this.history.hasShown(life, version)));
    });
    const limit = performance.now() + endedMs;
    const left = (): readonly Replica[] => this.#alive.filter(({ life }) => knowing.has(life));
    while (left().length > 0 && performance.now() < limit) await pause(100);
    for (const { name } of left()) {
      this.complaints.push(`${name} lives on, ${endedMs} ms after the restore`);
    }
    // Who had read nothing by then, or stood still, need not end, but comes again in the history of
    // afterwards.
    for (const replica of Object.values(this.replicas)) {
      await replica.started();
      await replica.kill();
    }
    await this.#newHistory();
    this.#user.forget();
    this.#isRestoring = false;
    for (const replica of Object.values(this.replicas)) {
      if (!replica.isAlive) await replica.start();
    }
  }

  get #alive(): readonly Replica[] {
    return Object.values(this.replicas).filter(({ isAlive }) => isAlive);
  }

  // -- the end ------------------------------------------------------------------------------------

  async #wrong(): Promise<readonly string[]> {
    const { store } = this.history;
    const ending = { store, now: Date.now(), areClocksWrong: false };
    return [
      ...complaintsOfSets(store),
      ...complaintsOfPools(ending),
      ...complaintsOfCliques(store, maxNodes),
      ...this.#user.lostClaims,
      ...this.#domains.lostNodes,
    ];
  }

  get #second(): string {
    return ((performance.now() - this.#begunAt) / 1_000).toFixed(3);
  }

  #note(text: string): void {
    this.histories.at(-1)?.note({ text });
    this.options.say(`${this.#second} s ${text}`);
  }
}
