// Spans from facts: one for the edit that begins a trace, one per reconcile and one per write; the
// other facts are events of the reconcile that they led to or happened in. Fed by the ring of facts
// and the runner of actors; hands finished spans on and keeps none open. Of a trace that is not
// sampled it does no more than look that up.
import type { Clock, Fact, Ids } from '#actors/ports.ts';
import type { ReconcileListener } from '#actors/run/reconciles.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { count, text, word } from '#machines/kubernetes/json.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import { spanIdOf } from '#bus/trace-ids.ts';
import { aboutActor, aboutEdit, aboutWrite, eventOf } from './attributes.ts';
import { Bounded } from './bounded.ts';
import type { FinishedSpan, SpanId, SpanTarget } from './span.ts';
import { type Trace, Traces } from './traces.ts';

interface Parts {
  readonly clock: Pick<Clock, 'now' | 'steady'>;
  readonly ids: Ids;
  readonly target: SpanTarget;
}

/** A span that others may follow. */
interface Known extends SpanId {
  readonly start: EpochMs;
}

interface Running {
  readonly trace: Trace;
  readonly about: ActorKey;
  readonly controller: string;
  readonly cause: string;
  readonly start: EpochMs;
  readonly steady: number;
  /** What led to it and what happens in it. */
  readonly facts: Fact[];
  readonly links: SpanId[];
}

interface Placed {
  readonly fact: Fact;
  readonly trace: Trace;
}

interface Held {
  readonly span: FinishedSpan;
  readonly trace: Trace;
}

interface Described extends Pick<FinishedSpan, 'name' | 'attributes' | 'start' | 'end'> {
  readonly kind?: FinishedSpan['kind'];
  readonly error?: string | undefined;
  readonly facts?: readonly Fact[];
  readonly links?: readonly SpanId[];
}

/** As SDKs have it for events and links of a span. */
const perSpan = 128;
const limits = { spans: 20_000, waiting: 5_000, held: 1_000 };

