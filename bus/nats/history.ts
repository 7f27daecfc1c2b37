// The JetStream stream that keeps the facts: made when missing, brought in line when it differs,
// looked after at every connect and once in a while. Nothing ever waits for it.
import { JetStreamApiError, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Clock, Past, WantedPast } from '#actors/ports.ts';
import type { Log } from '#bus/handlers.ts';
import { busLimits } from '#bus/limits.ts';
import { factSubjects, subjectsOf } from '#bus/subjects.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { HistoryOptions } from './options.ts';
import { readPast } from './past.ts';

export const historyStream = 'COPPICE_FACTS';

const streamNotFound = 10_059; // JetStream's err_code

/** The part of the stream's configuration that is ours; the rest is whoever's. */
export function historyConfig(options: HistoryOptions): HistoryConfig {
  return {
    name: historyStream,
    description: 'Facts of Coppice: every transition, decision and write',
    subjects: [subjectsOf.fact],
    retention: 'limits',
    discard: 'old',
    storage: options.storage,
    max_bytes: options.maxBytes,
    max_age: nanos(options.maxAgeMs),
    max_msgs: options.maxMessages,
    max_msgs_per_subject: options.maxMessagesPerSubject,
    max_msg_size: busLimits.maxMessageBytes,
    num_replicas: options.replicas,
    allow_direct: true,
  };
}

type HistoryConfig = Partial<StreamConfig> & { name: string };

export class History {
  readonly #options: HistoryOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  #cancel: (() => void) | null = null;
  #round = 0;
  /** Why the stream was not there, as it should be, at the last look. */
  problem: string | null = null;
  isReady = false;
  #connection: NatsConnection | null = null;
  #reading = 0;

  constructor(options: HistoryOptions, clock: Clock, log: Log) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
  }

  /** Looks after the stream now and from now on, over this connection. */
  start(connection: NatsConnection): void {
    this.stop();
    this.#connection = connection;
    void this.#look(connection, this.#round);
  }

  stop(): void {
    this.#round++;
    this.isReady = false;
    this.#cancel?.();
  }

  /** What the stream keeps of an actor; undefined: it cannot be had now. `name`: of a consumer. */
  async past(about: ActorKey, wanted: WantedPast, name: string): Promise<Past | undefined> {
    const filter = factSubjects(about);
    const connection = this.#connection;
    if (connection === null || !this.isReady || !filter.ok) return undefined;
    if (this.#reading >= busLimits.pastReads) return undefined;
    this.#reading++;
    try {
      const how = { clock: this.#clock, stream: historyStream, filter: filter.value, name };
      return await readPast(connection, how, wanted);
    } catch (error) {
      this.#log('debug', 'the stream of facts was not read', { error: String(error) });
      return undefined;
    } finally {
      this.#reading--;
    }
  }

  async #look(connection: NatsConnection, round: number): Promise<void> {
    let problem: string | null = null;
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const done = await ensure(manager, historyConfig(this.#options));
      if (done !== 'unchanged') this.#log('info', `${done} the stream of facts`, {});
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    if (round !== this.#round) return;
    if (problem !== null && problem !== this.problem) {
      this.#log('warn', 'no history of facts', { stream: historyStream, problem });
    }
    this.problem = problem;
    this.isReady = problem === null;
    this.#cancel = this.#clock.at(this.#clock.now() + this.#options.checkIntervalMs, () => {
      void this.#look(connection, round);
    });
  }
}

async function ensure(
  manager: JetStreamManager,
  wanted: HistoryConfig,
): Promise<'created' | 'updated' | 'unchanged'> {
  const actual = await find(manager);
  if (actual === null) {
    await manager.streams.add(wanted);
    return 'created';
  }
  if (isAsWanted(actual, wanted)) return 'unchanged';
  await manager.streams.update(wanted.name, wanted);
  return 'updated';
}

async function find(manager: JetStreamManager): Promise<StreamConfig | null> {
  try {
    return (await manager.streams.info(historyStream)).config;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === streamNotFound) return null;
    throw error;
  }
}

const isAsWanted = (actual: StreamConfig, wanted: HistoryConfig): boolean =>
  Object.entries(wanted).every(
    ([field, value]) => JSON.stringify(Reflect.get(actual, field)) === JSON.stringify(value),
  );
