// The micro service `coppice`: an endpoint for each question, all of them behind one subscription
// in a queue group, and the `$SRV` subjects by which `nats micro ls / info / stats` find it. The
// protocol is spoken here, not by @nats-io/services: that counts a request as done when its handler
// returns, so answers that come later have no latency and no error, and it is built against another
// release of the client.
import { headers, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { Answer, Clock } from '#actors/ports.ts';
import { statusOf } from '#bus/answers.ts';
import { encodeAnswer } from '#bus/codec.ts';
import type { HandlerRegistry } from '#bus/handlers.ts';
import { subjectsOf } from '#bus/subjects.ts';
import type { Question } from '#machines/contract/question.ts';
import { Endpoints, headerText, queueGroup } from './endpoints.ts';

const service = { name: 'coppice', version: '1.0.0' } as const;

export interface ServicePorts {
  readonly handlers: HandlerRegistry;
  readonly clock: Clock;
  /** Of this process: product version, pod, shards; asked each time. */
  readonly metadata: () => Readonly<Record<string, string>>;
  /** Unique among all processes that serve; letters, digits, `-` and `_`. */
  readonly id: string;
}

/** Lives as long as its process; `start` hangs it on every new connection. */
export class Service {
  readonly #ports: ServicePorts;
  readonly #started: string;
  readonly #subscriptions = new Set<Subscription>();
  readonly #endpoints = new Endpoints();

  constructor(ports: ServicePorts) {
    this.#ports = ports;
    this.#started = new Date(ports.clock.now()).toISOString();
  }

  get isRunning(): boolean {
    return this.#subscriptions.size > 0;
  }

  /** What is asked from now on. */
  serve(questions: ReadonlyMap<string, Question>): void {
    this.#endpoints.serve(questions);
  }

  /** Throws where the connection is closed. */
  start(connection: NatsConnection): void {
    this.stop();
    this.#listen(connection, subjectsOf.ask, queueGroup, (request) => {
      void this.#answer(request);
    });
    const verbs = { PING: this.#ping, INFO: this.#info, STATS: this.#statistics };
    for (const [verb, describe] of Object.entries(verbs)) {
      const tell = (request: Msg): void => {
        request.respond(JSON.stringify(describe()));
      };
      const all = `$SRV.${verb}`;
      this.#listen(connection, all, undefined, tell);
      this.#listen(connection, `${all}.${service.name}`, undefined, tell);
      this.#listen(connection, `${all}.${service.name}.${this.#ports.id}`, undefined, tell);
    }
  }

  /** Also for a connection that is gone already. */
  stop(): void {
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#subscriptions.clear();
  }

  #listen(
    connection: NatsConnection,
    subject: string,
    queue: string | undefined,
    take: (request: Msg) => void,
  ): void {
    const callback = (error: Error | null, request: Msg): void => {
      if (error === null) attempt(() => take(request));
    };
    const options = queue === undefined ? { callback } : { callback, queue };
    this.#subscriptions.add(connection.subscribe(subject, options));
  }

  async #answer(request: Msg): Promise<void> {
    const since = this.#ports.clock.now();
    const answer = await this.#ports.handlers.receive(request.subject, request.data);
    if (answer === undefined) return;
    this.#endpoints.answered(request.subject, answer, this.#ports.clock.now() - since);
    attempt(() => reply(request, answer));
  }

  readonly #ping = () => ({
    type: 'io.nats.micro.v1.ping_response',
    ...service,
    metadata: this.#ports.metadata(),
    id: this.#ports.id,
  });

  readonly #info = () => ({
    ...this.#ping(),
    type: 'io.nats.micro.v1.info_response',
    description: 'Questions to the actors of Coppice',
    endpoints: this.#endpoints.info,
  });

  readonly #statistics = () => ({
    ...this.#ping(),
    type: 'io.nats.micro.v1.stats_response',
    started: this.#started,
    endpoints: this.#endpoints.statistics,
  });
}

/** Responding throws where the connection went away meanwhile; the one who asked has a timeout. */
export function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // nothing left to answer to
  }
}

function reply(request: Msg, answer: Answer): void {
  const body = encodeAnswer(answer);
  if (answer.ok) {
    request.respond(body);
    return;
  }
  const failed = headers();
  failed.set('Nats-Service-Error-Code', String(statusOf[answer.code]));
  failed.set('Nats-Service-Error', headerText(answer.message));
  request.respond(body, { headers: failed });
}
