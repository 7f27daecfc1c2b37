// How the agent gets its row: it asks the actor of the clique, again until it is let in, and makes
// no write of its own. Where there is no way to ask, or nobody who serves the question, it says
// once on its own pod who it is, and the actor finds that (spec compute-domain 5.14). NATS that
// comes back later changes nothing.
import type { Clock, Random } from '#actors/ports.ts';
import type { Answer } from '#machines/contract/question.ts';
import type { AgentLog } from './log.ts';
import { pause, pauseMs } from './pause.ts';
import type { Row } from './table.ts';
import { rowsIn } from './table.ts';

/** A connection on which the question can be asked. */
export interface JoinBus {
  /** True as soon as it is connected; false where it is not within so many milliseconds. */
  up(ms: number): Promise<boolean>;
  /** Never rejects. */
  ask(): Promise<Answer>;
  /** Why there is no connection. */
  problem(): string;
  close(): Promise<void>;
}

export interface JoinPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: AgentLog;
  /** Undefined: no bus is configured. */
  readonly connect: (() => Promise<JoinBus>) | undefined;
  /** Says on the pod who we are; resolves when that is written, or at the signal. */
  readonly announce: (signal: AbortSignal) => Promise<void>;
  /** The rows of the answer: those of the write that let us in. */
  readonly joined: (rows: readonly Row[]) => void;
}

/** So long the bus may be away before the pod is used instead. */
export const awayMs = 2_000;

/** So long the question may stay without row or refusal, also where no pod of ours is known to the
 *  actor: longer than a controller takes to start anew, or another to take over its shards (15 s by
 *  default). */
export const unservedMs = 20_000;

/** So long our row may be missing before it is asked for again: the clique may have been deleted,
 *  and the controller with it that knew of us. */
export const missingMs = 5_000;

export class Membership {
  readonly #ports: JoinPorts;
  readonly #abort = new AbortController();
  #phase: 'joining' | 'joined' | 'announced' = 'joining';
  #cancel: (() => void) | undefined;

  constructor(ports: JoinPorts) {
    this.#ports = ports;
  }

  start(): void {
    void this.#join();
  }

  /** To be told at each look at the rows whether ours is among them. */
  look(isThere: boolean): void {
    if (isThere) {
      this.#cancel?.();
      this.#cancel = undefined;
    } else if (this.#phase === 'joined' && this.#cancel === undefined) this.#watchMissing();
  }

  stop(): void {
    this.#abort.abort();
    this.#cancel?.();
  }

  #watchMissing(): void {
    const { clock, log } = this.#ports;
    this.#cancel = clock.at(clock.now() + missingMs, () => {
      this.#cancel = undefined;
      log('warn', 'our row is gone: asking again', {});
      this.#phase = 'joining';
      void this.#join();
    });
  }

  async #join(): Promise<void> {
    const { connect, log, announce } = this.#ports;
    const { signal } = this.#abort;
    const rows = connect === undefined ? undefined : await this.#ask(await connect());
    if (signal.aborted) return;
    if (rows !== undefined) {
      this.#phase = 'joined';
      log('info', 'joined the clique', { rows: rows.length });
      this.#ports.joined(rows);
      return;
    }
    this.#phase = 'announced';
    await announce(signal);
  }

  /** Undefined: there is no way to ask, or nobody wants to know any more. */
  async #ask(bus: JoinBus): Promise<readonly Row[] | undefined> {
    const { clock, random, log } = this.#ports;
    const { signal } = this.#abort;
    let said = '';
    let servedAt = clock.steady();
    const close = (): void => void bus.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      for (let attempt = 1; !signal.aborted; attempt++) {
        if (!(await bus.up(awayMs))) {
          if (signal.aborted) return undefined;
          log('warn', 'NATS cannot be reached: announced on the pod', { problem: bus.problem() });
          return undefined;
        }
        const answer = await bus.ask();
        if (answer.ok) return rowsIn(answer.data['daemons']);
        if (signal.aborted) return undefined;
        const { code, message } = answer;
        // The actor's own: no index is free yet.
        if (code === 'INVALID') servedAt = clock.steady();
        if (code === 'FORBIDDEN' || clock.steady() - servedAt >= unservedMs) {
          log('warn', 'not let in over NATS: announced on the pod', { code, problem: message });
          return undefined;
        }
        if (message !== said)
          log('warn', 'not let in yet: asking again', { code, problem: message });
        said = message;
        await pause(clock, pauseMs(attempt, random), signal);
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  }
}
