// Plays the recording of a day to the oracles of the simulator: every change of the cluster in the
// order of its version, and before each what the processes asked for and were shown until then. The
// oracles are those of test/sim; what differs is that their store is filled from etcd.
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { Guards as CliqueGuards } from '#test/sim/cliques/guards.ts';
import { CliqueOracle } from '#test/sim/cliques/oracle.ts';
import { Census } from '#test/sim/oracles/census.ts';
import { Keeps } from '#test/sim/oracles/keeps.ts';
import { type Oracles, watchOracles } from '#test/sim/oracles/oracles.ts';
import { Ownerships, type Tag } from '#test/sim/oracles/ownerships.ts';
import { RequestRules } from '#test/sim/oracles/request-rules.ts';
import { Tally } from '#test/sim/oracles/tally.ts';
import { watchTemplates } from '#test/sim/oracles/templates.ts';
import { Terminations } from '#test/sim/oracles/terminations.ts';
import { Guards } from '#test/sim/pools/guards.ts';
import { PoolOracle } from '#test/sim/pools/oracle.ts';
import { Restoring } from '#test/sim/world/restoring.ts';
import { type Answered, type Committed, type Note, versionShown } from '../recording/records.ts';
import { Clocks } from './clocks.ts';
import { Lives } from './lives.ts';
import { RecordedStore } from './store.ts';
import { type Line, Played, type Recording, requestKey } from './tape.ts';
import { told, toldChange } from './told.ts';
import { Trees } from './trees.ts';

/** Of the configuration (src/config/schema.ts). */
const shards = 16;
/** How old may be what a process acts on: it stands still, or is cut off, for so long. */
const latelyMs = 60_000;
/** Lines that are told before the first violation. */
const context = 60;

export interface Verdict {
  readonly violations: readonly string[];
  /** What happened before the first, and what made it. */
  readonly around: readonly string[];
  readonly tally: Tally;
  readonly played: { readonly changes: number; readonly lines: number; readonly writes: number };
}

export interface Judged extends Recording {
  /** Milliseconds of the machine's steady clock and the time of day at one moment. */
  readonly begunAt: number;
  readonly timeOfDay: number;
  /** Readiness grace of the pools, as configured. */
  readonly graceMs: number;
  /** How many nodes a clique may have, as configured. */
  readonly maxNodes: number;
}

/** Judges all of it; the recording is of one history of the cluster, without a restore in it.
 *  `hasEnded`: it came to rest. */
export async function judge(recording: Judged, hasEnded: boolean): Promise<Verdict> {
  const player = new Player(recording);
  await player.play(hasEnded);
  return player.verdict;
}

class Player {
  readonly #store = new RecordedStore();
  readonly #tally = new Tally();
  readonly #trees = new Trees();
  readonly #clocks: Clocks;
  readonly #played: Played;
  readonly #oracles: Oracles;
  readonly #ownerships: Ownerships;
  readonly #rules: RequestRules;
  readonly #keeps: Keeps;
  readonly #census: Census;
  readonly #guards: Guards;
  readonly #pools: PoolOracle;
  readonly #cliqueGuards: CliqueGuards;
  readonly #cliques: CliqueOracle;
  readonly #lives: Lives;
  readonly #restoring = new Restoring();
  readonly #from: number;
  readonly #recent: string[] = [];
  #around: readonly string[] = [];
  #next = 0;

