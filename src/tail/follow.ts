// Facts from NATS as they happen, over a connection that comes back by itself. Of a trace that is
// asked for with one of its actors, first what the process remembers of it, then what follows, each
// fact once. Called by tail.ts.
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock, Random } from '#actors/ports.ts';
import { decodeAnswer, decodeFact } from '#bus/codec.ts';
import { Link } from '#bus/nats/link.ts';
import type { NatsOptions } from '#bus/nats/options.ts';
import { formatSubject } from '#bus/subjects.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import { readFact } from '#src/plugin/facts.ts';
import type { Filter } from './filter.ts';

/** For one page of a trace. */
const answerMs = 5_000;
/** Before the last connection is dropped. */
const closeMs = 500;
/** Facts that are held back while a trace is asked for. */
const maxHeld = 10_000;

interface Options {
  readonly nats: NatsOptions;
  readonly filter: Filter;
  readonly clock: Clock;
  readonly random: Random;
  readonly print: (fact: FactRow) => void;
  /** A sentence for people. */
  readonly note: (text: string) => void;
}

/** The result ends it. */
export function follow(options: Options): () => Promise<void> {
  const { nats, filter, clock, random, note } = options;
  const log = (_level: string, message: string, fields: JsonObject): void =>
    note(`${message}: ${text(fields['problem'])}`);
  const facts = new Facts(options);
  const up = (connection: NatsConnection): void => {
    connection.subscribe(filter.subject, {
      callback: (error, message) => {
        if (error === null) facts.heard(message.data);
      },
    });
    note(`facts of ${filter.subject} at ${connection.getServer()}`);
    void facts.catchUp(connection);
  };
  const link = new Link(nats, { clock, random, log }, { up, down: () => {}, room: () => {} });
  return () => link.close(closeMs);
}

class Facts {
  readonly #options: Options;
  /** Undefined: they are printed as they come. */
  #held: FactRow[] | undefined;
  /** Of the trace, from what the process remembered: they may still be on their way. */
  readonly #shown = new Set<string>();
  #isPastShown = false;

  constructor(options: Options) {
    this.#options = options;
    if (isPastWanted(options.filter)) this.#held = [];
  }

  heard(bytes: Uint8Array): void {
    const { filter } = this.#options;
    const fact = decodeFact(bytes);
    if (!fact.ok || (filter.trace !== '' && fact.value.trace !== filter.trace)) return;
    const row = { ...fact.value, sequence: 0, about: actorId(fact.value.about) };
    if (this.#held === undefined) this.#show(row);
    else if (this.#held.length < maxHeld) this.#held.push(row);
  }

  #show(fact: FactRow): void {
    if (!this.#shown.has(fact.id)) this.#options.print(fact);
  }

  /** After the first connection: what was before it. */
  async catchUp(connection: NatsConnection): Promise<void> {
    const { filter, print, note } = this.#options;
    if (!isPastWanted(filter) || this.#isPastShown) return;
    this.#isPastShown = true;
    const problem = await past(connection, filter.about, filter.trace, (fact) => {
      this.#shown.add(fact.id);
      print(fact);
    });
    if (problem !== undefined) note(problem);
    const held = this.#held ?? [];
    this.#held = undefined;
    held.forEach((fact) => this.#show(fact));
  }
}

const isPastWanted = (filter: Filter): filter is Filter & { readonly about: ActorKey } =>
  filter.trace !== '' && filter.about !== undefined;

/** Page by page; the result says why there may be more. */
async function past(
  connection: NatsConnection,
  about: ActorKey,
  id: string,
  show: (fact: FactRow) => void,
): Promise<string | undefined> {
  const subject = formatSubject({ type: 'ask', about, question: 'trace' });
  if (!subject.ok) return subject.problem;
  let after: number | undefined;
  for (;;) {
    const payload = JSON.stringify({ id, ...(after !== undefined && { after }) });
    const reply = await connection
      .request(subject.value, payload, { timeout: answerMs })
      .catch((error: unknown) => String(error));
    const answer = typeof reply === 'string' ? undefined : decodeAnswer(reply.data);
    if (answer?.ok !== true) return `what was before is not known: ${String(reply)}`;
    if (!answer.value.ok) return `what was before is not known: ${answer.value.message}`;
    const { data } = answer.value;
    const rows = list(data['facts']).flatMap((fact) => readFact(fact) ?? []);
    rows.forEach(show);
    after = rows.at(-1)?.sequence;
    if (data['more'] === true && after !== undefined) continue;
    return data['isWhole'] === true ? undefined : 'the beginning of the trace may be missing';
  }
}
