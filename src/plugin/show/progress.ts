// How far a wait is, as one line: `3 of 8 ready after 12s, about 20s left`. Pure; get.ts and
// support-bundle.ts tell it what is done and print what it says.
import { span } from './table.ts';

export class Progress {
  readonly #what: string;
  readonly #begun: number;
  #first: number | undefined;

  /** `what`: of which something is counted, such as `ready`. */
  constructor(what: string, now: number) {
    this.#what = what;
    this.#begun = now;
  }

  /** The rest takes as long for each as what was done since the first look. */
  at(done: number, all: number, now: number): string {
    this.#first ??= done;
    const elapsed = now - this.#begun;
    const gained = done - this.#first;
    const said = `${done} of ${all} ${this.#what} after ${span(elapsed)}`;
    if (gained <= 0 || done >= all) return said;
    return `${said}, about ${span(((all - done) * elapsed) / gained)} left`;
  }
}
