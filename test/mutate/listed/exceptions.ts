// The statements that no listed mutant makes fall, each with its reason. A test holds that there
// are no others, and that none of these has a mutant.
import type { Shows } from './mutant.ts';

export interface Exception extends Shows {
  readonly reason: string;
}

export const withoutMutant: readonly Exception[] = [
  {
    shows: 'A bad object never holds the event loop of a process for 50 ms',
    reason:
      'undecided: with more cliques in a set it stands, and with larger maps it had not ended after ' +
      'ten minutes on a busy machine',
  },
];