  constructor(recording: Judged) {
    const store = this.#store;
    const tally = this.#tally;
    this.#clocks = new Clocks(recording.begunAt, recording.timeOfDay);
    this.#played = new Played(recording);
    this.#from = recording.from;
    const clock = this.#clocks.all;
    const never = (): boolean => false;
    this.#oracles = watchOracles({
      store,
      clock,
      tally,
      isMisled: never,
      restoring: this.#restoring,
      mostWanted: (clique) => this.#lives.mostWanted(clique),
    });
    const violate = (what: string): void => this.#oracles.violate(what);
    const seen = { store, clock, tally, violate };
    const { treeOf } = this.#trees;
    const oracles = this.#oracles;
    this.#ownerships = new Ownerships({ store, oracles, shards, tally, treeOf });
    watchTemplates(seen);
    this.#rules = new RequestRules(store, this.#oracles, () => {});
    this.#keeps = new Keeps(store, tally, violate);
    this.#census = new Census({ ...seen, isMisled: never, isDivided: never });
    this.#guards = new Guards(seen);
    const { graceMs, maxNodes } = recording;
    this.#pools = new PoolOracle({ ...seen, areClocksWrong: false, latelyMs, graceMs });
    this.#cliqueGuards = new CliqueGuards(seen);
    this.#cliques = new CliqueOracle({ ...seen, maxNodes });
    this.#lives = new Lives({
      ...seen,
      shards,
      oracles: this.#oracles,
      terminations: new Terminations({ ...seen, areClocksWrong: false }),
      moment: () => this.#ownerships.moment,
      clocks: this.#clocks,
      pools: this.#pools,
      cliques: this.#cliques,
      trees: this.#trees,
    });
  }

  get verdict(): Verdict {
    const { changes, lines, causes } = this.#played;
    const played = { changes: changes.length, lines: lines.length, writes: causes.size };
    const { violations } = this.#oracles;
    return { violations, around: this.#around, tally: this.#tally, played };
  }

  async play(hasEnded: boolean): Promise<void> {
    for (const line of this.#played.lines) {
      // The store has by then what a line shows.
      await this.#reach(line.t, line.of === 'process' ? versionShown(line.line) : 0);
      this.#clocks.reach(line.t);
      this.#tell(told(this.#clocks.second, line));
      await this.#take(line);
      this.#look();
    }
    await this.#reach(Infinity, Infinity);
    if (hasEnded) this.#census.judgeEnd();
    this.#look();
  }

  /** All changes that were seen by then, or that the next line shows. */
  async #reach(t: number, version: number): Promise<void> {
    const { changes } = this.#played;
    for (
      let change = changes[this.#next];
      change !== undefined && (change.t <= t || change.version <= version);
      change = changes[++this.#next]
    ) {
      if (Number.isFinite(t)) this.#clocks.reach(Math.min(change.t, t));
      this.#restoring.isAstray = change.version <= this.#from;
      this.#tell(toldChange(this.#clocks.second, change));
      await this.#change(change);
      this.#look();
    }
  }

  /** What changes, by a request of a process or by somebody else. */
  async #change(change: Committed): Promise<void> {
    const carryOut = (): void => {
      this.#trees.see(change.object);
      this.#store.take(change);
    };
    const cause = this.#played.causes.get(change.version);
    const tag = cause === undefined ? undefined : this.#tagOf(cause);
    if (cause === undefined || tag === undefined) return carryOut();
    const { status, answer } = cause;
    await this.#judgeEffect(tag, requestOf(cause), async () => {
      carryOut();
      return { status, headers: {}, body: answer };
    });
  }

  #tagOf(answered: Answered): Tag | undefined {
    return this.#lives.tagOf(requestKey(answered.life, requestOf(answered)), answered.askedAt);
  }

  /** A write of a process takes effect. */
  async #judgeEffect(tag: Tag, request: KubeRequest, carryOut: CarryOut): Promise<void> {
    this.#judgeRequest(request);
    const group = this.#trees.groupOf(request);
    await this.#ownerships.judge(tag, request, () => {
      if (group === 'pools') return this.#pools.judge(tag, request, carryOut);
      if (group === 'cliques') return this.#cliques.judge(tag, request, carryOut);
      return this.#keeps.judge(request, carryOut);
    });
  }

  /** A write comes to the server, whatever comes of it. */
  #judgeRequest(request: KubeRequest): void {
    const group = this.#trees.groupOf(request);
    if (group === 'pools') return this.#guards.judge(request);
    if (group === 'cliques') return this.#cliqueGuards.judge(request);
    this.#rules.judge(request);
    this.#census.asked(request);
  }

  async #take(line: Line): Promise<void> {
    if (line.of === 'server') return this.#judgeRequest(requestOf(line.answered));
    if (line.of === 'note') return this.#note(line.note);
    this.#lives.take(line.life, line.line, this.#played);
  }

  #note({ life, turn }: Note): void {
    if (life === undefined) return;
    if (turn === 'stands still' || turn === 'goes on') this.#clocks.turn(life, turn);
    if (turn === 'begins') this.#lives.begin(life);
    if (turn === 'ends') this.#lives.end(life);
  }

  #tell(text: string): void {
    this.#recent.push(text);
    if (this.#recent.length > 2 * context) this.#recent.splice(0, context);
  }

  /** Keeps what is around the first violation. */
  #look(): void {
    const [first] = this.#oracles.violations;
    if (first === undefined || this.#around.length > 0) return;
    this.#around = [...this.#recent.slice(-context), `>>> ${first}`];
  }
}

type CarryOut = () => Promise<KubeResponse>;

const requestOf = ({ method, path, body }: Answered): KubeRequest => ({
  method,
  path,
  ...(body === undefined ? {} : { body }),
});
