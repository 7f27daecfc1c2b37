// A random history of a revision: pods that come, go, get ready, lie about themselves or answer for
// others, requests that come, end, give up or cannot reach their pod, time that passes, and an
// actor that crashes at any of its steps. After each step it is judged what must never be; at the
// end all is made well, and nobody may be left waiting. Used by histories.test.ts.
import type { ValidationAnswer } from '#machines/activator/plane.ts';
import { microsOf, type Micros } from '#machines/activator/time.ts';
import type { Probed } from '#src/activator/validations.ts';
import { destOf, type ListedPod, revisionKey } from '#test/machines/activator/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { Request, stage, type Stage } from './stage.ts';

const ips = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5'];
const ids = ['a', 'b'];
const limits = [0, 1, 2, 3];

/** Shorter than usual, so that a history of a minute has all of them. */
const seconds = (count: number): Micros => microsOf(count * 1_000);
const settings = {
  validationTick: seconds(1),
  validationQuickFor: seconds(5),
  recovery: seconds(3),
  staleAfter: seconds(20),
  drainGrace: seconds(5),
  demandTick: seconds(5),
};
const timeoutSeconds = 5;
const spansMs = [1, 50, 200, 1_000, 4_000, 11_000, 25_000];

/** What the checks judged: one that never judges finds nothing. */
export interface Judged {
  crashes: number;
  granted: number;
  waited: number;
  impostors: number;
  forced: number;
}

export class History {
  readonly #next: () => number;
  readonly #world: Stage;
  readonly #requests: Request[] = [];
  /** Who is really at an address. */
  readonly #actual = new Map<string, string>();
  /** Who has shown that it is there, and takes requests. */
  readonly #validated = new Set<string>();
  /** The validations that are under way, each with its address. */
  readonly #asked = new Map<AbortSignal, string>();
  #isQuiet = false;
  readonly log: string[] = [];
  readonly judged: Judged = {
    crashes: 0,
    granted: 0,
    waited: 0,
    impostors: 0,
    forced: 0,
  };

