// The world of one run: an embedded cluster on a virtual clock, a network of buses, the lives of
// the controller, and what watches them. run.ts lets things happen in it.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster, type Cluster } from '#src/devcluster/cluster.ts';
import { grovePlugin } from '#src/devcluster/plugins/grove/index.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { priorityClasses } from '#test/admission/generate.ts';
import { registerWebhooks, reviewInProcess } from '#test/support/admission.ts';
import { MemoryNetwork } from '#test/support/bus/network.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { BitFlips } from '../faults/bit-flips.ts';
import { interfere } from '../faults/interfere.ts';
import { Census } from '../oracles/census.ts';
import { Keeps } from '../oracles/keeps.ts';
import { type Oracles, watchOracles } from '../oracles/oracles.ts';
import { Ownerships, treeOf } from '../oracles/ownerships.ts';
import { RequestRules } from '../oracles/request-rules.ts';
import { Tally } from '../oracles/tally.ts';
import { watchTemplates } from '../oracles/templates.ts';
import { Terminations } from '../oracles/terminations.ts';
import { Witnesses } from '../oracles/witnesses.ts';
import { onScaleIn } from '../users/scale-ins.ts';
import { Strangers } from '../users/strangers.ts';
import { between } from '../users/workload.ts';
import { alone, areClocksWrong, type ControllerSet } from './controller-set.ts';
import { crds } from './crds.ts';
import { groveMachines } from './machines.ts';
import { noteActors } from './note-actors.ts';
import { Processes } from './processes.ts';
import { Restoring } from './restoring.ts';
import { streamOf } from './streams.ts';
import { controllerAgent, Trace } from './trace.ts';
import type { WorldOptions } from './world-options.ts';

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
/** More requests than any run has that goes well: a hot loop. */
const mostRequests = 60_000;
/** How long a list from the past takes to catch up with the watch. */
const misledMs = 45_000;

