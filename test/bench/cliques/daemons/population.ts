// All simulated daemons of one process, in one language and by one model of work: opened first,
// then let go at one moment of the machine's clock, and asked for their times and counts at the
// end. main.ts runs it as a process of its own.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RateLimit } from '#src/kube/transport/ratelimit.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { machineMs } from '../../observer/claims.ts';
import { add, type RequestCounts } from '../../requests.ts';
import { Window } from '../../window.ts';
import type { Pace } from '../pace.ts';
import { cliqueName, cliquesIn, podsIn } from '../clique.ts';
import { strategyOf, type StrategyName } from '../strategies.ts';
import { type Access, Wire } from '../wire.ts';
import { Daemon, type DaemonReport, type DaemonSpec } from './daemon.ts';

export interface PopulationOrder {
  readonly strategy: StrategyName;
  readonly daemons: readonly DaemonSpec[];
  /** Of each daemon; the kubelet and its plug-in have none. */
  readonly limit?: RateLimit | undefined;
  readonly seed: number;
  readonly pace: Pace;
  readonly access: { readonly daemon: Access; readonly kubelet: Access; readonly plugin: Access };
}

export interface PopulationReport {
  readonly daemons: readonly DaemonReport[];
  /** Requests of the daemons; the kubelet's and the plug-in's are left out. */
  readonly counts: RequestCounts;
  readonly events: number;
  readonly bytes: number;
  /** By which the process was late, 99th percentile: it must not be what is measured. */
  readonly lagMs: number;
}

/** Connections that are opened at once. */
const opening = 32;
const sharedSockets = 64;
/** More than there are daemons: each draws anew in each block. */
const streams = 100_003;
/** Between two looks at the lag; a look that is not late counts as so much. */
const lagStepMs = 10;

export class Population {
  readonly #daemons: readonly Daemon[];
  readonly #specs: readonly DaemonSpec[];
  readonly #wires: readonly Wire[];
  readonly #kubelet: Wire;
  readonly #plugin: Wire;
  readonly #lag = monitorEventLoopDelay({ resolution: lagStepMs });
  readonly #timers: NodeJS.Timeout[] = [];
  #left: number;
  readonly #finish: () => void;
  /** Every daemon has seen everything. */
  readonly finished: Promise<void>;

  private constructor(order: PopulationOrder) {
    const { daemons, limit, access, seed, pace } = order;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.finished = promise;
    this.#finish = resolve;
    this.#left = daemons.length;
    this.#kubelet = new Wire(access.kubelet, { sockets: sharedSockets });
    this.#plugin = new Wire(access.plugin, { sockets: sharedSockets });
    const shared = {
      kubelet: this.#kubelet,
      plugin: this.#plugin,
      strategy: strategyOf(order.strategy),
      pace,
      finished: () => this.#count(),
    };
    this.#wires = daemons.map(() => new Wire(access.daemon, { limit }));
    this.#daemons = daemons.map((spec, at) => {
      const wire = this.#wires[at] ?? new Wire(access.daemon);
      return new Daemon(spec, { ...shared, wire, random: seeded(seed * streams + at) });
    });
    this.#specs = daemons;
  }

  /** Resolves when every watch is there. */
  static async open(order: PopulationOrder): Promise<Population> {
    const population = new Population(order);
    const window = new Window(opening);
    await Promise.all(population.#daemons.map((daemon, at) => window.run(at, () => daemon.open())));
    await population.#openShared();
    return population;
  }

  /** A kubelet and its plug-in have their connections long before a daemon joins. */
  async #openShared(): Promise<void> {
    const [one] = this.#specs;
    if (one === undefined) return;
    const { namespace } = one.key;
    const pod = `${podsIn(namespace)}/${one.pod}`;
    const clique = `${cliquesIn(namespace)}/${cliqueName(one.key)}`;
    const sockets = Array.from({ length: Math.min(sharedSockets, this.#specs.length) });
    await Promise.all(
      sockets.flatMap(() => [
        this.#kubelet.request({ method: 'GET', path: pod }),
        this.#plugin.request({ method: 'GET', path: clique }),
      ]),
    );
  }

  /** Lets all join, each at its time after this moment. */
  go(atMs: number): void {
    this.#lag.enable();
    this.#daemons.forEach((daemon, at) => {
      const inMs = atMs - machineMs() + (this.#specs[at]?.joinMs ?? 0);
      this.#timers.push(setTimeout(() => void daemon.join(), inMs));
    });
  }

  report(): PopulationReport {
    this.#lag.disable();
    return {
      daemons: this.#daemons.map((daemon) => daemon.report()),
      counts: this.#wires.map(({ counts }) => counts).reduce(add, {}),
      events: this.#wires.reduce((sum, { events }) => sum + events, 0),
      bytes: this.#wires.reduce((sum, { bytes }) => sum + bytes, 0),
      lagMs: Math.round(Math.max(0, this.#lag.percentile(99) / 1e6 - lagStepMs)),
    };
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const daemon of this.#daemons) daemon.close();
    const all = [...this.#wires, this.#kubelet, this.#plugin];
    await Promise.all(all.map((wire) => wire.close()));
  }

  #count(): void {
    this.#left--;
    if (this.#left === 0) this.#finish();
  }
}
