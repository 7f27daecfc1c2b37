// Clients for tests of the activator under load: each sends one request after the other on
// connections that are kept, and every request ends in exactly one of few ways, which are counted.
import { Agent, type ClientRequest, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { revisionKey } from '#test/machines/activator/objects.ts';

export interface Account {
  sent: number;
  /** 200, with the body that was sent and from a pod. */
  ok: number;
  /** A status that says that it failed. */
  refused: number;
  /** By the client. */
  cancelled: number;
  /** Anything else: a connection that broke, a wrong body. */
  readonly lost: string[];
  /** Statuses that were refusals. */
  readonly statuses: Record<string, number>;
}

export interface ClientOptions {
  /** Where a request goes: to one port, or to one that a balancer chooses. */
  readonly port: number | (() => number);
  readonly clients: number;
  /** Bytes of the body of each request; 0: a GET. */
  readonly bytes?: number;
  /** When the client gives up, by the number of the request; undefined: never. */
  readonly patienceMs?: (number: number) => number | undefined;
  /** What every answer is shown to. */
  readonly answered?: (pod: string) => void;
  /** Of the requests; absent: their place among those of these clients. */
  readonly numberOf?: () => string;
  /** False: a connection for each request. */
  readonly isKept?: boolean;
}

export const newAccount = (): Account => ({
  sent: 0,
  ok: 0,
  refused: 0,
  cancelled: 0,
  lost: [],
  statuses: {},
});

export class Clients {
  readonly account = newAccount();
  readonly #options: ClientOptions;
  readonly #agent: Agent;
  readonly #running: Promise<void>;
  #isStopping = false;

  /** They send until they are stopped. */
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: options.isKept ?? true });
    this.#running = Promise.all(Array.from({ length: options.clients }, () => this.#client())).then(
      () => undefined,
    );
  }

  /** Ends with the answers to all that was sent. */
  async stop(): Promise<Account> {
    this.#isStopping = true;
    await this.#running;
    this.#agent.destroy();
    return this.account;
  }

  async #client(): Promise<void> {
    while (!this.#isStopping) await this.send();
  }

  /** One request, to its end. */
  async send(): Promise<void> {
    const number = ++this.account.sent;
    const { port, bytes = 0, patienceMs, numberOf = () => String(number) } = this.#options;
    const told = numberOf();
    const body = bytes === 0 ? '' : told.padEnd(bytes, '.');
    await new Promise<void>((resolve) => {
      const asked = request({
        ...{
          port: typeof port === 'number' ? port : port(),
          host: '127.0.0.1',
          agent: this.#agent,
        },
        method: bytes === 0 ? 'GET' : 'POST',
        headers: {
          'knative-serving-namespace': revisionKey.namespace,
          'knative-serving-revision': revisionKey.name,
          'x-number': told,
          ...(bytes > 0 && { 'content-length': bytes }),
        },
      });
      const giveUp = this.#giveUp(asked, patienceMs?.(number), resolve);
      asked.on('response', (response) => {
        text(response).then(
          (answer) => {
            giveUp.once(() => this.#count(response.statusCode ?? 0, answer === body, response));
          },
          (error: Error) => giveUp.once(() => this.#lose(number, error)),
        );
      });
      asked.on('error', (error) => giveUp.once(() => this.#lose(number, error)));
      asked.end(body);
    });
  }

  /** The first of answer, error and end of patience counts. */
  #giveUp(asked: ClientRequest, afterMs: number | undefined, resolve: () => void) {
    let isOver = false;
    const once = (count: () => void): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      count();
      resolve();
    };
    const timer = setTimeout(
      () =>
        once(() => {
          this.account.cancelled += 1;
          asked.destroy();
        }),
      afterMs ?? patienceMs,
    );
    if (afterMs === undefined) {
      clearTimeout(timer);
      asked.setTimeout(patienceMs, () => asked.destroy(new Error('no answer')));
    }
    return { once };
  }

  #count(
    status: number,
    isEcho: boolean,
    { headers }: { readonly headers: Readonly<Record<string, unknown>> },
  ): void {
    if (status !== 200) {
      this.account.refused += 1;
      this.account.statuses[status] = (this.account.statuses[status] ?? 0) + 1;
    } else if (isEcho && typeof headers['x-pod'] === 'string') {
      this.account.ok += 1;
      this.#options.answered?.(headers['x-pod']);
    } else {
      this.account.lost.push(`an answer of 200 that no pod gave for it`);
    }
  }

  #lose(number: number, error: Error): void {
    this.account.lost.push(`${number}: ${error.message}`);
  }
}

/** Against what hangs: a request without an answer for so long is lost. */
const patienceMs = 30_000;