export class Tracer implements ReconcileListener {
  readonly #parts: Parts;
  readonly #traces: Traces;
  /** By the id of its fact or reconcile; a fact that is none has that of what led to it. */
  readonly #spans = new Bounded<Known>(limits.spans);
  /** Facts about actors that have not reconciled since. */
  readonly #waiting = new Bounded<Placed[]>(limits.waiting);
  /** Reconciles that count only if they write, by their ids. */
  readonly #held = new Bounded<Held>(limits.held);
  /** Why an actor has reconciled last. */
  readonly #causes = new WeakMap<ActorKey, string>();
  #running: Running | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#traces = new Traces((...given) => parts.target.isSampled(...given));
  }

  /** Of each fact as it comes. */
  readonly fact = (fact: Fact): void => {
    const header = word(fact.data['traceparent']);
    const trace = this.#traces.of(fact.trace, fact.at, fact.what, header);
    if (!trace.isSampled) return;
    if (fact.what === 'wrote') return this.#wrote(trace, fact);
    if (fact.what === 'observed' && trace.first === undefined) return this.#begin(trace, fact);
    this.#follow(fact.id, this.#parentOf(trace, fact.cause));
    const running = this.#running;
    if (running !== undefined && isSame(running.about, fact.about)) running.facts.push(fact);
    else this.#wait({ fact, trace });
  };

  began(about: ActorKey, controller: string, cause: { id: string; trace: string }): void {
    this.#running = undefined;
    if (cause.trace === '') return;
    const { clock } = this.#parts;
    const start = clock.now();
    const trace = this.#traces.of(cause.trace, start, 'reconcile');
    if (!trace.isSampled) return;
    const facts: Fact[] = [];
    const links = new Map<string, SpanId>();
    for (const placed of this.#waiting.take(actorId(about)) ?? []) {
      if (placed.trace === trace) facts.push(placed.fact);
      else if (placed.trace.first !== undefined)
        links.set(placed.trace.traceId, placed.trace.first);
    }
    const more = { start, steady: clock.steady(), facts, links: [...links.values()] };
    this.#running = { trace, about, controller, cause: cause.id, ...more };
  }

  ended(reconcileId: string): void {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    const { trace, about, controller, cause, start, facts, links } = running;
    const parent = this.#parentOf(trace, cause);
    const crash = facts.findLast(({ what }) => what === 'restarted' || what === 'parked');
    const error = crash && text(crash.data['error']);
    const attributes = {
      'coppice.controller': controller,
      'coppice.reconcile.outcome': error === undefined ? 'ok' : 'error',
      ...(reconcileId !== '' && { 'coppice.reconcile.id': reconcileId }),
      ...(error !== undefined && { 'error.type': 'crash' }),
    };
    const id = reconcileId === '' ? this.#parts.ids.next() : reconcileId;
    const end = start + this.#parts.clock.steady() - running.steady;
    const span = this.#spanOf(trace, parent, id, {
      ...aboutActor('reconcile', about, attributes),
      ...{ start, end, facts, links, error },
    });
    // A look at a deadline, or at what was found at a start, of which nothing comes, is no news.
    const isRepeated = this.#causes.get(about) === cause || parent === undefined;
    this.#causes.set(about, cause);
    if (!isRepeated || facts.length > 0) this.#send(trace, span);
    else if (reconcileId !== '') this.#held.set(reconcileId, { trace, span });
  }

  #begin(trace: Trace, fact: Fact): void {
    const { remote } = trace;
    const span = this.#spanOf(trace, remote, fact.id, {
      ...aboutEdit(fact),
      ...{ start: fact.at, end: fact.at },
    });
    this.#send(trace, remote === undefined ? span : { ...span, isRemote: true });
  }

  #wrote(trace: Trace, fact: Fact): void {
    const reconcileId = text(fact.data['reconcileId']);
    const held = this.#held.take(reconcileId);
    if (held !== undefined) this.#send(held.trace, held.span);
    const parent = this.#at(trace, reconcileId) ?? this.#parentOf(trace, fact.cause);
    const start = Math.max(fact.at - (count(fact.data['ms']) ?? 0), parent?.start ?? 0);
    const about = { ...aboutWrite(fact), start, end: Math.max(start, fact.at) };
    this.#send(trace, this.#spanOf(trace, parent, fact.id, { ...about, kind: 'client' }));
  }

  /** Until the actor reconciles, or has ended. */
  #wait(placed: Placed): void {
    const { fact, trace } = placed;
    const id = actorId(fact.about);
    const waiting = this.#waiting.get(id);
    if (fact.what === 'ended') {
      this.#waiting.take(id);
      return this.#endOf(trace, fact, waiting ?? []);
    }
    if (waiting === undefined) this.#waiting.set(id, [placed]);
    else if (waiting.length <= perSpan) waiting.push(placed);
  }

  /** An actor that ended without a last reconcile. */
  #endOf(trace: Trace, fact: Fact, waiting: readonly Placed[]): void {
    const before = waiting.filter((placed) => placed.trace === trace).map((one) => one.fact);
    const span = this.#spanOf(trace, this.#parentOf(trace, fact.cause), fact.id, {
      ...aboutActor('end', fact.about, {}),
      ...{ start: fact.at, end: fact.at, facts: [...before, fact] },
    });
    this.#send(trace, span);
  }

  /** The span of a fact or reconcile, if it is of this trace. */
  #at(trace: Trace, id: string): Known | undefined {
    const known = this.#spans.get(id);
    return known?.traceId === trace.traceId ? known : undefined;
  }

  #parentOf(trace: Trace, cause: string): Known | undefined {
    const known = this.#at(trace, cause);
    if (known !== undefined || trace.first === undefined) return known;
    return { ...trace.first, start: trace.openedAt };
  }

  #send(trace: Trace, span: FinishedSpan): void {
    const { traceId, spanId } = span;
    trace.first ??= { traceId, spanId };
    this.#parts.target.take(span);
  }

  #follow(id: string, known: Known | undefined): void {
    if (known !== undefined) this.#spans.set(id, known);
  }

  #spanOf(
    trace: Trace,
    parent: SpanId | undefined,
    id: string,
    { facts = [], links = [], kind = 'internal', error, ...about }: Described,
  ): FinishedSpan {
    const { traceId, before, first } = trace;
    const spanId = spanIdOf(id);
    this.#follow(id, { traceId, spanId, start: about.start });
    const isCarriedOn = first === undefined && before !== undefined;
    return {
      ...{ traceId, spanId, parent, kind, error, ...about },
      events: facts.slice(0, perSpan).map(eventOf),
      dropped: Math.max(0, facts.length - perSpan),
      links: [...(isCarriedOn ? [before] : []), ...links].slice(0, perSpan),
    };
  }
}

const isSame = (a: ActorKey, b: ActorKey): boolean =>
  a === b || (a.name === b.name && a.kind === b.kind && a.namespace === b.namespace);
