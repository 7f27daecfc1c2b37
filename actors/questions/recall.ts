// The answers to `history` and `trace`: what this process remembers of its own facts, and of an
// actor what the stream keeps from before that. Bounded, as an answer is one message. Called by
// answers.ts for every actor, also for one that has ended.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { commonPayload, payloadError } from '#machines/contract/question.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { FactHistory, Recorded } from '../history/history.ts';
import type { Limits } from '../limits.ts';
import type { Answer, Ask, BusPort, Clock, Fact } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { Trees } from '../run/tree.ts';

interface Parts {
  readonly history: FactHistory;
  readonly trees: Trees;
  readonly limits: Pick<Limits, 'historyFacts' | 'recallBytes'>;
  readonly ports: { readonly bus: BusPort | undefined; readonly clock: Clock };
}

/** What is before the oldest fact: more that can be asked for, facts that were dropped, a process
 *  that did not run yet, or no actor. */
type Older = 'more' | 'dropped' | 'restarted' | 'begin';

export class Recall {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** True for what is answered here. */
  answers({ question }: Ask): boolean {
    return question === 'history' || question === 'trace';
  }

  answer({ about, question, payload }: Ask): Answer | Promise<Answer> {
    const schema = commonPayload(question);
    const error = schema && payloadError(schema, payload);
    if (error !== undefined) return { ok: false, code: 'MALFORMED', message: error };
    return question === 'trace' ? this.#trace(about, payload) : this.#history(about, payload);
  }

  async #history(about: ActorKey, payload: JsonObject): Promise<Answer> {
    const { history, trees, limits } = this.#parts;
    const { limit = limits.historyFacts, before, stream } = numbersIn(payload);
    const id = actorId(about);
    const known = stream === undefined ? history.of(id, limit + 1, before) : [];
    const room = new Room(limits.recallBytes);
    const facts = room.fill(known.slice(0, limit), rowOfRecorded);
    const actor = trees.find(id);
    const older = known.length > facts.length ? 'more' : this.#end(actor);
    if (older === 'more' || older === 'begin') return { ok: true, data: { facts, older } };
    const past = await this.#past(about, {
      limit: limit - facts.length,
      stream,
      ends: known.at(-1),
    });
    const rows = past === undefined ? [] : room.fill(past.facts, rowOfKept);
    if (facts.length + rows.length === 0 && actor === undefined && past?.before === undefined) {
      return { ok: false, code: 'NOT_FOUND', message: `nothing is known of ${id}` };
    }
    const cut = past?.facts[rows.length];
    const next = cut === undefined ? past?.before : cut.place + 1;
    return {
      ok: true,
      data: {
        facts: [...facts, ...rows],
        ...(next === undefined ? { older } : { older: 'more', stream: next }),
      },
    };
  }

  /** Facts about actors of other namespaces are not for whoever may ask about this one. */
  #trace({ namespace }: ActorKey, { id, after }: JsonObject): Answer {
    const { history, limits } = this.#parts;
    const trace = typeof id === 'string' ? id : '';
    const all = history.trace(trace);
    const here = all.filter(({ about }) => about.namespace === namespace);
    const wanted = here.filter(
      ({ sequence }) => sequence > (typeof after === 'number' ? after : 0),
    );
    const facts = new Room(limits.recallBytes).fill(wanted, rowOfRecorded);
    // Not every root is a fact: a command has an id alone.
    const isWhole = all.length > 0 && (history.oldest === 1 || all[0]?.id === trace);
    return {
      ok: true,
      data: {
        trace,
        facts,
        isWhole,
        more: facts.length < wanted.length,
        elsewhere: all.length - here.length,
      },
    };
  }

  /** Why this process knows nothing older of an actor. */
  #end(actor: Actor | undefined): Older {
    const { oldest } = this.#parts.history;
    if (oldest > Math.max(1, actor?.place ?? 1)) return 'dropped';
    return actor === undefined || actor.isFound ? 'restarted' : 'begin';
  }

  #past(
    about: ActorKey,
    { limit, stream, ends }: { limit: number; stream: number | undefined; ends: Fact | undefined },
  ) {
    const { bus, clock } = this.#parts.ports;
    const until = ends?.at ?? clock.now();
    return bus?.past?.(about, { limit, before: stream, until, notBehind: ends?.id });
  }
}

/** What is left of an answer. */
class Room {
  #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** As many of them, from the first, as there is room for. */
  fill<T>(facts: readonly T[], row: (fact: T) => JsonObject): JsonObject[] {
    const rows: JsonObject[] = [];
    for (const fact of facts) {
      const made = row(fact);
      this.#bytes -= encoder.encode(JSON.stringify(made)).length + 1;
      if (this.#bytes < 0) break;
      rows.push(made);
    }
    return rows;
  }
}

const encoder = new TextEncoder();

const rowOfRecorded = (fact: Recorded): JsonObject => rowOf(fact, fact.sequence);

/** It has no place in the ring. */
const rowOfKept = ({ fact }: { readonly fact: Fact }): JsonObject => rowOf(fact, 0);

const rowOf = (
  { id, cause, trace, at, about, what, data }: Fact,
  sequence: number,
): JsonObject => ({
  sequence,
  id,
  cause,
  trace,
  at,
  about: actorId(about),
  what,
  data,
});

const numbersIn = ({ limit, before, stream }: JsonObject) => ({
  limit: typeof limit === 'number' ? limit : undefined,
  before: typeof before === 'number' ? before : undefined,
  stream: typeof stream === 'number' ? stream : undefined,
});
