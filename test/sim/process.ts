// One life of the controller in a simulation: the real client, reflectors and actor system on a
// transport with faults and a clock that can die. A crash leaves no trace but what was committed.
import type { Clock, Random, Telemetry } from '#actors/ports.ts';
import { soleOwner } from '#actors/shard.ts';
import { type ActorSystem, createSystem } from '#actors/system.ts';
import type { MemoryBus } from '#bus/memory.ts';
import type { MemoryNetwork } from '#bus/network.ts';
import { behaviours, routes } from '#machines/index.ts';
import { type Kind, kinds } from '#machines/kinds.ts';
import { parkedStatus } from '#machines/supervision.ts';
import { createKubeClient, type Reflection } from '#src/kube/client.ts';
import { maxRequestsInFlight } from '#src/kube/limits.ts';
import type { ReflectorHealth } from '#src/kube/reflector.ts';
import { type FaultyOptions, type FaultyTransport, faultyTransport } from './faulty-transport.ts';
import { MortalClock } from './mortal-clock.ts';

export interface ProcessOptions {
  /** Counts the lives of the controller: no two processes give the same ids. */
  readonly life: number;
  readonly clock: Clock;
  /** Of the process itself: jitter and such. */
  readonly random: Random;
  readonly wire: Omit<FaultyOptions, 'crash' | 'isHasty'>;
  readonly network: MemoryNetwork;
  readonly delivery: 'direct' | 'nats';
  readonly telemetry: Telemetry;
  /** It died, by `crash` or on the wire. Called once. */
  readonly died: (process: ControllerProcess) => void;
}

export class ControllerProcess {
  readonly life: number;
  readonly clock: MortalClock;
  readonly bus: MemoryBus;
  readonly system: ActorSystem;
  readonly #transport: FaultyTransport;
  readonly #options: ProcessOptions;
  readonly #reflection: Reflection;
  #isOver = false;

  constructor(options: ProcessOptions) {
    const { life, random, wire, network, telemetry } = options;
    this.#options = options;
    this.life = life;
    this.clock = new MortalClock(options.clock);
    this.#transport = faultyTransport({
      ...wire,
      crash: () => this.crash(),
      isHasty: () => this.clock.hasJumped(2_000),
    });
    this.bus = network.join(`controller-${life}`);
    const ports = { clock: this.clock, random };
    const { log } = telemetry;
    const transport = this.#transport;
    // Wide enough for lists and reads too, so that a write is on the wire when it is sent.
    const limits = { maxInFlight: 3 * maxRequestsInFlight };
    const client = createKubeClient({ ...ports, transport, log, host: 'sim', limits });
    let ids = 0;
    this.system = createSystem({
      behaviours: Object.values(behaviours),
      routes: Object.values(routes),
      settings,
      parkedStatus,
      ports: {
        ...ports,
        cluster: client.cluster,
        bus: this.bus,
        ids: { next: () => `${life}-${++ids}` },
        lease: soleOwner(),
        telemetry,
      },
      delivery: options.delivery,
      limits: { writesInFlight: maxRequestsInFlight },
    });
    this.#reflection = client.reflect(Object.keys(kinds) as Kind[], (observation) =>
      this.system.observe(observation),
    );
    this.#reflection.synced.then(
      () => this.system.synced(),
      () => {},
    );
  }

  heal(): void {
    this.#transport.heal();
    this.bus.setConnected(true);
  }

  /** How its reflectors do. */
  health(): readonly ReflectorHealth[] {
    return this.#reflection.health();
  }

  /** Out of reach of the API server, or back. */
  part(isAway: boolean): void {
    this.#transport.part(isAway);
  }

  /** As kill -9: what was sent may still be committed, nothing else happens. */
  crash(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#transport.cut();
    this.clock.die();
    this.#options.network.leave(this.bus);
    this.#options.died(this);
  }

  /** A clean end, with nothing left behind. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.system.stop();
    this.#reflection.stop();
    await this.bus.close();
  }
}

const settings = {
  defaultSchedulerName: 'default-scheduler',
  schedulerNames: ['default-scheduler'],
  initContainerImage: 'registry.example/grove-initc:1',
};
