// Objects that the whole cluster shares and whose readers nobody can tell from the object itself (a
// topology, say): every actor of some kinds hears of each, in whatever tree it is, and again when
// it starts. Kept by the router; few and small by nature.
import type { ActorKind } from '#machines/kinds.ts';
import type { Announcement } from '#machines/vocabulary.ts';
import type { Known } from './cache.ts';
import type { MachineEvent } from './mailbox.ts';

/** What all actors of some kinds hear of one object. */
export interface Notice {
  readonly to: readonly ActorKind[];
  readonly object: Known;
  readonly gone: boolean;
  readonly event: MachineEvent;
}

interface Posted {
  readonly object: Known;
  readonly announcements: readonly Announcement[];
}

export class Notices {
  readonly #posted = new Map<string, Posted>();

  /** The object was seen; `announcements` of all routes. */
  seen(object: Known, announcements: readonly Announcement[]): readonly Notice[] {
    if (announcements.length === 0) return [];
    this.#posted.set(object.key, { object, announcements });
    return announcements.map(({ to, seen }) => ({ to, object, gone: false, event: seen }));
  }

  /** The object is gone. */
  gone(object: Known): readonly Notice[] {
    const posted = this.#posted.get(object.key);
    if (posted?.object !== object) return [];
    this.#posted.delete(object.key);
    return posted.announcements.map(({ to, gone }) => ({ to, object, gone: true, event: gone }));
  }

  /** What an actor of this kind hears when it starts. */
  *of(kind: ActorKind): Iterable<Notice> {
    for (const { object, announcements } of this.#posted.values()) {
      for (const { to, seen } of announcements) {
        if (to.includes(kind)) yield { to, object, gone: false, event: seen };
      }
    }
  }
}
