// The views of one clique under test, as the runtime keeps and hands them over.
import type { AnyMachineSnapshot } from 'xstate';
import { noCause } from '#actors/mail/causality.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import type { Entry } from '#machines/contract/view.ts';
import { clique as behaviour } from '#machines/nvidia/clique/behaviour.ts';

export class Reading {
  readonly #views = new Views<Reader>(() => {});
  readonly #reader: Reader = { id: 'clique', reads: new Map() };

  put(object: string, entries: readonly Entry[]): void {
    this.#views.put(object, entries, noCause);
  }

  /** With all that there is to read, and what that leads to. */
  handOver(before: AnyMachineSnapshot): AnyMachineSnapshot {
    let snapshot = before;
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(this.#reader, behaviour.reads(snapshot));
      if (events.length === 0) return snapshot;
      for (const event of events) snapshot = behaviour.reduce(snapshot, event);
    }
    throw new Error('its views do not come to rest');
  }
}
