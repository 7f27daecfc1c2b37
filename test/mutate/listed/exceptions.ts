// The statements that no listed mutant makes fall, each with its reason. A test holds that there
// are no others, and that none of these has a mutant.
import type { Shows } from './mutant.ts';

export interface Exception extends Shows {
  readonly reason: string;
}

export const withoutMutant: readonly Exception[] = [
  {
    shows: 'A controller that is killed at any point of a creation, scaling',
    reason: 'its test needs a real control plane; the crashes of the simulator show the same',
  },
  {
    shows: 'The same goes for a process whose loop was blocked,',
    reason:
      'who wakes hears first of the lease and then of all else, so what was to be written is not ' +
      'wanted any more, whatever the clock says',
  },
  {
    shows: 'A bad object never holds the event loop of a process for 50 ms',
    reason: 'with larger maps its test takes longer than ten minutes, and says nothing until then',
  },
  {
    shows: 'whose clock runs at half the rate,',
    reason: 'its timers are slow too, so the next owner has written first, whatever it believes',
  },
];
