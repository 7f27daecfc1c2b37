// The world of one run: an embedded cluster on a virtual clock, a network of buses, the lives of
// the controller, and what watches them. run.ts lets things happen in it.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Random } from '#actors/ports.ts';
import { MemoryNetwork } from '#bus/network.ts';
import type { JsonObject } from '#machines/objects.ts';
import { readManifests, type Manifest } from '#src/dev/apply.ts';
import { createCluster, type Cluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport.ts';
import { priorityClasses } from '#test/admission/generate.ts';
import { registerWebhooks, reviewInProcess } from '#test/support/admission.ts';
import { computeDomainCrd } from '#test/support/domains.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { Conduct } from './conduct.ts';
import { alone, type Crew } from './crew.ts';
import type { FaultyOptions } from './faulty-transport.ts';
import { interfere } from './interfere.ts';
import { Lives } from './lives.ts';
import { type Oracles, watchOracles } from './oracles.ts';
import type { Rates } from './rates.ts';
import { Reigns } from './reigns.ts';
import { Told } from './told.ts';
import { between } from './workload.ts';
import { controllerAgent, Trace } from './trace.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly rates: Rates;
  /** Default: one controller that owns everything. */
  readonly crew?: Crew;
  readonly delivery: 'direct' | 'nats';
  /** Default: topology constraints are not passed on. */
  readonly isTopologyAware?: boolean;
  /** Default: the cluster has no ComputeDomains, and none are made. */
  readonly hasDomains?: boolean;
  /** Default: the default scheduler alone. */
  readonly schedulerNames?: readonly string[];
  /** Keep the lines of the trace and of the controller's log. */
  readonly keepTrace?: boolean;
  readonly onWrite?: FaultyOptions['onWrite'];
  /** Sets are defaulted and judged by our webhooks. Default: by the schema alone. */
  readonly hasAdmission?: boolean;
}

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

/** More requests than any run has that goes well: a hot loop. */
const mostRequests = 60_000;

/** How long a list from the past takes to catch up with the watch. */
const misledMs = 45_000;

export class World {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly network: MemoryNetwork;
  readonly trace: Trace;
  readonly oracles: Oracles;
  /** What the controller must never ask of the server. */
  readonly conduct: Conduct;
  /** The user's own client, which meets no faults. */
  readonly user: KubeTransport;
  readonly lives: Lives;
  readonly reigns: Reigns;
  readonly injected: Record<string, number> = {};
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
      postReview: reviewInProcess,
      controllers: { schedulerNames: this.#schedulerNames },
    });
    this.network = new MemoryNetwork({ clock, random: this.random('network') });
    this.trace = new Trace(this.cluster.requests, clock.now(), options.keepTrace === true);
    this.oracles = watchOracles(this.cluster.store, clock, () => this.#isMisled);
    this.conduct = new Conduct(this.cluster.store, this.oracles, (line) =>
      this.trace.note(clock.now(), line),
    );
    this.user = this.cluster.transport(undefined, 'user');
    this.reigns = new Reigns(this.cluster.store, this.oracles, this.crew.shards);
    this.lives = this.#makeLives();
    this.cluster.requests.onRequest(() => this.#storm());
  }

  /** A stream of its own per purpose: a change in one does not shift the others. */
  random(purpose: string): Random {
    let hash = Math.imul(this.#options.seed, 0x9e3779b1);
    for (const letter of purpose) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return seeded(hash);
  }

  async start(): Promise<void> {
    const definitions = await crds();
    await this.cluster.start();
    // Files and certificates take real time; from here on only virtual time counts.
    await this.clock.drain();
    const more = this.hasDomains ? [computeDomainCrd] : [];
    for (const body of [...definitions.map((one) => one.body), ...more]) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    }
    const { rates, hasAdmission = false } = this.#options;
    if (hasAdmission) await this.#admit();
    const { busDrop, busDuplicate, busDelayMs } = rates;
    this.network.setPolicy({
      drop: busDrop,
      duplicate: busDuplicate,
      delayMs: [0, Math.ceil(busDelayMs)],
    });
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

  get crew(): Crew {
    return this.#options.crew ?? alone;
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
    this.lives.heal();
  }

  /** What the controllers think, for whoever reads the trace of a failure. */
  async noteActors(): Promise<void> {
    const { lines } = this.trace;
    if (lines === undefined) return;
    for (const process of this.lives.alive) {
      for (const { actors } of process.system.trees()) {
        for (const { key, state } of actors) {
          const why = await process.system.ask({ about: key, question: 'why', payload: {} });
          lines.push(`    [${process.life}] ${JSON.stringify({ ...key, state, why })}`);
        }
      }
      for (const row of process.health())
        lines.push(`    [${process.life}] ${JSON.stringify(row)}`);
    }
  }

  /** Ends everything; returns how many timers are left, which should be none. */
  async stop(): Promise<number> {
    this.lives.end();
    for (const process of this.lives.alive) {
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

  #makeLives(): Lives {
    const { clock, network, injected, conduct, cluster } = this;
    const { rates, delivery, onWrite } = this.#options;
    const server = cluster.transport(controller, controllerAgent);
    const ages = this.random('ages');
    return new Lives({
      crew: this.crew,
      rates,
      delivery,
      isTopologyAware: this.isTopologyAware,
      hasDomains: this.hasDomains,
      schedulerNames: this.#schedulerNames,
      clock,
      network,
      random: (purpose) => this.random(purpose),
      request: (tag, request) => {
        conduct.judge(request);
        const carryOut = (): Promise<KubeResponse> => server.request(request);
        return this.crew.leases ? this.reigns.judge(tag, request, carryOut) : carryOut();
      },
      watch: (path, sink) => server.watch(path, sink),
      wire: {
        moment: () => this.reigns.moment,
        past: (most) => this.past ?? Math.max(1, cluster.store.version - between(ages, 1, most)),
        misled: () => {
          this.#misledAt = clock.now();
        },
        injected: (fault) => {
          injected[fault] = (injected[fault] ?? 0) + 1;
        },
        violate: (what) => this.oracles.violate(what),
        interfere: (write) => interfere(cluster.store, this.user, write),
      },
      told: () =>
        new Told({
          store: cluster.store,
          violate: (what) => this.oracles.violate(what),
          isMisled: () => this.#isMisled,
        }),
      onWrite,
      log: (...line) => this.#log(...line),
      note: (text) => this.trace.note(clock.now(), text),
    });
  }

  #storm(): void {
    if (this.trace.requests !== mostRequests) return;
    this.lives.end();
    this.oracles.violate(`more than ${mostRequests} requests: a hot loop`);
    for (const process of this.lives.alive) process.crash();
  }

  #log(life: number, level: string, message: string, fields: JsonObject): void {
    if (level === 'error' && /broke|not taken|could not be read/.test(message)) {
      this.oracles.violate(`the controller logged: ${message} ${JSON.stringify(fields)}`);
    }
    this.trace.lines?.push(`    [${life}] ${level} ${message} ${JSON.stringify(fields)}`);
  }
}

let manifests: Promise<readonly Manifest[]> | undefined;

/** Parsing takes a while: once for all runs of this process. */
function crds(): Promise<readonly Manifest[]> {
  const folder = fileURLToPath(new URL('../../charts/coppice/crds/', import.meta.url));
  manifests ??= Promise.all(
    readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .toSorted()
      .map((name) => readManifests(folder + name)),
  ).then((files) => files.flat());
  return manifests;
}
