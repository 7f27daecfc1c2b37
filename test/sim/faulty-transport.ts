// A KubeTransport with a bad day: it stands between one process and the API server and delays,
// loses, refuses and breaks by the rates of the run, all from one seed. `cut` is the crash of the
// process on this side: nothing that it sent gets an answer any more.
import type { Clock, Random } from '#actors/ports.ts';
import {
  type KubeRequest,
  type KubeResponse,
  type KubeTransport,
  NotWanted,
  type WatchSink,
} from '#src/kube/transport.ts';
import { expired, retryAfterMs, serverError, throttled } from './answers.ts';
import { LaggingPipe } from './lagging-pipe.ts';
import type { MortalClock } from './mortal-clock.ts';
import { PastLists } from './past-lists.ts';
import type { Rates } from './rates.ts';
import type { Told } from './told.ts';

export interface FaultyTransport extends KubeTransport {
  /** Ends all faults: from now on the wire is good. What is half open stays so. */
  heal(): void;
  /** The API server cannot be reached (true) or can again. */
  part(isAway: boolean): void;
  /** The process behind this transport is dead. */
  cut(): void;
}

/** The API server at the end of the wire. `moment`: when the request was handed to the wire. */
export interface Server {
  request(request: KubeRequest, moment: number): Promise<KubeResponse>;
  readonly watch: KubeTransport['watch'];
}

export interface FaultyOptions {
  readonly server: Server;
  /** What `moment` is now. */
  readonly moment: () => number;
  /** Of the world: a wire outlives its process. */
  readonly clock: Clock;
  readonly random: Random;
  readonly rates: Rates;
  /** Counts what was injected, by name. */
  readonly injected: (fault: string) => void;
  /** A write is about to be sent. May end the process (`cut`), before or after it is done. */
  readonly onWrite?: (write: KubeRequest) => 'crashBefore' | 'crashAfter' | undefined;
  /** Of the process: nothing reaches it while it is stalled. */
  readonly own: MortalClock;
  readonly crash: () => void;
  /** A version of the past, for a list that shows it; and that the first list showed it. */
  readonly past: (most: number) => number;
  readonly misled: () => void;
  /** What the process knows from the answers to its writes. */
  readonly told: Told;
  /** The client did what it must not do. */
  readonly violate: (what: string) => void;
  /** Somebody else changes the object of this write first. */
  readonly interfere: (write: KubeRequest) => Promise<void>;
}

export const faultyTransport = (options: FaultyOptions): FaultyTransport => new Wire(options);

/** A new one each time: whoever waits for it is forgotten with it. */
const never = (): Promise<never> => new Promise(() => {});

/** A jump of the clock makes pauses look over that are not, for so long. */
const hastyMs = 2_000;

class Wire implements FaultyTransport {
  readonly #options: FaultyOptions;
  readonly #closers = new Set<() => void>();
  /** Requests that wait in the process. */
  readonly #waiting = new Set<() => void>();
  #isHealed = false;
  #isDead = false;
  #isAway = false;
  /** Until when the server asked not to be asked, by kind, on the steady clock of the process. */
  readonly #closed = new Map<string, number>();

  readonly #pastLists: PastLists;

  constructor(options: FaultyOptions) {
    this.#options = options;
    const chance = (name: keyof Rates): boolean => this.#chance(name);
    this.#pastLists = new PastLists({ ...options, chance });
  }

