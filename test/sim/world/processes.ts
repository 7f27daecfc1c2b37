// The controllers of a run: starts them, each with its wire and its clock, and puts another one in
// the place of one that died or left, as a Deployment would. Part of world.ts.
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import type { MemoryNetwork } from '#test/support/bus/network.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import type { BitFlips } from '../faults/bit-flips.ts';
import type { FaultyOptions } from '../faults/faulty-transport.ts';
import { MortalClock } from '../faults/mortal-clock.ts';
import type { Rates } from '../faults/rates.ts';
import { hostName, type Tag } from '../oracles/ownerships.ts';
import { pick } from '../users/workload.ts';
import type { ControllerSet } from './controller-set.ts';
import type { Machines } from './machines.ts';
import { ControllerProcess } from './process.ts';

export type Wire = Omit<FaultyOptions, 'crash' | 'own'>;

export interface ProcessesOptions {
  readonly controllerSet: ControllerSet;
  readonly rates: Rates;
  readonly delivery: 'direct' | 'nats';
  readonly machines: Machines;
  readonly clock: Clock;
  readonly network: MemoryNetwork;
  readonly flips: BitFlips;
  /** A stream of its own per purpose. */
  readonly random: (purpose: string) => Random;
  /** Carries out a request of the controller's. */
  readonly request: (tag: Tag, request: KubeRequest) => Promise<KubeResponse>;
  readonly watch: KubeTransport['watch'];
  /** What all wires have in common. */
  readonly wire: Omit<
    Wire,
    | 'witness'
    | 'server'
    | 'clock'
    | 'random'
    | 'refusing'
    | 'landing'
    | 'ordering'
    | 'rates'
    | 'onWrite'
  >;
  readonly witnesses: {
    /** One more, for a wire of this life. */
    call(life: number): Wire['witness'];
    /** This process has given up shards. */
    lost(life: number): void;
  };
  readonly onWrite: FaultyOptions['onWrite'];
  readonly log: (life: number, level: string, message: string, fields: JsonObject) => void;
  readonly note: (text: string) => void;
}

export class Processes {
  /** Those that live, also while they leave. */
  readonly alive = new Set<ControllerProcess>();
  crashes = 0;
  readonly #options: ProcessesOptions;
  readonly #leaving = new Set<ControllerProcess>();
  #started = 0;
  #isHealed = false;
  #isOver = false;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  /** As many as the crew has. */
  startAll(): void {
    while (this.alive.size < this.#options.controllerSet.processes) this.start();
  }

  start(): ControllerProcess {
    const life = ++this.#started;
    const { clock, controllerSet, random, rates, network, delivery, note, machines } =
      this.#options;
    const own = random(`clock ${life}`);
    const mortal = new MortalClock(clock, pick(own, controllerSet.clockRates) ?? 1);
    if (controllerSet.skewMs > 0)
      mortal.jump(Math.floor((2 * own.next() - 1) * controllerSet.skewMs));
    const telemetry = recordingTelemetry();
    const { onWrite, flips } = this.#options;
    const process = new ControllerProcess({
      life,
      clock: mortal,
      random: random(`process ${life}`),
      controllerSet,
      network,
      flips,
      delivery,
      machines,
      telemetry: { ...telemetry, log: (...line) => this.#options.log(life, ...line) },
      wire: {
        ...this.#wire(life, 'wire', rates),
        ...(onWrite === undefined ? {} : { onWrite }),
      },
      // Renewals are many: a process that died at one in twenty would do nothing else.
      leaseWire: controllerSet.leases
        ? this.#wire(life, 'leases', { ...rates, crash: rates.crash / 10 })
        : undefined,
      lost: (who) => this.#options.witnesses.lost(who),
      died: (dead) => this.#markDead(dead),
    });
    this.alive.add(process);
    note(`controller ${life} starts`);
    if (this.#isHealed) process.heal();
    return process;
  }

  heal(): void {
    this.#isHealed = true;
    for (const process of this.alive) process.heal();
  }

  /** Leaves in good order; its place is taken at once. */
  leave(process: ControllerProcess): void {
    if (this.#leaving.has(process)) return;
    this.#leaving.add(process);
    this.#options.note(`${hostName(process.life)} leaves`);
    this.start();
    void process.stop().then(() => {
      this.alive.delete(process);
      this.#options.note(`${hostName(process.life)} has left`);
    });
  }

  /** Nobody comes back any more. */
  end(): void {
    this.#isOver = true;
  }

  #wire(life: number, name: string, rates: Rates): Wire {
    const { clock, random, watch, wire, witnesses } = this.#options;
    const request = (asked: KubeRequest, moment: number): Promise<KubeResponse> =>
      this.#options.request({ life, moment }, asked);
    return {
      ...wire,
      witness: witnesses.call(life),
      server: { request, watch },
      clock,
      random: random(`${name} ${life}`),
      refusing: random(`${name} refusals ${life}`),
      landing: random(`${name} late writes ${life}`),
      ordering: random(`${name} order ${life}`),
      rates,
    };
  }

  /** After a crash the controller comes back: a kubelet restarts it in a few seconds. */
  #markDead(dead: ControllerProcess): void {
    const { clock, controllerSet, note, random } = this.#options;
    this.alive.delete(dead);
    this.crashes++;
    note(`controller ${dead.life} died`);
    if (this.#isOver || this.#leaving.has(dead)) return;
    const pause = Math.ceil(random(`pause ${dead.life}`).next() * 3_000);
    clock.at(clock.now() + pause, () => {
      if (!this.#isOver && this.#staying() < controllerSet.processes) this.start();
    });
  }

  #staying(): number {
    return [...this.alive].filter((process) => !this.#leaving.has(process)).length;
  }
}
