// The world of one run with one module that is not Grove's: an embedded cluster, the lives of a
// controller that runs the module alone, and what is the same for all of them. cliques/ and pools/
// have one each, with the oracles that judge there.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { type Cluster, type ClusterPlugin, createCluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { MemoryNetwork } from '#test/support/bus/network.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { BitFlips } from '../faults/bit-flips.ts';
import { interfere } from '../faults/interfere.ts';
import type { Rates } from '../faults/rates.ts';
import { Ownerships, type OwnershipsOptions, type Tag } from '../oracles/ownerships.ts';
import { Tally } from '../oracles/tally.ts';
import { between } from '../users/workload.ts';
import type { ControllerSet } from './controller-set.ts';
import { crds } from './crds.ts';
import type { Machines } from './machines.ts';
import { noteActors } from './note-actors.ts';
import { Processes, type ProcessesOptions } from './processes.ts';
import { streamOf } from './streams.ts';
import { controllerAgent, Trace } from './trace.ts';

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };
/** More requests than any run has that goes well: a hot loop. */
const mostRequests = 60_000;

export interface ModuleWorldOptions {
  readonly seed: number;
  readonly rates: Rates;
  readonly controllerSet: ControllerSet;
  readonly delivery: 'direct' | 'nats';
  readonly keepTrace: boolean;
  readonly nodes: number;
}

/** What a module brings. */
export interface ModuleParts {
  readonly plugins: readonly ClusterPlugin[];
  readonly machines: Machines;
  /** How the names of its CRDs end. */
  readonly group: string;
  readonly treeOf: OwnershipsOptions['treeOf'];
}

export abstract class ModuleWorld<Options extends ModuleWorldOptions> {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly network: MemoryNetwork;
  readonly trace: Trace;
  readonly tally = new Tally();
  readonly violations: string[] = [];
  readonly oracles = { violate: (what: string): void => this.#violate(what) };
  readonly ownerships: Ownerships;
  readonly processes: Processes;
  readonly injected: Record<string, number> = {};
  /** Of users, whom no faults meet. */
  readonly user: KubeTransport;
  readonly options: Options;
  readonly #group: string;
  readonly #startedAt = this.clock.now();
  readonly #healing: (() => void)[] = [];
  isHealed = false;

  constructor(options: Options, { plugins, machines, group, treeOf }: ModuleParts) {
    this.options = options;
    this.#group = group;
    const { clock, tally, oracles } = this;
    const { nodes, keepTrace } = options;
    const random = this.random('cluster');
    this.cluster = createCluster({ clock, random, nodes, plugins });
    this.network = new MemoryNetwork({ clock, random: this.random('network') });
    this.trace = new Trace(this.cluster.requests, clock.now(), keepTrace);
    this.user = this.cluster.transport(undefined, 'user');
    const { store } = this.cluster;
    const { shards } = this.controllerSet;
    this.ownerships = new Ownerships({ store, oracles, shards, tally, treeOf });
    this.processes = this.#makeProcesses(machines);
    this.cluster.requests.onRequest(() => this.#storm());
  }

  /** A request of a process arrives at the server. */
  protected abstract guard(request: KubeRequest): void;

  /** Carries it out, and judges what came of it. */
  protected abstract judge(
    tag: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse>;

  protected abstract readonly witnesses: ProcessesOptions['witnesses'];

  /** What must be there besides the CRDs. */
  protected abstract furnish(post: (path: string, body: unknown) => Promise<void>): Promise<void>;

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
    const definitions = crds();
    await this.cluster.start();
    // Files and certificates take real time; from here on only virtual time counts.
    await this.clock.drain();
    const post = async (path: string, body: unknown): Promise<void> => {
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    };
    for (const { name, body } of definitions) {
      if (!name.endsWith(this.#group)) continue;
      await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
    }
    await this.furnish(post);
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

  protected inject(fault: string): void {
    this.injected[fault] = (this.injected[fault] ?? 0) + 1;
  }

  #violate(what: string): void {
    const second = ((this.clock.now() - this.#startedAt) / 1_000).toFixed(3);
    this.violations.push(`${second} s, version ${this.cluster.store.version}: ${what}`);
  }

  #makeProcesses(machines: Machines): Processes {
    const { clock, network, cluster, oracles } = this;
    const { rates, delivery } = this.options;
    const server = cluster.transport(controller, controllerAgent);
    const ages = this.random('ages');
    const injected = (fault: string): void => this.inject(fault);
    const flips = new BitFlips({
      ...{ network, random: this.random('flips'), injected, violate: oracles.violate },
      rate: () => (this.isHealed ? 0 : rates.busFlip),
    });
    return new Processes({
      ...{ controllerSet: this.controllerSet, rates, delivery, clock, network, flips, machines },
      random: (purpose) => this.random(purpose),
      request: async (tag, request) => {
        this.guard(request);
        const carryOut = () => this.judge(tag, request, () => server.request(request));
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
      witnesses: {
        call: (life) => this.witnesses.call(life),
        lost: (life) => this.witnesses.lost(life),
      },
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
