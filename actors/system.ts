// The actor system of one process: observations in, writes out, all in between on the clock that it
// is given. Started by src/main.ts and by tests; docs/guarantees.md says what it promises.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Route } from '#machines/contract/route.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { EffectSink } from './effects/completion.ts';
import type { DataPlanes } from './data-plane.ts';
import { EventRecorder } from './effects/events.ts';
import type { BlockedWrite } from './effects/object-writes.ts';
import { Precedence } from './effects/precedence.ts';
import { ActorLists } from './effects/lists.ts';
import { Effects } from './effects/runner.ts';
import type { ActorRow, FactHistory } from './history/history.ts';
import { FactRing } from './history/ring.ts';
import { Rows } from './history/rows.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { Cache } from './mail/cache.ts';
import { Journal, noCause, type Cause } from './mail/causality.ts';
import { Intake } from './mail/intake.ts';
import type { MachineEvent } from './mail/mailbox.ts';
import { Router, type Refusal, tellRefusal } from './mail/router.ts';
import type {
  Answer,
  Ask,
  BusPort,
  Clock,
  ClusterPort,
  HandOn,
  Ids,
  Observation,
  Random,
  ShardLease,
  Telemetry,
} from './ports.ts';
import { Answers, type TreeView } from './questions/answers.ts';
import { answerAsk, overBus, questionsOf } from './questions/asking.ts';
import { Questions } from './questions/open.ts';
import { ActorRunner } from './run/actor-runner.ts';
import { errorText, type Actor } from './run/actor.ts';
import { Deadlines } from './run/deadlines.ts';
import type { ReconcileListener } from './run/reconciles.ts';
import { Scheduler } from './run/scheduler.ts';
import { Trees } from './run/tree.ts';
import { handOver, takeOver } from './shards/hand-over.ts';
import { Ownership } from './shards/ownership.ts';
import { defaultStrategy, type SupervisionStrategy } from './supervision/strategy.ts';
import { Supervisor } from './supervision/supervisor.ts';
import { Views } from './views/views.ts';
import { Wakes, type DeliveryMode } from './views/wakes.ts';

export interface SystemOptions {
  readonly behaviours: readonly Behaviour[];
  readonly routes: readonly Route[];
  readonly ports: {
    readonly cluster: ClusterPort;
    /** Without a bus facts stay in this process, and messages go direct. */
    readonly bus?: BusPort | undefined;
    readonly clock: Clock;
    readonly random: Random;
    readonly ids: Ids;
    readonly lease: ShardLease;
    readonly telemetry: Telemetry;
    /** Absent: no behaviour instructs one. */
    readonly planes?: DataPlanes;
    /** Absent: nobody traces. */
    readonly reconciles?: ReconcileListener | undefined;
  };
  readonly delivery: DeliveryMode;
  /** True: `park`, `unpark` and questions that may lead to a write, such as `join` of a clique, are
   *  obeyed when they come over the bus. Default false. */
  readonly commands?: boolean;
  readonly limits?: Partial<Limits>;
  readonly supervision?: SupervisionStrategy;
  /** True: a chart in a state that cannot be is restored from what its actor knows, and counted;
   *  default: the step fails, and the actor is restarted. */
  readonly restoresCharts?: boolean;
}

