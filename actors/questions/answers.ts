// What the runtime answers when asked about an actor: `state`, `why`, `park`, `unpark`, with
// recall.ts `history` and `trace`, and the whole tree for `/actors`; what else its behaviour
// answers is handed over to it. Answers are JSON, without what may be a secret; a machine that
// throws while it is asked answers with its error.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { ActorKind } from '#machines/contract/kind.ts';
import { isOfBehaviour, type QuestionEvent } from '#machines/contract/question.ts';
import { isClusterScoped, objectKind } from '#machines/kinds.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import { checkLabel, checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { sayWhen, type EpochMs } from '#machines/kubernetes/time.ts';
import type { Effects } from '../effects/runner.ts';
import type { Cache } from '../mail/cache.ts';
import type { ActorRow, FactHistory } from '../history/history.ts';
import { rowOf } from '../history/rows.ts';
import type { Limits } from '../limits.ts';
import { noCause, type Cause, type Journal } from '../mail/causality.ts';
import type { Answer, Ask, BusPort, Clock, ClusterPort, ShardLease } from '../ports.ts';
import { errorText, type Actor } from '../run/actor.ts';
import type { Trees } from '../run/tree.ts';
import type { Supervisor } from '../supervision/supervisor.ts';
import type { Questions } from './open.ts';
import { whyUnseen, whyUntold, whyUnwritten } from './process.ts';
import { Recall } from './recall.ts';

/** A root object and the actors under it. */
export interface TreeView {
  readonly root: ActorKey;
  readonly shard: number;
  readonly actors: Iterable<ActorRow>;
}

interface Parts {
  readonly clock: Clock;
  readonly trees: Trees;
  readonly cache: Cache;
  readonly effects: Effects;
  readonly supervisor: Supervisor;
  readonly journal: Journal;
  readonly questions: Questions;
  readonly history: FactHistory;
  readonly limits: Limits;
  readonly ports: {
    readonly bus: BusPort | undefined;
    readonly clock: Clock;
    readonly cluster: ClusterPort;
    readonly lease: ShardLease;
  };
  /** Lets an actor read what is there now. */
  readonly refresh: (actor: Actor) => void;
  /** Gives an actor what it is asked. */
  readonly hand: (actor: Actor, event: QuestionEvent, cause: Cause) => void;
}

export class Answers {
  readonly #parts: Parts;
  readonly #recall: Recall;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#recall = new Recall(parts);
  }

  /** Never rejects. */
  async answer(ask: Ask): Promise<Answer> {
    try {
      const answer = await this.#answer(ask);
      // What a behaviour answers is for programs, which need it as it is.
      return isOfBehaviour(ask.question) ? answer : shown(answer);
    } catch (error) {
      return shown({ ok: false, code: 'ASSERTION', message: errorText(error) });
    }
  }

  #answer(ask: Ask): Answer | Promise<Answer> {
    if (this.#recall.answers(ask)) return this.#recall.answer(ask);
    const { trees, refresh } = this.#parts;
    const { about, question, payload } = ask;
    const id = actorId(about);
    const actor = trees.find(id);
    if (actor === undefined) return this.#start(ask);
    switch (question) {
      case 'state':
        refresh(actor);
        return { ok: true, data: { ...summary(actor), state: viewOf(actor) } };
      case 'why':
        refresh(actor);
        return { ok: true, data: this.#why(actor) };
      case 'park':
        return { ok: true, data: this.#park(actor, payload) };
      case 'unpark':
        return { ok: true, data: this.#unpark(actor, payload) };
      default:
        return this.#hand(actor, ask);
    }
  }

  /** True where an actor may run though no object is addressed to it. */
  mayRunAlone(ask: Ask): boolean {
    const behaviour = this.#parts.supervisor.behaviourOf(ask.about.kind);
    return behaviour?.isHeld !== undefined || this.#startsActor(ask);
  }

  /** True where an actor is started for the question if it does not run. */
  #startsActor({ about, question }: Ask): boolean {
    const asked = this.#parts.supervisor.behaviourOf(about.kind)?.questions.get(question);
    return asked?.startsActor === true;
  }

  /** Only for a question that it can be handed, and not for a name that no object can have: nobody
   *  fills the process with actors by asking. */
  #start(ask: Ask): Answer | Promise<Answer> {
    const { about } = ask;
    const { supervisor, questions, cache, journal, ports } = this.#parts;
    const behaviour = supervisor.behaviourOf(about.kind);
    const id = actorId(about);
    const message = [`no actor ${id} in this process`, ...whyUnseen(ports)].join('; ');
    const missing: Answer = { ok: false, code: 'NOT_FOUND', message };
    if (behaviour === undefined || !this.#startsActor(ask)) return missing;
    const refusal = questions.refusal(behaviour, ask);
    if (refusal !== undefined) return refusal;
    const error = keyError(about);
    if (error !== undefined) return { ok: false, code: 'MALFORMED', message: `${id}: ${error}` };
    const actor = supervisor.spawn(about, cache.rootOf(id) ?? about, journal.next(noCause));
    return actor === undefined ? missing : this.#hand(actor, ask);
  }

  #hand(actor: Actor, ask: Ask): Promise<Answer> {
    const { questions, hand, journal } = this.#parts;
    return questions.ask(actor, ask, (event) => hand(actor, event, journal.next(noCause)));
  }

  /** Every actor of this process under its root. */
  tree(): JsonObject {
    const { trees, supervisor } = this.#parts;
    const roots = [...trees.overview()].map(({ root, shard, actors }) => ({
      root: actorId(root),
      shard,
      size: actors.size,
      actors: [...actors].map(summary),
    }));
    return { actors: trees.size, parked: supervisor.actorCounts.parked, roots };
  }

  /** The same without JSON, lazily, for whoever pages through it. */
  *trees(): Iterable<TreeView> {
    for (const { root, shard, actors } of this.#parts.trees.overview()) {
      yield { root, shard, actors: actors.values().map(rowOf) };
    }
  }

  rows(): Iterable<ActorRow> {
    return this.#parts.trees.all().map(rowOf);
  }

  row(id: string): ActorRow | undefined {
    const actor = this.#parts.trees.find(id);
    return actor && rowOf(actor);
  }

  *changedSince(place: number): Iterable<ActorKey> {
    for (const { key, changedAt } of this.#parts.trees.all()) if (changedAt >= place) yield key;
  }

  /** What the actors of a kind show, as far as it is known. */
  *views(kind: ActorKind): Iterable<JsonObject> {
    for (const { actors } of this.#parts.trees.overview()) {
      for (const actor of actors) if (actor.key.kind === kind) yield viewOf(actor);
    }
  }

  #why(actor: Actor): JsonObject {
    const { clock, effects, ports } = this.#parts;
    const now = clock.now();
    const blocked = effects.blocked(actor);
    return {
      ...summary(actor),
      because: [
        ...whyUnseen(ports),
        ...whyUnwritten(ports, actor.shard),
        ...reasonsOf(actor, now),
        ...whenRetried(blocked, now),
        ...whyUntold(ports),
      ],
      decisions: actor.decisions.map(({ at, what, why }) => ({ at, what, why })),
      blocked: blocked.map(({ key, code, message, until }) => ({
        object: key,
        code,
        message,
        retryAt: until,
      })),
    };
  }

  #park(actor: Actor, payload: JsonObject): JsonObject {
    const { supervisor, journal } = this.#parts;
    const text = reasonOf(payload, 'parked by hand');
    supervisor.park(actor, text, journal.next(noCause));
    return { parked: actor.mode === 'parked' };
  }

  #unpark(actor: Actor, payload: JsonObject): JsonObject {
    const { supervisor, journal } = this.#parts;
    const wasParked = actor.mode === 'parked';
    const by = reasonOf(payload, 'hand');
    supervisor.unpark(actor, by, journal.next(noCause));
    if (wasParked) supervisor.recordUnparked(actor, by);
    return { parked: actor.mode === 'parked', wasParked };
  }
}

