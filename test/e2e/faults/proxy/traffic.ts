// What passed through the proxy: each request with its answer, how many were under way at once.
// Scenarios count here instead of asking the controller, which is the one under suspicion.
import { isWrite, type ProxiedRequest } from './request.ts';
import type { Fault } from './rules.ts';

export interface Passed extends ProxiedRequest {
  /** Of the answer that the server or the proxy gave; 0 while there is none. */
  readonly status: number;
  /** By `performance.now()`. */
  readonly at: number;
  /** False: answered or cut off by the proxy before the server saw it. */
  readonly forwarded: boolean;
  /** What the proxy did to it at its coming; undefined: nothing. */
  readonly fault: Fault['type'] | undefined;
}

/** They tell of the others, and of the process being alive. */
const besides: ReadonlySet<string> = new Set(['events', 'leases']);

type Growing = { -readonly [K in keyof Passed]: Passed[K] };

/** Of one request, until it is over. */
export interface Passage {
  hit(fault: Fault['type']): void;
  forwarded(): void;
  /** The status that the server gave, whatever becomes of its answer. */
  answered(status: number): void;
  /** Nothing more goes to the client. May be called more than once. */
  over(): void;
}

export class Traffic {
  readonly #all: Growing[] = [];
  #underWay = 0;
  #peak = 0;

  /** Every request so far, in the order of arrival. */
  get all(): readonly Passed[] {
    return this.#all;
  }

  /** Requests that reached the server to change something, but for Events and leases. */
  get writes(): readonly Passed[] {
    return this.#all.filter((one) => isWrite(one) && one.forwarded && !besides.has(one.kind));
  }

  count(isCounted: (passed: Passed) => boolean): number {
    return this.#all.filter(isCounted).length;
  }

  /** Most requests under way at once since the last call; watches are left out. */
  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.#underWay;
    return peak;
  }

  begin(request: ProxiedRequest): Passage {
    const passed: Growing = {
      ...request,
      status: 0,
      at: performance.now(),
      forwarded: false,
      fault: undefined,
    };
    this.#all.push(passed);
    let isCounted = request.verb !== 'watch';
    if (isCounted) this.#peak = Math.max(this.#peak, ++this.#underWay);
    return {
      hit: (fault) => void (passed.fault = fault),
      forwarded: () => void (passed.forwarded = true),
      answered: (status) => void (passed.status = status),
      over: () => {
        if (isCounted) this.#underWay--;
        isCounted = false;
      },
    };
  }
}
