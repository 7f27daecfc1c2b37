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
import type { KubeTransport } from '#src/kube/transport.ts';
import { type FaultyTransport, faultyTransport } from './faulty-transport.ts';
import { MortalClock } from './mortal-clock.ts';
import type { Rates } from './rates.ts';

export interface ProcessOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: Rates;
  readonly inner: KubeTransport;
  readonly network: MemoryNetwork;
  readonly delivery: 'direct' | 'nats';
  readonly telemetry: Telemetry;
  readonly nextId: () => number;
}

export class ControllerProcess {
  readonly transport: FaultyTransport;
  readonly clock: MortalClock;
  readonly system: ActorSystem;
  readonly #bus: MemoryBus;
  readonly #network: MemoryNetwork;
  readonly #reflection: Reflection;

  constructor(options: ProcessOptions) {
    const { random, rates, inner, network, delivery, telemetry, nextId } = options;
    const life = nextId();
    this.clock = new MortalClock(options.clock);
    this.transport = faultyTransport({ inner, clock: this.clock, random, rates });
    this.#network = network;
    this.#bus = network.join(`controller-${life}`);
    const ports = { clock: this.clock, random };
    const client = createKubeClient({
      ...ports,
      transport: this.transport,
      log: telemetry.log,
      host: 'sim',
    });
    this.system = createSystem({
      behaviours: Object.values(behaviours),
      routes: Object.values(routes),
      settings: {
        defaultSchedulerName: 'default-scheduler',
        schedulerNames: ['default-scheduler'],
        initContainerImage: '',
      },
      parkedStatus,
      ports: {
        ...ports,
        cluster: client.cluster,
        bus: this.#bus,
        ids: { next: () => `${life}-${nextId()}` },
        lease: soleOwner(),
        telemetry,
      },
      delivery,
    });
    this.#reflection = client.reflect(Object.keys(kinds) as Kind[], (observation) =>
      this.system.observe(observation),
    );
    this.#reflection.synced.then(
      () => this.system.synced(),
      () => {},
    );
  }

  /** As kill -9: what was sent may still be committed, nothing else happens. */
  crash(): void {
    this.transport.cut();
    this.clock.die();
    this.#network.leave(this.#bus);
  }

  /** A clean end, with nothing left behind. */
  async stop(): Promise<void> {
    await this.system.stop();
    this.#reflection.stop();
    this.#network.leave(this.#bus);
  }
}
