// What a server does not want to be asked again before some time, whoever asks for it: actors that
// need the same list do not know of each other. Used by refreshes.ts.
import type { RefreshObjects } from '#machines/contract/intents.ts';
import type { Clock } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';

type Selection = Pick<RefreshObjects, 'kind' | 'labels' | 'namespaces'>;

const keyOf = ({ kind, labels, namespaces }: Selection): string =>
  `lists ${kind} ${JSON.stringify([labels, namespaces])}`;

export class RetryLater {
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  /** Until when, on the steady clock. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock, deadlines: Deadlines) {
    this.#clock = clock;
    this.#deadlines = deadlines;
  }

  isHeld(selection: Selection): boolean {
    return this.#until.has(keyOf(selection));
  }

  /** `over`: called when it may be asked for again. */
  hold(selection: Selection, ms: number, over: () => void): void {
    const key = keyOf(selection);
    const until = this.#clock.steady() + ms;
    if (ms <= 0 || until <= (this.#until.get(key) ?? 0)) return;
    this.#until.set(key, until);
    this.#deadlines.after(key, ms, () => {
      this.#until.delete(key);
      over();
    });
  }
}
