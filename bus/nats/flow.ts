// How much a live connection may still be given, and whether it is alive at all. One ping is under
// way at a time; its answer confirms everything sent before it and measures the round trip. A
// socket whose peer stopped reading takes bytes without end, so what is unconfirmed is bounded.
import type { Clock } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';
import type { NatsOptions } from './options.ts';

export interface FlowPorts {
  readonly clock: Clock;
  /** Resolves when the server has answered a ping; rejects when the connection is lost. */
  readonly ping: () => Promise<void>;
  /** There is room again. */
  readonly onRoom: () => void;
  /** No answer for `pingIntervalMs * maxPingOut`: the connection is to be given up. */
  readonly onStale: () => void;
}

export type FlowOptions = Pick<NatsOptions, 'pingIntervalMs' | 'maxPingOut'>;

interface Ping {
  readonly since: number;
  readonly covers: number;
}

export class Flow {
  readonly #ports: FlowPorts;
  readonly #options: FlowOptions;
  #unconfirmed = 0;
  #ping: Ping | null = null;
  roundTripMs: number | null = null;
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(options: FlowOptions, ports: FlowPorts) {
    this.#options = options;
    this.#ports = ports;
    this.#start();
    this.#schedule();
  }

  get hasRoom(): boolean {
    return !this.#stopped && this.#unconfirmed < busLimits.unconfirmedBytes;
  }

  /** To be told of every message that was handed to the connection. */
  sent(bytes: number): void {
    this.#unconfirmed += bytes;
    // Early enough that the answer is there before the room is used up.
    if (this.#ping === null && this.#unconfirmed >= busLimits.unconfirmedBytes / 4) this.#start();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #schedule(): void {
    const { clock } = this.#ports;
    const next = clock.now() + this.#options.pingIntervalMs;
    this.#cancel = clock.at(Math.min(next, this.#due()), () => {
      if (this.#stopped) return;
      if (this.#ping === null) this.#start();
      else if (clock.now() >= this.#due()) return this.#ports.onStale();
      this.#schedule();
    });
  }

  /** When the ping under way is overdue. */
  #due(): number {
    const { pingIntervalMs, maxPingOut } = this.#options;
    return (this.#ping?.since ?? Number.POSITIVE_INFINITY) + pingIntervalMs * maxPingOut;
  }

  #start(): void {
    const ping: Ping = { since: this.#ports.clock.now(), covers: this.#unconfirmed };
    this.#ping = ping;
    this.#ports.ping().then(
      () => this.#answered(ping),
      () => undefined, // the connection is lost; link.ts hears of that from the connection itself
    );
  }

  #answered(ping: Ping): void {
    if (this.#stopped) return;
    this.#ping = null;
    this.roundTripMs = this.#ports.clock.now() - ping.since;
    this.#unconfirmed -= ping.covers;
    this.#ports.onRoom();
  }
}
