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
      'none was tried: who wakes seems to hear of the lease before it plans, so that the line about ' +
      'the clock would not be what holds it',
  },
  {
    shows: 'A bad object never holds the event loop of a process for 50 ms',
    reason:
      'undecided: with more cliques in a set it stands, and with larger maps it had not ended after ' +
      'ten minutes on a busy machine',
  },
  {
    shows: 'whose clock runs at half the rate,',
    reason:
      'a mutant of the ratio of clocks stands, probably as its timers are slow too, so that the next ' +
      'owner has written first',
  },
];