export class World {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly network: MemoryNetwork;
  readonly flips: BitFlips;
  readonly restoring = new Restoring();
  readonly trace: Trace;
  readonly oracles: Oracles;
  /** What the controller must never ask of the server. */
  readonly requestRules: RequestRules;
  readonly keeps: Keeps;
  readonly census: Census;
  /** Others who are at work on the same objects. */
  readonly strangers: Strangers;
  /** The user's own client, which meets no faults. */
  readonly user: KubeTransport;
  readonly processes: Processes;
  readonly ownerships: Ownerships;
  /** How often the oracles judged. */
  readonly tally = new Tally();
  readonly witnesses: Witnesses;
  readonly injected: Record<string, number> = {};
  /** How often fewer pods were wanted of a PodClique than lived. */
  scaleIns = 0;
  readonly #options: WorldOptions;
  /** The version that lists of the past show. Default: a few before the newest. */
  past: number | undefined;
  #isHealed = false;
  readonly #healing: (() => void)[] = [];
  #misledAt = -Infinity;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { clock } = this;
    this.cluster = createCluster({
      clock,
      random: this.random('cluster'),
      nodes: 4,
      plugins: [grovePlugin],
      postReview: reviewInProcess,
      controllers: { schedulerNames: this.#schedulerNames },
    });
    this.network = new MemoryNetwork({ clock, random: this.random('network') });
    this.flips = new BitFlips({
      network: this.network,
      random: this.random('flips'),
      rate: () => (this.#isHealed ? 0 : options.rates.busFlip),
      injected: (fault) => this.#count(fault),
      violate: (what) => this.oracles.violate(what),
    });
    this.trace = new Trace(this.cluster.requests, clock.now(), options.keepTrace === true);
    const { tally } = this;
    const { store } = this.cluster;
    this.oracles = watchOracles({
      store,
      clock,
      tally,
      isMisled: () => this.#isMisled,
      restoring: this.restoring,
      mostWanted: (clique) => this.witnesses.mostWanted(clique, this.processes.alive),
    });
    const seen = { store, clock, tally };
    this.witnesses = new Witnesses({
      ...seen,
      oracles: this.oracles,
      terminations: new Terminations({ ...seen, areClocksWrong: areClocksWrong(options) }),
      shards: this.controllerSet.leases ? this.controllerSet.shards : undefined,
      moment: () => this.ownerships.moment,
      isMisled: () => this.#isMisled,
      isDeaf: options.delivery === 'nats',
    });
    watchTemplates({ ...seen, violate: (what) => this.oracles.violate(what) });
    const note = (line: string): void => this.trace.note(clock.now(), line);
    this.requestRules = new RequestRules(store, this.oracles, note);
    this.user = this.cluster.transport(undefined, 'user');
    // What was counted and marked before a restore never was.
    const violate = (what: string): void => {
      if (!this.restoring.isRestored) this.oracles.violate(what);
    };
    this.keeps = new Keeps(store, tally, violate);
    const isDivided = (): boolean => clock.now() < this.ownerships.dividedUntil;
    this.census = new Census({ store, tally, violate, isMisled: () => this.#isMisled, isDivided });
    const ask = (request: KubeRequest): Promise<KubeResponse> => this.ask(request);
    this.strangers = new Strangers({ store, clock, ask, random: this.random('strangers') });
    const { shards } = this.controllerSet;
    this.ownerships = new Ownerships({ store, oracles: this.oracles, shards, tally, treeOf });
    this.processes = this.#makeProcesses();
    onScaleIn(this.cluster.store, () => this.scaleIns++);
    this.cluster.requests.onRequest(() => this.#storm());
  }

  /** A stream of its own per purpose: a change in one does not shift the others. */
  random(purpose: string): Random {
    return streamOf(this.#options.seed, purpose);
  }

  async start(): Promise<void> {
    const definitions = crds();
    await this.cluster.start();
    // Files and certificates take real time; from here on only virtual time counts.
    await this.clock.drain();
    for (const { name, body } of definitions) {
      if (name.endsWith('.resource.nvidia.com') && !this.hasDomains) continue;
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    }
    const { rates, hasAdmission = false } = this.#options;
    if (hasAdmission) await this.#admit();
    const { busDrop: drop, busDuplicate: duplicate, busDelayMs } = rates;
    this.network.setPolicy({ drop, duplicate, delayMs: [0, Math.ceil(busDelayMs)] });
    await this.clock.advance(2_000);
  }

  /** Our webhooks, and what generated sets need to be admitted. */
  async #admit(): Promise<void> {
    await registerWebhooks(this.user);
    for (const [index, name] of priorityClasses.entries()) {
      const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
      await this.ask({ method: 'POST', path, body: { metadata: { name }, value: 1 + index } });
    }
  }

  /** A request of the user's. The answer, whatever it is; throws without one. */
  async ask(request: KubeRequest): Promise<KubeResponse> {
    return this.user.request(request);
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  get isTopologyAware(): boolean {
    return this.#options.isTopologyAware === true;
  }

  get #schedulerNames(): readonly string[] {
    return this.#options.schedulerNames ?? ['default-scheduler'];
  }

  get hasDomains(): boolean {
    return this.#options.hasDomains === true;
  }

  get controllerSet(): ControllerSet {
    return this.#options.controllerSet ?? alone;
  }

  /** Called when the world is healed. */
  onHealing(end: () => void): void {
    this.#healing.push(end);
  }

  /** No more faults; what is broken stays so until somebody notices. */
  heal(): void {
    this.#isHealed = true;
    for (const end of this.#healing) end();
    this.trace.note(this.clock.now(), 'healed');
    this.network.setPolicy({});
    this.network.partition([]);
    this.processes.heal();
  }

  /** What the controllers think, for whoever reads the trace of a failure. */
  async noteActors(): Promise<void> {
    await noteActors(this);
  }

  /** Ends everything; returns how many timers are left, which should be none. */
  async stop(): Promise<number> {
    this.processes.end();
    for (const process of this.processes.alive) {
      const stopped = process.stop();
      await this.clock.advance(15_000);
      await stopped;
    }
    this.oracles.stop();
    await this.cluster.stop();
    await this.clock.advance(180_000);
    return this.clock.pending;
  }

  /**
   * A list without a version is a consistent read, so no API server shows the past to a process
   * that starts. In some runs it does, and for a while there may be a pod too many
   * (docs/decisions/0012-the-first-list-is-a-consistent-read.md).
   */
  get #isMisled(): boolean {
    return this.clock.now() - this.#misledAt < misledMs;
  }

  #makeProcesses(): Processes {
    const { clock, network, requestRules, cluster } = this;
    const { rates, delivery, onWrite } = this.#options;
    const server = cluster.transport(controller, controllerAgent);
    const ages = this.random('ages');
    return new Processes({
      controllerSet: this.controllerSet,
      rates,
      delivery,
      machines: groveMachines({
        isTopologyAware: this.isTopologyAware,
        hasDomains: this.hasDomains,
        schedulerNames: this.#schedulerNames,
      }),
      clock,
      network,
      flips: this.flips,
      random: (purpose) => this.random(purpose),
      request: async (tag, request) => {
        this.restoring.reach();
        requestRules.judge(request);
        this.census.asked(request);
        const admitted = this.strangers.admit(request);
        const carryOut = () => this.keeps.judge(request, () => server.request(admitted));
        return this.controllerSet.leases
          ? this.ownerships.judge(tag, request, carryOut)
          : carryOut();
      },
      watch: (path, sink) => this.restoring.watch(sink, () => server.watch(path, sink)),
      wire: {
        moment: () => this.ownerships.moment,
        past: (most) => this.past ?? Math.max(1, cluster.store.version - between(ages, 1, most)),
        misled: () => {
          this.#misledAt = clock.now();
        },
        injected: (fault) => this.#count(fault),
        violate: (what) => this.oracles.violate(what),
        interfere: (write) => interfere(cluster.store, this.user, write),
      },
      witnesses: this.witnesses,
      onWrite,
      log: (...line) => this.#log(...line),
      note: (text) => this.trace.note(clock.now(), text),
    });
  }

  #count(fault: string): void {
    this.injected[fault] = (this.injected[fault] ?? 0) + 1;
  }

  #storm(): void {
    if (this.trace.requests !== mostRequests) return;
    this.processes.end();
    this.oracles.violate(`more than ${mostRequests} requests: a hot loop`);
    for (const process of this.processes.alive) process.crash();
  }

  #log(life: number, level: string, message: string, fields: JsonObject): void {
    if (level === 'error' && /broke|not taken|could not be read|restored/.test(message)) {
      this.oracles.violate(`the controller logged: ${message} ${JSON.stringify(fields)}`);
    }
    this.trace.lines?.push(`    [${life}] ${level} ${message} ${JSON.stringify(fields)}`);
  }
}