  heal(): void {
    this.#isHealed = true;
    this.#isAway = false;
    for (const go of this.#waiting) go();
  }

  part(isAway: boolean): void {
    this.#isAway = isAway;
  }

  cut(): void {
    this.#isDead = true;
    for (const close of this.#closers) close();
    this.#closers.clear();
  }

  /** The answer reaches the process through its event loop. */
  request(asked: KubeRequest): Promise<KubeResponse> {
    const { own, told } = this.#options;
    const flow = flowOf(asked);
    this.#judgeHaste(flow, asked);
    told.judge(asked);
    return new Promise((resolve, reject) => {
      this.#exchange(asked).then(
        (response) =>
          own.deliver(() => {
            if (response.status < 300 && flow.startsWith('list ')) this.#pastLists.answered(flow);
            if (response.status === 429) this.#closed.set(flow, own.steady() + retryAfterMs);
            told.hears(asked, response);
            resolve(response);
          }),
        (error: unknown) => own.deliver(() => reject(error)),
      );
    });
  }

  async #exchange({ isWanted, signal, ...asked }: KubeRequest): Promise<KubeResponse> {
    const moment = this.#options.moment();
    await this.#socket();
    signal?.throwIfAborted();
    if (isWanted?.() === false) throw new NotWanted();
    const paged = { ...asked, path: this.#listed(asked) };
    const { server } = this.#options;
    return this.#travel(paged, () => server.request(paged, moment));
  }

  async #travel(asked: KubeRequest, arrive: () => Promise<KubeResponse>): Promise<KubeResponse> {
    const { rates } = this.#options;
    await this.#pause(rates.requestDelayMs);
    if (this.#isDead) return this.#arriveLate(asked, arrive);
    if (this.#isAway || this.#chance('lostRequest')) {
      throw new Error('connection reset before the request was sent');
    }
    if (this.#chance('throttled')) return throttled;
    if (this.#chance('serverError')) return serverError;
    const isWrite = asked.method !== 'GET';
    const fate = isWrite ? this.#fate(asked) : undefined;
    if (fate === 'crashBefore') return this.#die();
    if (isWrite && this.#chance('foreignWrite')) await this.#options.interfere(asked);
    const response = await arrive();
    if (fate === 'crashAfter') return this.#die();
    await this.#pause(rates.requestDelayMs);
    if (this.#isDead) return never();
    if (this.#isAway || (isWrite && this.#chance('lostReply'))) {
      throw new Error('connection reset before the answer came');
    }
    return response;
  }

  watch(path: string, sink: WatchSink): () => void {
    if (this.#isDead) return () => {};
    const { clock, server, own } = this.#options;
    const pipe = new LaggingPipe(clock, (run) => own.deliver(run), sink);
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
    const close = server.watch(path, {
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
    const { own, violate } = this.#options;
    const earlyMs = (this.#closed.get(flow) ?? 0) - own.steady();
    // In the moment of the answer itself the client cannot have heard of it; clocks tell whole
    // milliseconds.
    if (flow === '' || earlyMs < 1 || earlyMs >= retryAfterMs) return;
    if (this.#isDead || own.hasJumped(hastyMs)) return;
    violate(`${method} ${path} is sent ${earlyMs} ms before Retry-After is over`);
  }

  /** Waits in the process for a socket, for credentials, for a turn. */
  #socket(): Promise<void> | void {
    const { clock, own, random, rates } = this.#options;
    if (!this.#chance('slowSocket')) return;
    const waitMs = Math.ceil(random.next() * rates.socketWaitMs);
    return new Promise((resolve) => {
      const go = (): void => {
        this.#waiting.delete(go);
        own.deliver(resolve);
      };
      this.#waiting.add(go);
      clock.at(clock.now() + waitMs, () => {
        if (this.#waiting.has(go)) go();
      });
    });
  }

  /** A list has pages as small as the run wants them, and may show the past. */
  #listed(asked: KubeRequest): string {
    const { path } = asked;
    if (!path.includes('limit=')) return path;
    const paged = path.replace(/\blimit=\d+/, `limit=${this.#options.rates.pageSize}`);
    return this.#pastLists.rewrite(flowOf(asked), paged);
  }

  #fate(write: KubeRequest): 'crashBefore' | 'crashAfter' | undefined {
    const asked = this.#options.onWrite?.(write);
    if (asked !== undefined) return asked;
    if (!this.#chance('crash')) return undefined;
    return this.#options.random.next() < 0.5 ? 'crashBefore' : 'crashAfter';
  }

  /** What a process sent before its end may reach the server after it. */
  #arriveLate(asked: KubeRequest, arrive: () => Promise<KubeResponse>): Promise<never> {
    const { random } = this.#options;
    if (asked.method !== 'GET' && random.next() < 0.5) void arrive().catch(() => {});
    return never();
  }

  #die(): Promise<never> {
    this.#options.crash();
    return never();
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

/** Writes of a kind, or lists of a kind; kinds of two groups may have the same name. Events are
 *  best effort, and a single object is read only after a write. */
function flowOf({ method, path }: KubeRequest): string {
  const [bare = '', query = ''] = path.split('?', 2);
  const parts = bare.split('/');
  const at = parts.indexOf('namespaces');
  const plural = at < 0 ? parts.at(-1) : parts[at + 2];
  if (plural === 'events' || plural === 'leases') return '';
  const kind = parts[1] === 'apis' ? `${plural}.${parts[2]}` : plural;
  if (method === 'GET') return query.includes('limit=') ? `list ${kind}` : '';
  return `write ${kind}`;
}