export interface ActorSystem {
  /** What a watch or a list says. Cheap: it is taken in with the next tick. Never throws. */
  observe(observation: Observation): void;
  /** The watch of a kind has come to this version, which the reply to a write has told of. */
  echoed(kind: Kind, version: string): void;
  /** A kind is served that was not: writes that failed for want of it are tried at once. */
  served(kind: Kind): void;
  /** What a data plane has to say to one of its actors. Whoever does not run, or waits for a
   *  restart, does not hear it: it asks when it starts. */
  signal(to: ActorKey, event: MachineEvent): void;
  /** First lists are asked for: what comes is the state as found. So it begins. */
  listing(): void;
  /** All lists that were asked for are in: what comes is news. The lists of `unwatched` are asked
   *  for later. */
  listed(unwatched: readonly Kind[]): void;
  /** All first lists are in, and none is asked for later. Nothing reconciles before. */
  synced(): void;
  /** `handOn`: taken instead of the bus where the owner has published an address. */
  ask(ask: Ask, handOn?: HandOn): Promise<Answer>;
  /** Everything at once, for tests and for `state` of the whole process. */
  tree(): JsonObject;
  /** For `/actors`. */
  trees(): Iterable<TreeView>;
  /** What the behaviours show of their actors of a kind, for gauges. */
  views(kind: ActorKind): Iterable<JsonObject>;
  /** What this process remembers of its own facts, with a bus or without. */
  readonly history: FactHistory;
  /** Every actor of this process, as lists show it. */
  rows(): Iterable<ActorRow>;
  /** One of them; undefined: it does not run here. */
  row(actor: string): ActorRow | undefined;
  /** Whose rows have changed since that was the newest fact, with those of whom no fact tells. */
  changedSince(place: number): Iterable<ActorKey>;
  /** Is called when a row may have changed, is new or ended, and must be cheap; the result ends
   *  it. */
  onRow(listener: (key: ActorKey) => void): () => void;
  /** Writes that wait after an error. */
  blocked(): Iterable<BlockedWrite>;
  /** Messages to actors that woke nobody, by why. */
  dropped(): Readonly<Record<string, number>>;
  /** No new write from now on; resolves when those in flight are answered, or after the limit. */
  stop(): Promise<void>;
  /** No mail, nothing to reconcile, no write queued or in flight. What backs off does not count. */
  idle(): boolean;
}

export function createSystem(options: SystemOptions): ActorSystem {
  const parts = assemble(options);
  const { scheduler, intake, effects, answers, wakes, recorder, deadlines, trees, lists } = parts;
  const { bus, lease, telemetry } = options.ports;
  let isStopped = false;
  const asking = { ...parts, lease, bus };
  const ask = (question: Ask, handOn?: HandOn): Promise<Answer> =>
    isStopped ? Promise.resolve(stopping) : answerAsk(asking, question, handOn);
  const releases = [
    lease.onChange((shard, held, written = {}) => {
      const change = held ? takeOver(parts, shard, written) : handOver(parts, shard);
      bus?.own?.(parts.ownership.shards());
      return change;
    }),
    bus?.onTell(wakes.receive),
    bus?.onAsk(overBus(ask, options.commands), questionsOf(options.behaviours)),
  ];
  bus?.own?.(parts.ownership.shards());
  return {
    observe: (observation) => {
      if (isStopped) return;
      try {
        intake.add(observation);
      } catch (error) {
        telemetry.log('error', 'an observation has no metadata', { error: errorText(error) });
      }
    },
    echoed: (kind, version) => intake.heard(kind, version),
    served: (kind) => {
      if (!isStopped) effects.served(kind);
    },
    signal: (to, event) => {
      if (!isStopped) parts.runner.tell(to, event);
    },
    listing: () => intake.listing(),
    listed: (unwatched) => intake.listed(unwatched),
    synced: () => begin(parts),
    ask,
    tree: () => ({ ...answers.tree(), dropped: { ...wakes.dropped, events: recorder.dropped } }),
    trees: () => answers.trees(),
    views: (kind) => answers.views(kind),
    history: parts.history,
    rows: () => answers.rows(),
    row: (id) => answers.row(id),
    changedSince: (place) => answers.changedSince(place),
    onRow: (listener) => parts.rows.subscribe(listener),
    blocked: () => effects.allBlocked(),
    dropped: () => wakes.dropped,
    stop: async () => {
      if (isStopped) return;
      isStopped = true;
      for (const release of releases) release?.();
      const all = [scheduler, recorder, lists, parts.questions, parts.ownership, deadlines, trees];
      for (const part of all) part.stop();
      await effects.stop();
    },
    idle: () =>
      intake.isEmpty && [scheduler, effects, lists, recorder].every(({ isIdle }) => isIdle),
  };
}

function begin({ intake, scheduler }: Parts): void {
  intake.listed();
  scheduler.open();
}