/** It goes on to a status and an Event, where others read it (S-6). */
const reasonOf = ({ reason }: JsonObject, usual: string): string =>
  typeof reason === 'string' && reason !== '' ? redactText(reason) : usual;

const shown = (answer: Answer): Answer =>
  answer.ok
    ? { ok: true, data: masked(answer.data) }
    : { ...answer, message: redactText(answer.message) };

/** What is wrong with a name. */
function keyError({ kind, namespace, name }: ActorKey): string | undefined {
  const isGlobal = isClusterScoped(objectKind(kind));
  if (isGlobal !== (namespace === '')) return isGlobal ? 'it has no namespace' : 'no namespace';
  return [...(isGlobal ? [] : checkLabel(namespace)), ...checkSubdomain(name)][0];
}

function summary(actor: Actor): JsonObject {
  const { parking, snapshot } = actor;
  return {
    key: actor.id,
    machine: actor.behaviour.machine.id,
    mode: actor.mode,
    value: snapshot?.value ?? null,
    uid: actor.uid ?? '',
    generation: actor.generation ?? 0,
    restarts: actor.restarts,
    parked: parking !== undefined,
    error: parking?.error ?? '',
    mailbox: actor.mailbox.length,
    wakesAt: actor.wakesAt ?? null,
  };
}

function viewOf({ snapshot, behaviour }: Actor): JsonObject {
  if (snapshot === undefined) return {};
  try {
    return behaviour.view(snapshot);
  } catch (error) {
    return { error: errorText(error) };
  }
}

function reasonsOf(actor: Actor, now: EpochMs): string[] {
  const { snapshot, behaviour, parking, mode, wakesAt } = actor;
  if (parking !== undefined) {
    const { restarts, error } = parking;
    const many = restarts > 0 ? ` after ${restarts} restarts` : '';
    return [`parked${many}: ${error}; a new spec, unpark or the end of its object ends that`];
  }
  if (snapshot === undefined) {
    const when = wakesAt === undefined ? 'soon' : sayWhen(wakesAt, now);
    return [`${mode}: it crashed and is started again ${when}`];
  }
  try {
    return [...behaviour.why(snapshot, now)];
  } catch (error) {
    return [`its machine threw when asked: ${errorText(error)}`];
  }
}

/** Of writes that failed: when the next one is tried again, and which are not by time alone. */
function whenRetried(blocked: ReturnType<Effects['blocked']>, now: EpochMs): string[] {
  const [next, ...later] = blocked
    .flatMap(({ key, until }) => (until === null ? [] : [{ key, until }]))
    .toSorted((a, b) => a.until - b.until);
  const [never, ...others] = blocked.filter(({ until }) => until === null);
  const more = ({ length }: readonly unknown[]) => (length > 0 ? ` (and ${length} more)` : '');
  return [
    ...(next === undefined
      ? []
      : [`${next.key}${more(later)} is written again ${sayWhen(next.until, now)}`]),
    ...(never === undefined
      ? []
      : [`${never.key}${more(others)} is not written again before the spec changes`]),
  ];
}
