// Why something happens, in the two words that travel with every piece of mail; and the journal
// that publishes facts about it. Without a bus nothing is built, so a fact costs nothing there.
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { BusPort, Clock, FactKind, Ids } from '../ports.ts';

/** `id` of the fact or message that led here, `trace` of the outside change at the root of it. */
export interface Cause {
  readonly id: string;
  readonly trace: string;
}

/** The start of a trace: nothing that we know of led to it. */
export const noCause: Cause = { id: '', trace: '' };

export class Journal {
  readonly #ports: { bus: BusPort | undefined; clock: Clock; ids: Ids };

  constructor(ports: { bus: BusPort | undefined; clock: Clock; ids: Ids }) {
    this.#ports = ports;
  }

  /** A new cause below `cause`; its own root when there is none. */
  next(cause: Cause): Cause {
    const id = this.#ports.ids.next();
    return { id, trace: cause.trace === '' ? id : cause.trace };
  }

  /** Publishes a fact under an id of its own and returns the fact as a cause. */
  note(about: ActorKey, what: FactKind, cause: Cause, data: () => JsonObject): Cause {
    if (this.#ports.bus === undefined) return cause;
    const link = this.next(cause);
    this.publish(about, what, link, cause, data);
    return link;
  }

  /** Publishes a fact whose id is already known, because mail carries it as cause. */
  publish(
    about: ActorKey,
    what: FactKind,
    link: Cause,
    cause: Cause,
    data: () => JsonObject,
  ): void {
    this.#ports.bus?.fact({
      id: link.id,
      cause: cause.id,
      trace: link.trace,
      at: this.#ports.clock.now(),
      about,
      what,
      data: data(),
    });
  }
}