  constructor(seed: number) {
    const random = seeded(seed);
    this.#next = () => random.next();
    this.#world = stage({
      answer: (pod, signal) => this.#ask(pod, signal),
      settings,
    });
  }

  async run(steps: number): Promise<void> {
    const { clock, system } = this.#world;
    this.#world.revision({ limit: this.#one(limits), timeoutSeconds });
    system.synced();
    await clock.drain();
    for (let step = 0; step < steps; step++) {
      // At the first step that follows, or a later one.
      if (this.#chance(0.3)) this.#world.crashes.at(1 + Math.floor(this.#next() * 6));
      await this.#step();
      await clock.drain();
      this.#judge();
    }
  }

  /** All is well from now on: each request that waits is served, and the table is as the endpoints
   *  say. */
  async heal(): Promise<void> {
    const { crashes, clock, system } = this.#world;
    crashes.at(Infinity);
    this.#isQuiet = true;
    this.#world.revision({ limit: 2, timeoutSeconds });
    await system.ask({ about: revisionKey, question: 'unpark', payload: {} });
    const pods = ips.slice(0, 3).map((ip) => ({ ip, id: 'a' }));
    for (const ip of ips) this.#actual.set(destOf(ip), 'a');
    this.#world.endpoints(...pods);
    for (let round = 0; round < 100; round++) {
      await clock.advance(5_000);
      this.#judge();
      const running = this.#requests.filter(({ isRunning }) => isRunning);
      // By then the actor has been restarted, however often it had crashed.
      if (running.length === 0 && round > 7) break;
      for (const request of running) request.end();
    }
    const { requests } = this.#world;
    const { table } = requests?.admission ?? {};
    same(this.#requests.filter(({ isWaiting }) => isWaiting).length, 0, 'requests that wait');
    same(table?.figures.active, 0, 'permits');
    this.judged.forced += table?.figures.forced ?? 0;
    const routable = table?.snapshot().filter(({ state }) => state !== 'draining');
    const dests = routable?.map(({ dest, id }) => `${dest} ${id}`).toSorted();
    same(dests?.join(), pods.map(({ ip, id }) => `${destOf(ip)} ${id}`).join(), 'pods');
    same(table?.figures.routable, pods.length, 'routable pods');
    same(table?.figures.live, pods.length, 'slots in use');
    this.#world.noRevision();
    await clock.advance(1_000);
    same(table?.figures.live, 0, 'slots in use at the end');
    same(this.#world.requests, undefined, 'what is served at the end');
    same(clock.pending, 0, 'timers at the end');
    this.judged.granted += this.#requests.filter(({ told }) => told[0] === 'granted').length;
    this.judged.crashes += crashes.count;
    await this.#world.stop();
  }

  async #step(): Promise<void> {
    const world = this.#world;
    const at = this.#next();
    if (at < 0.25) return this.#list();
    if (at < 0.55) return this.#begin();
    if (at < 0.7)
      return this.#of(
        'end',
        this.#requests.filter(({ isRunning }) => isRunning),
      );
    if (at < 0.76)
      return this.#of(
        'cancel',
        this.#requests.filter(({ isWaiting }) => isWaiting),
      );
    if (at < 0.82)
      return this.#of(
        'fail',
        this.#requests.filter(({ isRunning }) => isRunning),
      );
    if (at < 0.85) {
      const limit = this.#one(limits);
      this.log.push(`limit ${limit}`);
      return world.revision({ limit, timeoutSeconds });
    }
    if (at < 0.87 && world.row?.parked === true) {
      this.log.push('unpark');
      void world.system.ask({ about: revisionKey, question: 'unpark', payload: {} });
      return;
    }
    const ms = this.#one(spansMs);
    this.log.push(`pass ${ms}`);
    await world.clock.advance(ms);
  }

  #list(): void {
    const pods = ips
      .filter(() => this.#chance(0.6))
      .map((ip): ListedPod => ({
        ip,
        id: this.#one(ids),
        ready: this.#chance(0.75),
        terminating: this.#chance(0.1),
      }));
    for (const { ip, id = '' } of pods) {
      if (this.#chance(0.9)) this.#actual.set(destOf(ip), id);
    }
    this.log.push(`list ${pods.map(({ ip, id, ready }) => `${ip}=${id} ${ready}`).join(', ')}`);
    this.#world.endpoints(...pods);
  }

  #begin(): void {
    const { requests } = this.#world;
    if (requests === undefined) return;
    const count = 1 + Math.floor(this.#next() * 3);
    this.log.push(`begin ${count}`);
    for (let left = count; left > 0; left--) {
      const request = new Request(requests);
      if (request.isWaiting) this.judged.waited += 1;
      this.#requests.push(request);
    }
  }

  #of(act: 'end' | 'cancel' | 'fail', from: readonly Request[]): void {
    const request = from[Math.floor(this.#next() * from.length)];
    this.log.push(`${act} ${request?.dest ?? 'nobody'}`);
    request?.[act]();
  }

  async #ask(pod: Probed, signal: AbortSignal): Promise<ValidationAnswer> {
    this.#asked.set(signal, pod.dest);
    try {
      return await this.#answer(pod, signal);
    } finally {
      this.#asked.delete(signal);
    }
  }

  /** Of the pod that is really there, if one is: now, later or never. */
  async #answer({ dest, id }: Probed, signal: AbortSignal): Promise<ValidationAnswer> {
    const shown = this.#actual.get(dest);
    const isMute = this.#chance(0.3);
    const chance = this.#isQuiet ? 1 : this.#next();
    if (chance < 0.1) return Promise.withResolvers<never>().promise;
    if (chance < 0.2) throw new Error('the probe failed');
    if (chance < 0.4) await new Promise<void>((resolve) => this.#world.clock.at(0, resolve));
    const isOk = shown !== undefined && (this.#isQuiet || this.#chance(0.8));
    // A pod that does not say who it is cannot be told from the one that is meant.
    const answer = { isOk, id: isMute ? undefined : shown };
    if (isOk && !signal.aborted && (isMute || shown === id)) this.#validated.add(`${dest} ${id}`);
    if (!isMute && shown !== id) this.judged.impostors += 1;
    return answer;
  }

  #judge(): void {
    const { audit, requests } = this.#world;
    same(audit.join(), '', 'what the audit found');
    const running = this.#requests.filter(({ isRunning }) => isRunning);
    for (const { told, dest, id } of this.#requests) {
      if (told.length > 1) throw new Error(`answered twice: ${told.join(', ')}`);
      // nobody has ever shown that it is this pod.
      if (told[0] === 'granted' && !this.#validated.has(`${dest} ${id}`)) {
        throw new Error(`a request went to ${id} at ${dest}, which was not validated`);
      }
    }
    const asked = [...this.#asked].flatMap(([{ aborted }, dest]) => (aborted ? [] : [dest]));
    same(new Set(asked).size, asked.length, 'addresses that are asked, each once (I-13)');
    // Each permit is there once: none is lost, none is held for nobody.
    same(requests?.admission.table.figures.active, running.length, 'permits');
  }

  #chance(share: number): boolean {
    return this.#next() < share;
  }

  #one<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.#next() * from.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  }
}

function same<T>(actual: T, expected: T, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${String(actual)}, not ${String(expected)}`);
}
