// Limits on what is sent: a bound on requests in flight, always, and a token bucket per resource as
// client-go has it, where the configuration asks for one. client.ts wraps its transport in it.
import { entryOf } from '#actors/maps.ts';
import type { Clock } from '#actors/ports.ts';
import { requestInfo } from '../paths.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from './transport.ts';

export interface RateLimit {
  /** Requests per second over time. */
  readonly qps: number;
  /** Requests at once after a pause. */
  readonly burst: number;
}

/** Fills at `qps` tokens a second up to `burst`; full at the start. Takers are served in order. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  /** Negative: that many are promised to takers who wait. */
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, limit: RateLimit) {
    if (!(limit.qps > 0) || !(limit.burst >= 1)) {
      throw new RangeError(
        `qps must be above 0 and burst at least 1, not ${JSON.stringify(limit)}`,
      );
    }
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = clock.steady();
  }

  /** Takes one token and says in how many milliseconds it may be used. */
  take(): number {
    const { qps, burst } = this.#limit;
    const now = this.#clock.steady();
    const filled = ((now - this.#filledAt) / 1000) * qps;
    this.#tokens = Math.min(burst, this.#tokens + filled) - 1;
    this.#filledAt = now;
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens / qps) * 1000);
  }
}

/** At most `most` at a time; those who wait are let in by age. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    if (!(most >= 1)) throw new RangeError(`the bound in flight must be at least 1, not ${most}`);
    this.#free = most;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

export interface Limits {
  /** Absent: the server's priority and fairness alone decides. */
  readonly rate?: RateLimit;
  readonly maxInFlight: number;
}

/**
 * The same transport within limits. A bucket belongs to a resource, subresources included, as every
 * kind has its own client and bucket in controller-runtime. Opening a watch counts for neither: a
 * watch that waits behind writes would keep the writers on old facts.
 */
export function limited(transport: KubeTransport, clock: Clock, limits: Limits): KubeTransport {
  const gate = new Gate(limits.maxInFlight);
  const buckets = new Map<string, TokenBucket>();
  const waitFor = (request: KubeRequest, rate: RateLimit): number => {
    const resource = requestInfo(request.method, request.path).resource.split('/', 1)[0] ?? '';
    return entryOf(buckets, resource, () => new TokenBucket(clock, rate)).take();
  };
  const request = async (what: KubeRequest): Promise<KubeResponse> => {
    const waitMs = limits.rate === undefined ? 0 : waitFor(what, limits.rate);
    if (waitMs > 0) {
      await new Promise<void>((go) => clock.at(clock.now() + waitMs, go));
    }
    what.signal?.throwIfAborted();
    return gate.pass(() => transport.request(what));
  };
  return { request, watch: (path, sink) => transport.watch(path, sink) };
}
