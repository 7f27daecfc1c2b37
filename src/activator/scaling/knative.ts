// Reports requests at once to Knative's autoscaler over its WebSocket (spec activator 1.10). While
// there is no connection what was not sent is kept, a line for each revision, and sent with the
// next one: a request that waits for its first pod is not forgotten.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, ping, WebSocket } from 'undici';
import type { Clock, Random, Telemetry } from '#actors/ports.ts';
import type { Check } from '#src/http/probes.ts';
import type { Report } from './ledger.ts';
import { encodeReports } from './stat.ts';

export interface KnativeReportsOptions {
  readonly url: string;
  /** Of this activator. */
  readonly pod: string;
  readonly clock: Pick<Clock, 'now' | 'at' | 'steady'>;
  readonly random: Random;
  readonly log: Telemetry['log'];
  readonly limits?: Partial<ReportLimits>;
}

export interface ReportLimits {
  readonly handshakeMs: number;
  readonly pingMs: number;
  /** Without an answer to a ping the connection is dead. */
  readonly silenceMs: number;
  /** Before the next attempt: `backoffMs` * `growth`^n up to `slowestMs`, give or take `jitter`. */
  readonly backoffMs: number;
  readonly growth: number;
  readonly slowestMs: number;
  readonly jitter: number;
  /** Unsent on the socket beyond which reports wait here. */
  readonly bufferedBytes: number;
}

const reportLimits: ReportLimits = {
  handshakeMs: 3_000,
  pingMs: 10_000 / 3,
  silenceMs: 10_000,
  backoffMs: 100,
  growth: 1.3,
  slowestMs: 10_000,
  jitter: 0.5,
  bufferedBytes: 1_048_576,
};

export interface KnativeReports {
  report(batch: readonly Report[]): void;
  /** For readiness: Knative sends requests to activators that can wake revisions. */
  readonly ready: Check;
  stop(): void;
}

const pongs = 'undici:websocket:pong';

export function startKnativeReports(options: KnativeReportsOptions): KnativeReports {
  const reports = new Reports(options);
  reports.connect();
  return {
    report: (batch) => reports.report(batch),
    ready: {
      name: 'autoscaler',
      run: () => (reports.isOpen ? undefined : 'connection has not yet been established'),
    },
    stop: () => reports.stop(),
  };
}

/** The bundle has nothing else. */
const overHttp1 = new Agent({ allowH2: false });

class Reports {
  readonly #options: KnativeReportsOptions;
  readonly #limits: ReportLimits;
  readonly #startedAt: number;
  /** What was not sent, by revision. */
  readonly #unsent = new Map<string, Report>();
  #socket: WebSocket | undefined;
  #heardAt = 0;
  #failures = 0;
  #cancelTimer = (): void => {};
  #isStopped = false;

  constructor(options: KnativeReportsOptions) {
    this.#options = options;
    this.#limits = { ...reportLimits, ...options.limits };
    this.#startedAt = options.clock.steady();
    subscribe(pongs, this.#onPong);
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  report(batch: readonly Report[]): void {
    for (const each of batch) this.#keep(each);
    this.#flush();
  }

  connect(): void {
    const socket = new WebSocket(this.#options.url, { dispatcher: overHttp1 });
    this.#socket = socket;
    this.#later(this.#limits.handshakeMs, () => this.#lost(socket, 'no answer to the handshake'));
    socket.addEventListener('open', () => this.#opened(socket));
    socket.addEventListener('error', ({ message }) => this.#lost(socket, message));
    socket.addEventListener('close', () => this.#lost(socket, 'it was closed'));
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    unsubscribe(pongs, this.#onPong);
    this.#flush();
    this.#socket?.close();
  }

  /** The newest average counts, and all requests do. */
  #keep(report: Report): void {
    const before = this.#unsent.get(report.revision);
    const count = (before?.count ?? 0) + report.count;
    // The first request was left out of what follows, as if it had been told.
    const told = before?.isFirst === true ? before.concurrency : 0;
    this.#unsent.set(report.revision, { ...report, concurrency: report.concurrency + told, count });
  }

  #flush(): void {
    const socket = this.#socket;
    if (socket === undefined || !this.isOpen || this.#unsent.size === 0) return;
    if (socket.bufferedAmount > this.#limits.bufferedBytes) return;
    const { pod, clock } = this.#options;
    const uptime = (clock.steady() - this.#startedAt) / 1_000;
    socket.send(encodeReports([...this.#unsent.values()], { pod, uptime }));
    this.#unsent.clear();
  }

  #opened(socket: WebSocket): void {
    if (socket !== this.#socket || this.#isStopped) return;
    this.#options.log('info', 'connected to the autoscaler', { url: this.#options.url });
    this.#failures = 0;
    this.#heardAt = this.#options.clock.steady();
    this.#watch(socket);
    this.#flush();
  }

  #watch(socket: WebSocket): void {
    this.#later(this.#limits.pingMs, () => {
      if (this.#options.clock.steady() - this.#heardAt > this.#limits.silenceMs) {
        return this.#lost(socket, 'it fell silent');
      }
      ping(socket);
      this.#watch(socket);
    });
  }

  readonly #onPong = (message: unknown): void => {
    const isOurs =
      typeof message === 'object' &&
      message !== null &&
      'websocket' in message &&
      message.websocket === this.#socket;
    if (isOurs) this.#heardAt = this.#options.clock.steady();
  };

  /** Once for each socket. */
  #lost(socket: WebSocket, error: string): void {
    if (socket !== this.#socket || this.#isStopped) return;
    this.#socket = undefined;
    socket.close();
    // A server that is away would fill the log.
    const level = this.#failures === 0 ? 'warn' : 'debug';
    this.#options.log(level, 'no connection to the autoscaler', { error });
    this.#later(this.#pauseMs(), () => this.connect());
    this.#failures += 1;
  }

  #pauseMs(): number {
    const { backoffMs, growth, slowestMs, jitter } = this.#limits;
    const ms = Math.min(slowestMs, backoffMs * growth ** this.#failures);
    return ms * (1 + jitter * (2 * this.#options.random.next() - 1));
  }

  /** In place of what was waited for before. */
  #later(ms: number, run: () => void): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.at(this.#options.clock.now() + ms, run);
  }
}
