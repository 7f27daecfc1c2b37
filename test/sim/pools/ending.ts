// What is judged at the end of a day of warm pools.
import type { Store } from '#src/devcluster/api/store/store.ts';

export interface Ending {
  readonly store: Store;
  readonly now: number;
  /** Nobody can say whether a deadline has passed. */
  readonly areClocksWrong: boolean;
}
