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
} from '#src/kube/transport/transport.ts';
import { isActorList } from '../oracles/actor-lists.ts';
import { RetryAfterOracle, flowOf } from '../oracles/retry-after.ts';
import type { Witness } from '../oracles/witness.ts';
import { refusal, serverError } from './answers.ts';
import type { MortalClock } from './mortal-clock.ts';
import { PastLists } from './past-lists.ts';
import type { Rates } from './rates.ts';
import { type Death, WatchPath } from './watch-path.ts';

export interface FaultyTransport extends KubeTransport {
  /** Ends all faults: from now on the wire is good. What is half open stays so. */
  heal(): void;
  /** The API server cannot be reached (true) or can again. */
  part(isAway: boolean): void;
  /** The way of watches is dead from now on; undefined: it works again. */
  killWatches(death: Death | undefined): void;
  /** The process behind this transport is dead. */
  cut(): void;
  /** Watches that the client holds. */
  readonly heldWatches: number;
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
  /** Of refusals: whether there is one, and when the server wants to be asked again. */
  readonly refusing: Random;
  /** Of writes that are carried out after their answer: which, and when. */
  readonly landing: Random;
  /** Of the order of events. */
  readonly ordering: Random;
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
  /** Sees what the process is shown and what it asks for. */
  readonly witness: Pick<Witness, 'asks' | 'sends' | 'hears' | 'overhears'>;
  /** The client did what it must not do. */
  readonly violate: (what: string) => void;
  /** Somebody else changes the object of this write first. */
  readonly interfere: (write: KubeRequest) => Promise<void>;
}

export const faultyTransport = (options: FaultyOptions): FaultyTransport => new Wire(options);

/** How long after its answer a write is carried out. */
const landingMs = { least: 100, most: 900 } as const;

/** A new one each time: whoever waits for it is forgotten with it. */
const never = (): Promise<never> => new Promise(() => {});

class Wire implements FaultyTransport {
  readonly #options: FaultyOptions;
  readonly #watches: WatchPath;
  /** Requests that wait in the process. */
  readonly #waiting = new Set<() => void>();
  #isHealed = false;
  #isDead = false;
  #isAway = false;
  readonly #retryAfter: RetryAfterOracle;
  readonly #pastLists: PastLists;

  constructor(options: FaultyOptions) {
    this.#options = options;
    const chance = (name: keyof Rates): boolean => this.#chance(name);
    this.#pastLists = new PastLists({ ...options, chance });
    this.#retryAfter = new RetryAfterOracle(options);
    this.#watches = new WatchPath({
      ...options,
      chance: (name, random) => this.#chance(name, random),
      lag: () => this.#lag(),
      isAway: () => this.#isAway,
    });
  }

  heal(): void {
    this.#isHealed = true;
    this.#isAway = false;
    this.#watches.kill(undefined);
    for (const go of this.#waiting) go();
  }

  part(isAway: boolean): void {
    this.#isAway = isAway;
  }

  killWatches(death: Death | undefined): void {
    this.#watches.kill(death);
  }

  cut(): void {
    this.#isDead = true;
    this.#watches.kill('silence');
  }

  /** The answer reaches the process through its event loop. */
  request(asked: KubeRequest): Promise<KubeResponse> {
    const { own, witness } = this.#options;
    const flow = flowOf(asked);
    if (!this.#isDead) this.#retryAfter.judge(asked);
    witness.asks(asked);
    return new Promise((resolve, reject) => {
      this.#exchange(asked).then(
        (response) =>
          own.deliver(() => {
            if (response.status < 300 && flow.startsWith('list ')) this.#pastLists.answered(flow);
            this.#retryAfter.hears(asked, response);
            witness.hears(asked, response);
            resolve(response);
          }),
        (error: unknown) =>
          own.deliver(() => {
            witness.hears(asked, undefined);
            reject(error);
          }),
      );
    });
  }

  async #exchange({ isWanted, signal, ...asked }: KubeRequest): Promise<KubeResponse> {
    const moment = this.#options.moment();
    await this.#socket();
    signal?.throwIfAborted();
    if (isWanted?.() === false) throw new NotWanted();
    this.#options.witness.sends(asked);
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
    if (this.#chance('throttled')) return this.#refuse(429);
    if (this.#chance('serverError')) return serverError;
    if (this.#isRefused('unavailable')) return this.#refuse(503);
    if (this.#isRefused('timeout')) return this.#timeOut(arrive);
    const isWrite = asked.method !== 'GET';
    if (isWrite && this.#chance('lateWrite', this.#options.landing)) return this.#landLate(arrive);
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

  get heldWatches(): number {
    return this.#watches.held;
  }

  watch(path: string, sink: WatchSink): () => void {
    if (this.#isDead) return () => {};
    return this.#watches.open(path, this.#options.witness.overhears(path, sink));
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

  /** A list has pages as small as the run wants them, and may show the past where a process can
   *  tell that. */
  #listed(asked: KubeRequest): string {
    const { path } = asked;
    if (!path.includes('limit=')) return path;
    const paged = path.replace(/\blimit=\d+/, `limit=${this.#options.rates.pageSize}`);
    if (isActorList(path)) return paged;
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

  #isRefused(name: 'unavailable' | 'timeout'): boolean {
    return this.#chance(name, this.#options.refusing);
  }

  #refuse(code: 429 | 503 | 504): KubeResponse {
    const { clock, refusing } = this.#options;
    const { response, retryAfterMs } = refusal(code, refusing, clock.now());
    this.#retryAfter.asked(response, retryAfterMs);
    return response;
  }

  /** Whoever gets a 504 cannot know whether the request was carried out. */
  async #timeOut(arrive: () => Promise<KubeResponse>): Promise<KubeResponse> {
    if (this.#options.refusing.next() < 0.5) await arrive();
    return this.#isDead ? never() : this.#refuse(504);
  }

  /** It waits in the server, which has given its caller up. */
  #landLate(arrive: () => Promise<KubeResponse>): KubeResponse {
    const { clock, landing } = this.#options;
    const { least, most } = landingMs;
    const waitMs = Math.round(least + landing.next() * (most - least));
    clock.at(clock.now() + waitMs, () => void arrive().catch(() => {}));
    return this.#refuse(504);
  }

  #chance(name: keyof Rates, random = this.#options.random): boolean {
    const { rates, injected } = this.#options;
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