const stopping: Answer = { ok: false, code: 'STOPPING', message: 'the process is stopping' };

type Parts = ReturnType<typeof assemble>;

/** What stands on nothing but the ports. */
function foundations(options: SystemOptions) {
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const ports = { ...options.ports, bus: options.ports.bus };
  const { clock, telemetry } = ports;
  const cache = new Cache(limits);
  const refused = (refusal: Refusal): void => tellRefusal(telemetry, refusal);
  const deadlines = new Deadlines(clock);
  const precedence = new Precedence({ clock, deadlines, limits });
  const impossible = ({ key, behaviour }: Actor, what: string): void =>
    telemetry.chartRestored({ controller: behaviour.controller, key, what });
  const broken = (error: unknown): void =>
    telemetry.log('error', 'a listener of history broke', { error: errorText(error) });
  const history = new FactRing({ capacity: limits.facts, broken });
  return {
    limits,
    ports,
    cache,
    deadlines,
    precedence,
    history,
    rows: new Rows({ ports, broken, history }),
    journal: new Journal({ ports, history, limits }),
    router: new Router(options.routes, { cache, refused }),
    trees: new Trees({ clock, ...(options.restoresCharts === true ? { impossible } : {}) }),
    questions: new Questions({ ports, limits }),
    recorder: new EventRecorder({ ports, limits, deadlines, precedence }),
  };
}

/** The parts call each other in a circle; the closures are first called when all of them exist. */
function assemble(options: SystemOptions) {
  const base = foundations(options);
  const { limits, ports } = base;
  const { clock, cluster, lease } = ports;
  const scheduler = new Scheduler({
    clock,
    limits,
    work: {
      intake: () => intake.next(),
      hasNews: () => !intake.isEmpty,
      hasChanges: () => views.hasChanges,
      deliver: (actor) => runner.deliver(actor),
      wake: () => wakes.flush(),
      reconcile: (actor, cause) => runner.reconcile(actor, cause),
      isPressed: () => base.precedence.isPressed,
      flush: () => effects.flush(),
      broken: (error, actor) => {
        ports.telemetry.log('error', 'a turn broke', { error: errorText(error) });
        if (actor !== undefined) supervisor.crash(actor, error, 'turn', noCause);
      },
    },
  });
  const sink: EffectSink = {
    observe: (observation, link) => intake.observe(observation, link),
    signal: (actor, event, cause, wakesParked) => runner.signal(actor, event, cause, wakesParked),
    hurry: () => scheduler.hurry(),
  };
  const effects = new Effects({ ...base, sink });
  const touch = (actor: Actor, cause: Cause): void => scheduler.touch(actor, cause, 'retry');
  const lists = new ActorLists({ ...base, sink, touch });
  const views = new Views<Actor>(() => scheduler.wake());
  const supervisor = new Supervisor({
    ...base,
    views,
    behaviours: new Map(options.behaviours.map((behaviour) => [behaviour.kind, behaviour])),
    strategy: options.supervision ?? defaultStrategy,
    scheduler,
    effects,
    lists,
    conclude: (actor, step, event, cause) => runner.conclude(actor, step, event, cause),
  });
  const parts = { ...base, views, scheduler, effects, lists, supervisor };
  const wakes = new Wakes({ ...parts, mode: options.delivery });
  const runner = new ActorRunner({ ...parts, wakes });
  const refresh = async (kinds: readonly Kind[]): Promise<() => boolean> => {
    await Promise.all(kinds.map(async (kind) => cluster.refresh?.(kind)));
    const { end } = intake;
    return () => intake.hasPassed(end);
  };
  const ownership = new Ownership({
    lease,
    clock,
    hasSeen: (versions) => intake.hasSeen(versions),
    refresh: cluster.refresh === undefined ? undefined : refresh,
  });
  const intake = new Intake({ ...parts, ownership });
  const answers = new Answers({ ...parts, clock, hand: runner.hand, refresh: runner.refresh });
  return { ...parts, wakes, runner, ownership, intake, answers };
}
