// The world of one run with ComputeDomains: an embedded cluster whose nodes share NVLink fabrics,
// and the lives of a controller that runs NVIDIA's module alone. run.ts lets things happen in it.
import type { Random } from '#actors/ports.ts';
import { withSettings } from '#machines/contract/module.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { createCluster, type Cluster } from '#src/devcluster/cluster.ts';
import { nvidiaPlugin } from '#src/devcluster/plugins/nvidia/index.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { nvidiaSettings } from '#src/modules/nvidia/settings.ts';
import { MemoryNetwork } from '#test/support/bus/network.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { BitFlips } from '../faults/bit-flips.ts';
import { interfere } from '../faults/interfere.ts';
import type { Rates } from '../faults/rates.ts';
import { Ownerships } from '../oracles/ownerships.ts';
import { Tally } from '../oracles/tally.ts';
import { between } from '../users/workload.ts';
import type { ControllerSet } from '../world/controller-set.ts';
import { crds } from '../world/crds.ts';
import type { Machines } from '../world/machines.ts';
import { noteActors } from '../world/note-actors.ts';
import { Processes } from '../world/processes.ts';
import { streamOf } from '../world/streams.ts';
import { controllerAgent, Trace } from '../world/trace.ts';
import { driver } from './objects.ts';
import { CliqueOracle } from './oracle.ts';
import { Guards, treeOf } from './guards.ts';

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
/** More requests than any run has that goes well: a hot loop. */
const mostRequests = 60_000;

export interface CliqueWorldOptions {
  readonly seed: number;
  readonly rates: Rates;
  readonly controllerSet: ControllerSet;
  readonly delivery: 'direct' | 'nats';
  readonly keepTrace: boolean;
  readonly nodes: number;
  /** How many nodes a clique may have. */
  readonly maxNodes: number;
}

