// A KubeTransport with a bad day: it stands between the controller and the API server and delays,
// loses, refuses and breaks by the rates of the run, all from one seed. `cut` is the crash of the
// process on this side: nothing that it sent gets an answer any more.
import type { Clock, Random } from '#actors/ports.ts';
import type { KubeRequest, KubeResponse, KubeTransport, WatchSink } from '#src/kube/transport.ts';
import { LaggingPipe } from './lagging-pipe.ts';
import type { Rates } from './rates.ts';

export interface FaultyTransport extends KubeTransport {
  /** Ends all faults: from now on the wire is good. What is half open stays so. */
  heal(): void;
  /** The API server cannot be reached (true) or can again. */
  part(isAway: boolean): void;
  /** The process behind this transport is dead. */
  cut(): void;
}

export interface FaultyOptions {
  readonly inner: KubeTransport;
  /** Of the world: a wire outlives its process. */
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: Rates;
  /** Counts what was injected, by name. */
  readonly injected: (fault: string) => void;
  /** A write is about to be sent. May end the process (`cut`), before or after it is done. */
  readonly onWrite?: (write: KubeRequest) => 'crashBefore' | 'crashAfter' | undefined;
  readonly crash: () => void;
  /** The client's clock jumped forward lately: it may take a pause for over too early. */
  readonly isHasty: () => boolean;
  /** The client did what it must not do. */
  readonly violate: (what: string) => void;
  /** Somebody else changes the object of this write first. */
  readonly interfere: (write: KubeRequest) => Promise<void>;
}

export const faultyTransport = (options: FaultyOptions): FaultyTransport => new Wire(options);

const never = new Promise<never>(() => {});

class Wire implements FaultyTransport {
  readonly #options: FaultyOptions;
  readonly #closers = new Set<() => void>();
  #isHealed = false;
  #isDead = false;
  #isAway = false;
  /** Until when the server asked not to be asked, by kind. */
  readonly #closed = new Map<string, number>();

  constructor(options: FaultyOptions) {
    this.#options = options;
  }

  heal(): void {
    this.#isHealed = true;
    this.#isAway = false;
  }

  part(isAway: boolean): void {
    this.#isAway = isAway;
  }

  cut(): void {
    this.#isDead = true;
    for (const close of this.#closers) close();
    this.#closers.clear();
  }

  async request(asked: KubeRequest): Promise<KubeResponse> {
    const { rates, inner } = this.#options;
    const flow = flowOf(asked);
    this.#judgeHaste(flow, asked);
    await this.#pause(rates.requestDelayMs);
    if (this.#isDead) return this.#arriveLate(asked);
    if (this.#isAway || this.#chance('lostRequest')) {
      throw new Error('connection reset before the request was sent');
    }
    if (this.#chance('throttled')) {
      this.#closed.set(flow, this.#options.clock.now() + retryAfterMs);
      return throttled;
    }
    if (this.#chance('serverError')) return serverError;
    const isWrite = asked.method !== 'GET';
    const fate = isWrite ? this.#fate(asked) : undefined;
    if (fate === 'crashBefore') return this.#die();
    if (isWrite && this.#chance('foreignWrite')) await this.#options.interfere(asked);
    const response = await inner.request(asked);
    if (fate === 'crashAfter') return this.#die();
    await this.#pause(rates.requestDelayMs);
    if (this.#isDead) return this.#arriveLate(asked);
    if (this.#isAway || (isWrite && this.#chance('lostReply'))) {
      throw new Error('connection reset before the answer came');
    }
    return response;
  }

  watch(path: string, sink: WatchSink): () => void {
    if (this.#isDead) return () => {};
    const { clock, inner } = this.#options;
    const pipe = new LaggingPipe(clock, sink);
    if (this.#isAway) {
      pipe.end({ kind: 'ended', error: new Error('no route to the API server') });
      return () => pipe.end({ kind: 'aborted' });
    }
    const end = (error?: Error): void => {
      close();
      pipe.end({ kind: 'ended', ...(error === undefined ? {} : { error }) });
    };
    const forget = (): void => {
      this.#closers.delete(cutOff);
    };
    const cutOff = (): void => {
      close();
      pipe.hang();
    };
    const close = inner.watch(path, {
      event: (event) => {
        if (this.#isAway || this.#chance('watchHang')) pipe.hang();
        if (this.#chance('watchBreak')) end(new Error('watch connection reset'));
        else if (this.#chance('watchExpire')) {
          pipe.event({ type: 'ERROR', object: expired }, this.#lag());
          end();
        } else pipe.event(event, this.#lag());
      },
      closed: (reason) => {
        forget();
        pipe.end(reason);
      },
    });
    this.#closers.add(cutOff);
    return () => {
      forget();
      close();
      pipe.end({ kind: 'aborted' });
    };
  }

  /** Retry-After is obeyed: nothing new of that kind is sent before. */
  #judgeHaste(flow: string, { method, path }: KubeRequest): void {
    const earlyMs = (this.#closed.get(flow) ?? 0) - this.#options.clock.now();
    // In the moment of the answer itself the client cannot have heard of it.
    if (flow === '' || earlyMs <= 0 || earlyMs >= retryAfterMs) return;
    if (this.#isDead || this.#options.isHasty()) return;
    this.#options.violate(`${method} ${path} is sent ${earlyMs} ms before Retry-After is over`);
  }

  #fate(write: KubeRequest): 'crashBefore' | 'crashAfter' | undefined {
    const asked = this.#options.onWrite?.(write);
    if (asked !== undefined) return asked;
    if (!this.#chance('crash')) return undefined;
    return this.#options.random.next() < 0.5 ? 'crashBefore' : 'crashAfter';
  }

  /** What a process sent before its end may reach the server after it. */
  #arriveLate(asked: KubeRequest): Promise<never> {
    const { inner, random } = this.#options;
    if (asked.method !== 'GET' && random.next() < 0.5) void inner.request(asked).catch(() => {});
    return never;
  }

  #die(): Promise<never> {
    this.#options.crash();
    return never;
  }

  #chance(name: keyof Rates): boolean {
    const { rates, random, injected } = this.#options;
    if (this.#isHealed || rates[name] === 0 || random.next() >= rates[name]) return false;
    injected(name);
    return true;
  }

  #lag(): number {
    const { random, rates } = this.#options;
    return this.#isHealed ? 1 : random.next() * rates.watchLagMs;
  }

  #pause(most: number): Promise<void> {
    const { clock, random } = this.#options;
    const wait = this.#isHealed ? 1 : Math.ceil(random.next() * most);
    return new Promise((resolve) => clock.at(clock.now() + wait, resolve));
  }
}

const retryAfterMs = 1_000;

/** Writes of a kind, or lists of a kind. Events are best effort, and a single object is read only
 *  after a write. */
function flowOf({ method, path }: KubeRequest): string {
  const [bare = '', query = ''] = path.split('?', 2);
  const parts = bare.split('/');
  const at = parts.indexOf('namespaces');
  const plural = at < 0 ? parts.at(-1) : parts[at + 2];
  if (plural === 'events') return '';
  if (method === 'GET') return query.includes('limit=') ? `list ${plural}` : '';
  return `write ${plural}`;
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
  body: status(500, 'InternalError', 'an error on the server prevented the request'),
};
