// A KubeTransport with a bad day: it stands between the controller and the API server and delays,
// loses, refuses and breaks by the rates of the run, all from one seed. `cut` is the crash of the
// process on this side: nothing that it sent gets an answer any more.
import type { Clock, Random } from '#actors/ports.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
  WatchEnd,
  WatchSink,
} from '#src/kube/transport.ts';
import type { Rates } from './rates.ts';

export interface FaultyTransport extends KubeTransport {
  /** Ends all faults: from now on the wire is good. */
  heal(): void;
  /** The process behind this transport is dead. */
  cut(): void;
  readonly injected: Readonly<Record<string, number>>;
}

interface Options {
  readonly inner: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: Rates;
}

export function faultyTransport({ inner, clock, random, rates }: Options): FaultyTransport {
  const injected: Record<string, number> = {};
  let healed = false;
  let dead = false;
  const chance = (name: string, rate: number): boolean => {
    if (healed || random.next() >= rate) return false;
    injected[name] = (injected[name] ?? 0) + 1;
    return true;
  };
  const pause = (most: number): Promise<void> =>
    new Promise((resolve) => clock.at(clock.now() + (healed ? 1 : random.next() * most), resolve));
  const never = new Promise<never>(() => {});

  async function request(asked: KubeRequest): Promise<KubeResponse> {
    await pause(rates.requestDelayMs);
    if (dead) return never;
    const write = asked.method !== 'GET';
    if (chance('lostRequest', rates.lostRequest))
      throw new Error('connection reset before the request was sent');
    if (chance('throttled', rates.throttled)) return throttled;
    if (chance('serverError', rates.serverError)) return serverError;
    const response = await inner.request(asked);
    await pause(rates.requestDelayMs);
    if (dead) return never;
    if (write && chance('lostReply', rates.lostReply))
      throw new Error('connection reset before the answer came');
    return response;
  }

  function watch(path: string, sink: WatchSink): () => void {
    const pipe = new LaggingPipe(clock, sink);
    const lag = (): number => (healed ? 1 : random.next() * rates.watchLagMs);
    const close = inner.watch(path, {
      event: (event) => {
        if (dead) return;
        if (chance('watchHang', rates.watchHang)) pipe.hang();
        if (chance('watchBreak', rates.watchBreak)) {
          close();
          pipe.end({ kind: 'ended', error: new Error('watch connection reset') });
        } else if (chance('watchExpire', rates.watchExpire)) {
          close();
          pipe.event({ type: 'ERROR', object: expired }, lag());
          pipe.end({ kind: 'ended' });
        } else {
          pipe.event(event, lag());
        }
      },
      closed: (reason) => {
        if (!dead) pipe.end(reason);
      },
    });
    return () => {
      close();
      pipe.end({ kind: 'aborted' });
    };
  }

  return {
    request,
    watch,
    injected,
    heal: () => {
      healed = true;
    },
    cut: () => {
      dead = true;
    },
  };
}

/** Delivers in order, each event no earlier than its lag; may fall silent for good. */
class LaggingPipe {
  readonly #clock: Clock;
  readonly #sink: WatchSink;
  #last = 0;
  #open = true;
  #silent = false;

  constructor(clock: Clock, sink: WatchSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  event(event: { readonly type: string; readonly object: unknown }, lagMs: number): void {
    this.#later(lagMs, () => this.#sink.event(event));
  }

  end(reason: WatchEnd): void {
    if (reason.kind === 'aborted') {
      if (!this.#open) return;
      this.#open = false;
      this.#sink.closed(reason);
      return;
    }
    this.#later(0, () => {
      this.#open = false;
      this.#sink.closed(reason);
    });
  }

  /** Half open: the connection looks alive and nothing comes any more. */
  hang(): void {
    this.#silent = true;
  }

  #later(lagMs: number, run: () => void): void {
    this.#last = Math.max(this.#last, this.#clock.now() + lagMs);
    this.#clock.at(this.#last, () => {
      if (this.#open && !this.#silent) run();
    });
  }
}

const status = (code: number, reason: string, message: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
});
const expired = status(410, 'Expired', 'too old resource version');
const throttled: KubeResponse = {
  status: 429,
  headers: { 'retry-after': '1' },
  body: status(429, 'TooManyRequests', 'too many requests, please try again later'),
};
const serverError: KubeResponse = {
  status: 500,
  headers: {},
  body: status(
    500,
    'InternalError',
    'an error on the server has prevented the request from succeeding',
  ),
};
