// What the oracles of warm pools are given: the store that they watch, what was there before, and
// how exactly they can judge.
import type { Clock } from '#actors/ports.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Tally } from '../oracles/tally.ts';
import type { What } from './objects.ts';
import type { Past } from './past.ts';

export interface Watched {
  readonly store: Store;
  readonly tally: Tally;
  readonly clock: Clock;
  readonly violate: (what: string) => void;
}

export interface Judged extends Watched {
  /** Deadlines are by the clocks of processes, and these are not right. */
  readonly areClocksWrong: boolean;
  /** How old what a process acts on may be. */
  readonly latelyMs: number;
  readonly graceMs: number;
  readonly past: (what: What) => Past;
  /** The process has heard all that there was at such a version, later than the given one. */
  readonly listed: (life: number, plural: string, since: number) => readonly number[];
}
