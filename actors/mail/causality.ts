// Why something happens, in the two words that travel with every piece of mail; and the journal of
// facts about it: each is built once, put into the ring of this process, and published where there
// is a bus.
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { FactRing } from '../history/ring.ts';
import type { Limits } from '../limits.ts';
import type { BusPort, Clock, FactKind, Ids } from '../ports.ts';

/** `id` of the fact or message that led here, `trace` of the outside change at the root of it. */
export interface Cause {
  readonly id: string;
  readonly trace: string;
  /** Somebody has changed the spec of an actor's object, and the turn is about that. */
  readonly isEdit?: true;
}

/** The start of a trace: nothing that we know of led to it. */
export const noCause: Cause = { id: '', trace: '' };

/** Of two causes of one turn: the newer, but an edit gives way to another edit alone. Who follows
 *  an edit finds all that it led to. */
export const prevailing = (before: Cause | undefined, next: Cause): Cause =>
  before?.isEdit === true && next.isEdit !== true ? before : next;

/** For what is kept and acted on in a later turn: there the edit is an old one. */
export const kept = ({ id, trace }: Cause): Cause => ({ id, trace });

interface Parts {
  readonly ports: { readonly bus: BusPort | undefined; readonly clock: Clock; readonly ids: Ids };
  readonly history: FactRing;
  readonly limits: Pick<Limits, 'factText'>;
}

export class Journal {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A new cause below `cause`; its own root when there is none. */
  next(cause: Cause): Cause {
    const id = this.#parts.ports.ids.next();
    return { id, trace: cause.trace === '' ? id : cause.trace };
  }

  /** Tells a fact under an id of its own and returns the fact as a cause. */
  note(about: ActorKey, what: FactKind, cause: Cause, data: JsonObject): Cause {
    const link = this.next(cause);
    this.publish(about, what, link, cause, data);
    return link;
  }

  /** Tells a fact whose id is already known, because mail carries it as cause. Nobody changes
   *  `data` any more. */
  publish(about: ActorKey, what: FactKind, link: Cause, cause: Cause, data: JsonObject): void {
    const { ports, history, limits } = this.#parts;
    const fact = history.add({
      id: link.id,
      cause: cause.id,
      trace: link.trace,
      at: ports.clock.now(),
      about,
      what,
      data: bounded(data, limits.factText),
    });
    ports.bus?.fact(fact);
  }
}

/** Reasons and messages of errors come from outside, at any length. */
function bounded(data: JsonObject, most: number): JsonObject {
  for (const field in data) {
    const value = data[field];
    if (typeof value !== 'string' || value.length <= most) continue;
    data = { ...data, [field]: `${value.slice(0, most - 1)}…` };
  }
  return data;
}