export class CliqueWorld {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly network: MemoryNetwork;
  readonly trace: Trace;
  readonly tally = new Tally();
  readonly violations: string[] = [];
  readonly oracles = { violate: (what: string): void => this.#violate(what) };
  readonly oracle: CliqueOracle;
  readonly ownerships: Ownerships;
  readonly processes: Processes;
  readonly injected: Record<string, number> = {};
  /** Of users, whom no faults meet. */
  readonly user: KubeTransport;
  readonly options: CliqueWorldOptions;
  readonly #startedAt = this.clock.now();
  readonly #healing: (() => void)[] = [];
  isHealed = false;

  constructor(options: CliqueWorldOptions) {
    this.options = options;
    const { clock, tally } = this;
    this.cluster = createCluster({
      clock,
      random: this.random('cluster'),
      nodes: options.nodes,
      plugins: [nvidiaPlugin],
    });
    this.network = new MemoryNetwork({ clock, random: this.random('network') });
    this.trace = new Trace(this.cluster.requests, clock.now(), options.keepTrace);
    this.user = this.cluster.transport(undefined, 'user');
    const { store } = this.cluster;
    const { oracles } = this;
    const { shards } = this.controllerSet;
    this.oracle = new CliqueOracle({
      ...{ store, tally, maxNodes: options.maxNodes },
      violate: (what) => this.#violate(what),
    });
    this.ownerships = new Ownerships({ store, oracles, shards, tally, treeOf });
    this.processes = this.#makeProcesses();
    this.cluster.requests.onRequest(() => this.#storm());
  }

  get controllerSet(): ControllerSet {
    return this.options.controllerSet;
  }

  random(purpose: string): Random {
    return streamOf(this.options.seed, purpose);
  }

  ask(request: KubeRequest): Promise<KubeResponse> {
    return this.user.request(request);
  }

  async start(): Promise<void> {
    const definitions = await crds();
    await this.cluster.start();
    // Files and certificates take real time; from here on only virtual time counts.
    await this.clock.drain();
    const post = async (path: string, body: unknown): Promise<void> => {
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    };
    for (const { name, body } of definitions) {
      if (!name.endsWith('.resource.nvidia.com')) continue;
      await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
    }
    await post('/api/v1/namespaces', { metadata: { name: driver } });
    const account = { metadata: { name: 'compute-domain-daemon-service-account' } };
    await post(`/api/v1/namespaces/${driver}/serviceaccounts`, account);
    const { busDrop: drop, busDuplicate: duplicate, busDelayMs } = this.options.rates;
    this.network.setPolicy({ drop, duplicate, delayMs: [0, Math.ceil(busDelayMs)] });
    await this.clock.advance(2_000);
  }

  /** Called when the world is healed. */
  onHealing(end: () => void): void {
    this.#healing.push(end);
  }

  heal(): void {
    this.isHealed = true;
    for (const end of this.#healing) end();
    this.trace.note(this.clock.now(), 'healed');
    this.network.setPolicy({});
    this.network.partition([]);
    this.processes.heal();
  }

  noteActors(): Promise<void> {
    return noteActors(this);
  }

  /** Ends everything; returns how many timers are left, which should be none. */
  async stop(): Promise<number> {
    this.processes.end();
    for (const process of this.processes.alive) {
      const stopped = process.stop();
      await this.clock.advance(15_000);
      await stopped;
    }
    await this.cluster.stop();
    await this.clock.advance(180_000);
    return this.clock.pending;
  }

  #violate(what: string): void {
    const second = ((this.clock.now() - this.#startedAt) / 1_000).toFixed(3);
    this.violations.push(`${second} s, version ${this.cluster.store.version}: ${what}`);
  }

  #machines(): Machines {
    const { computeDomains } = defaultConfiguration;
    const configuration = {
      ...defaultConfiguration,
      computeDomains: {
        ...computeDomains,
        image: 'driver:simulated',
        driverNamespace: driver,
        maxNodesPerImexDomain: this.options.maxNodes,
      },
    };
    const { behaviours, routes } = withSettings(nvidia, nvidiaSettings(configuration));
    return { behaviours, routes, watched: routes.map(({ kind }) => kind) };
  }

  #makeProcesses(): Processes {
    const { clock, network, cluster, oracle, oracles } = this;
    const { rates, delivery } = this.options;
    const server = cluster.transport(controller, controllerAgent);
    const ages = this.random('ages');
    const guards = new Guards({ store: cluster.store, tally: this.tally, ...oracles });
    const injected = (fault: string): void => {
      this.injected[fault] = (this.injected[fault] ?? 0) + 1;
    };
    const flips = new BitFlips({
      ...{ network, random: this.random('flips'), injected, violate: oracles.violate },
      rate: () => (this.isHealed ? 0 : rates.busFlip),
    });
    return new Processes({
      ...{ controllerSet: this.controllerSet, rates, delivery, clock, network, flips },
      machines: this.#machines(),
      random: (purpose) => this.random(purpose),
      request: async (tag, request) => {
        guards.judge(request);
        const carryOut = () => oracle.judge(tag, request, () => server.request(request));
        return this.controllerSet.leases
          ? this.ownerships.judge(tag, request, carryOut)
          : carryOut();
      },
      watch: (path, sink) => server.watch(path, sink),
      wire: {
        moment: () => this.ownerships.moment,
        past: (most) => Math.max(1, cluster.store.version - between(ages, 1, most)),
        misled: () => {},
        injected,
        violate: oracles.violate,
        interfere: (write) => interfere(cluster.store, this.user, write),
      },
      witnesses: oracle,
      onWrite: undefined,
      log: (...line) => this.#log(...line),
      note: (text) => this.trace.note(clock.now(), text),
    });
  }

  #storm(): void {
    if (this.trace.requests !== mostRequests) return;
    this.processes.end();
    this.#violate(`more than ${mostRequests} requests: a hot loop`);
    for (const process of this.processes.alive) process.crash();
  }

  #log(life: number, level: string, message: string, fields: JsonObject): void {
    if (level === 'error' && /broke|not taken|could not be read|restored/.test(message)) {
      this.#violate(`the controller logged: ${message} ${JSON.stringify(fields)}`);
    }
    this.trace.lines?.push(`    [${life}] ${level} ${message} ${JSON.stringify(fields)}`);
  }
}
