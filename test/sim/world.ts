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
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { Conduct } from './conduct.ts';
import type { FaultyOptions } from './faulty-transport.ts';
import { interfere } from './interfere.ts';
import { type Oracles, watchOracles } from './oracles.ts';
import { ControllerProcess } from './process.ts';
import type { Rates } from './rates.ts';
import { controllerAgent, Trace } from './trace.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly rates: Rates;
  readonly delivery: 'direct' | 'nats';
  /** Keep the lines of the trace and of the controller's log. */
  readonly keepTrace?: boolean;
  readonly onWrite?: FaultyOptions['onWrite'];
}

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

/** More requests than any run has that goes well: a hot loop. */
const mostRequests = 60_000;

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
  readonly alive = new Set<ControllerProcess>();
  readonly injected: Record<string, number> = {};
  readonly #options: WorldOptions;
  crashes = 0;
  #lives = 0;
  #isHealed = false;
  #isStormy = false;
  #contestedAt = -Infinity;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { clock } = this;
    this.cluster = createCluster({ clock, random: this.random('cluster'), nodes: 4 });
    this.network = new MemoryNetwork({ clock, random: this.random('network') });
    this.trace = new Trace(this.cluster.requests, clock.now(), options.keepTrace === true);
    this.oracles = watchOracles(this.cluster.store, clock, () => this.#isContested());
    this.conduct = new Conduct(this.cluster.store, this.oracles, (line) =>
      this.trace.note(clock.now(), line),
    );
    this.user = this.cluster.transport(undefined, 'user');
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
    for (const { body } of definitions) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    }
    const { staleList, busDrop, busDuplicate, busDelayMs } = this.#options.rates;
    if (staleList > 0) {
      const fault = { kind: 'stale', versions: 25 } as const;
      const { name: user } = controller;
      this.cluster.faults.add({ verb: 'list', user, fault, times: Infinity, rate: staleList });
    }
    this.network.setPolicy({
      drop: busDrop,
      duplicate: busDuplicate,
      delayMs: [0, Math.ceil(busDelayMs)],
    });
    await this.clock.advance(2_000);
  }

  /** A request of the user's. The answer, whatever it is; throws without one. */
  async ask(request: KubeRequest): Promise<KubeResponse> {
    return this.user.request(request);
  }

  get isHealed(): boolean {
    return this.#isHealed;
  }

  startController(): ControllerProcess {
    const life = ++this.#lives;
    const { clock, network, injected, conduct } = this;
    const { rates, delivery, onWrite } = this.#options;
    const inner = this.cluster.transport(controller, controllerAgent);
    const telemetry = recordingTelemetry();
    const process = new ControllerProcess({
      life,
      clock,
      random: this.random(`process ${life}`),
      network,
      delivery,
      telemetry: { ...telemetry, log: (...line) => this.#log(life, ...line) },
      wire: {
        inner: { ...conduct.watch(inner), watch: (path, sink) => inner.watch(path, sink) },
        clock,
        random: this.random(`wire ${life}`),
        rates,
        injected: (fault) => {
          injected[fault] = (injected[fault] ?? 0) + 1;
        },
        violate: (what) => this.oracles.violate(what),
        interfere: (write) => interfere(this.cluster.store, this.user, write),
        ...(onWrite === undefined ? {} : { onWrite }),
      },
      died: (dead) => this.#bury(dead),
    });
    this.alive.add(process);
    this.#isContested();
    this.trace.note(clock.now(), `controller ${life} starts`);
    if (this.#isHealed) process.heal();
    return process;
  }

  /** No more faults; what is broken stays so until somebody notices. */
  heal(): void {
    this.#isHealed = true;
    this.trace.note(this.clock.now(), 'healed');
    this.cluster.faults.clear();
    this.network.setPolicy({});
    this.network.partition([]);
    for (const process of this.alive) process.heal();
  }

  /** What the controllers think, for whoever reads the trace of a failure. */
  async noteActors(): Promise<void> {
    const { lines } = this.trace;
    if (lines === undefined) return;
    for (const process of this.alive) {
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
    for (const process of this.alive) {
      const stopped = process.stop();
      await this.clock.advance(6_000);
      await stopped;
    }
    this.oracles.stop();
    await this.cluster.stop();
    await this.clock.advance(180_000);
    return this.clock.pending;
  }

  #isContested(): boolean {
    if (this.alive.size > 1) this.#contestedAt = this.clock.now();
    return this.clock.now() - this.#contestedAt < 30_000;
  }

  /** After a crash the controller comes back: a kubelet restarts it in a few seconds. */
  #bury(dead: ControllerProcess): void {
    this.#isContested();
    this.alive.delete(dead);
    this.crashes++;
    this.trace.note(this.clock.now(), `controller ${dead.life} died`);
    if (this.alive.size > 0 || this.#isStormy) return;
    const pause = Math.ceil(this.random(`pause ${dead.life}`).next() * 3_000);
    this.clock.at(this.clock.now() + pause, () => {
      if (this.alive.size === 0) this.startController();
    });
  }

  #storm(): void {
    if (this.trace.requests !== mostRequests) return;
    this.#isStormy = true;
    this.oracles.violate(`more than ${mostRequests} requests: a hot loop`);
    for (const process of this.alive) process.crash();
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
