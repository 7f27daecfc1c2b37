// One life of the controller in a simulation: the real client, reflectors, leases and actor system
// on transports with faults and a clock that can stand still or die. A crash leaves no trace but
// what was committed.
import type { Random, Telemetry } from '#actors/ports.ts';
import type { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import { type ActorSystem, createSystem } from '#actors/system.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { startWatches, type Watches, lateKinds } from '#src/controller/watches.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { maxRequestsInFlight } from '#src/kube/limits.ts';
import type { ReflectorHealth } from '#src/kube/watch/watch-health.ts';
import { createLeases } from '#src/leases/leases.ts';
import type { MemoryBus } from '#test/support/bus/memory.ts';
import type { MemoryNetwork } from '#test/support/bus/network.ts';
import type { BitFlips } from '../faults/bit-flips.ts';
import {
  type FaultyOptions,
  type FaultyTransport,
  faultyTransport,
} from '../faults/faulty-transport.ts';
import { gatedBus } from '../faults/gated-bus.ts';
import type { MortalClock } from '../faults/mortal-clock.ts';
import type { Death } from '../faults/watch-path.ts';
import { hostName } from '../oracles/ownerships.ts';
import { namespace } from '../users/workload.ts';
import type { ControllerSet } from './controller-set.ts';
import type { Machines } from './machines.ts';

export interface ProcessOptions {
  /** Counts the lives of the controller: no two processes give the same ids. */
  readonly life: number;
  readonly clock: MortalClock;
  /** Of the process itself: jitter and such. */
  readonly random: Random;
  readonly wire: Omit<FaultyOptions, 'crash' | 'own'>;
  /** The connection of the leases. Absent: this process owns every shard. */
  readonly leaseWire: Omit<FaultyOptions, 'crash' | 'own'> | undefined;
  readonly controllerSet: Pick<ControllerSet, 'shards' | 'terms'>;
  readonly network: MemoryNetwork;
  readonly flips: BitFlips;
  readonly delivery: 'direct' | 'nats';
  readonly telemetry: Telemetry;
  readonly machines: Machines;
  /** Its actors of a shard are gone: it has lost that, or believes so. */
  readonly lost: (life: number) => void;
  /** It died, by `crash` or on the wire. Called once. */
  readonly died: (process: ControllerProcess) => void;
}

export interface Footprint {
  readonly watches: number;
  readonly timers: number;
  readonly actors: number;
}

export class ControllerProcess {
  readonly life: number;
  readonly clock: MortalClock;
  readonly bus: MemoryBus;
  readonly system: ActorSystem;
  readonly #transport: FaultyTransport;
  readonly #leaseTransport: FaultyTransport | undefined;
  readonly #keeper: LeaseKeeper | undefined;
  readonly #options: ProcessOptions;
  readonly #watches: Watches;
  /** Ids given: each reconcile that leads to anything takes one. */
  ids = 0;
  #isOver = false;

  constructor(options: ProcessOptions) {
    const { life, clock, random, wire, leaseWire, network, controllerSet, telemetry } = options;
    this.#options = options;
    this.life = life;
    this.clock = clock;
    const end = { own: clock, crash: () => this.crash() };
    this.#transport = faultyTransport({ ...wire, ...end });
    this.bus = network.join(hostName(life));
    const ports = { clock, random };
    const { log } = telemetry;
    const transport = this.#transport;
    // Wide enough for lists and reads too, so that a write is on the wire when it is sent.
    const limits = { maxInFlight: 3 * maxRequestsInFlight };
    const client = createKubeClient({ ...ports, transport, log, host: 'sim', limits });
    if (leaseWire !== undefined) {
      this.#leaseTransport = faultyTransport({ ...leaseWire, ...end });
      this.#keeper = keeperOf(options, this.#leaseTransport, () => this.#watches.suspectOutage());
    }
    this.system = createSystem({
      behaviours: options.machines.behaviours,
      routes: options.machines.routes,
      ports: {
        ...ports,
        cluster: client.cluster,
        bus: gatedBus(this.bus, clock, options.flips),
        ids: { next: () => `${life}-${++this.ids}` },
        lease: this.#keeper ?? soleOwner(controllerSet.shards),
        telemetry,
      },
      delivery: options.delivery,
      limits: { writesInFlight: maxRequestsInFlight },
    });
    const { watched: kinds, behaviours } = options.machines;
    const actors = behaviours.map(({ kind }) => kind);
    this.#watches = startWatches({
      kube: client,
      system: this.system,
      clock,
      kinds,
      // Half of them are as if they had had a tree before: what they take over they have watched.
      late: this.#keeper === undefined || life % 2 === 0 ? [] : lateKinds(kinds, actors),
      lost: () => this.crash(), // a kubelet starts it anew
    });
    this.#watches.synced.then(
      () => this.#keeper?.start(),
      () => {},
    );
  }

  /** Nothing is in its way any more. */
  heal(): void {
    this.#transport.heal();
    this.#leaseTransport?.heal();
    this.bus.setConnected(true);
    if (this.clock.isStalled) this.clock.resume();
  }

  /** As it does once an actor lives here. */
  watchAll(): void {
    this.#watches.begin();
  }

  footprint(): Footprint {
    const trees = [...this.system.trees()];
    return {
      watches: this.#transport.heldWatches + (this.#leaseTransport?.heldWatches ?? 0),
      timers: this.clock.pending,
      actors: trees.reduce((sum, { actors }) => sum + [...actors].length, 0),
    };
  }

  /** How its reflectors do. */
  health(): readonly ReflectorHealth[] {
    return this.#watches.health();
  }

  /** Out of reach of the API server, or back: with all that it does, or one of its connections. */
  part(isAway: boolean, which: 'work' | 'leases' | 'both'): void {
    if (which !== 'leases') this.#transport.part(isAway);
    if (which !== 'work') this.#leaseTransport?.part(isAway);
  }

  /** Its watches tell nothing any more, while all else works; undefined: they do again. */
  killWatches(death: Death | undefined, which: 'work' | 'leases' = 'work'): void {
    const transport = which === 'work' ? this.#transport : this.#leaseTransport;
    transport?.killWatches(death);
  }

  /** As kill -9: what was sent may still be committed, nothing else happens. */
  crash(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#transport.cut();
    this.#leaseTransport?.cut();
    this.clock.die();
    this.#options.network.leave(this.bus);
    this.#options.died(this);
  }

  /** A clean end, with nothing left behind; in the order of src/controller/start.ts. Does not
   *  resolve where it dies on the way. */
  async stop(): Promise<void> {
    await this.#keeper?.leave();
    await this.system.stop();
    this.#watches.stop();
    await this.bus.close();
    this.#isOver = true;
  }
}

function keeperOf(
  { life, clock, controllerSet, telemetry, lost }: ProcessOptions,
  transport: FaultyTransport,
  suspectOutage: () => void,
): LeaseKeeper {
  const { shards, terms } = controllerSet;
  let members = 0;
  const keeper = createLeases({
    configuration: { leases: { ...defaultConfiguration.leases, ...terms }, shards },
    namespace,
    transport,
    clock,
    log: telemetry.log,
    host: hostName(life),
    unique: () => String(++members),
    lost: suspectOutage,
  });
  keeper.onChange((_, held) => {
    if (!held) lost(life);
  });
  return keeper;
}
