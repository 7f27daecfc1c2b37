// The statements that no listed mutant makes fall, each with its reason. A test holds that there
// are no others, and that none of these has a mutant.
import type { Shows } from './mutant.ts';

export interface Exception extends Shows {
  readonly reason: string;
}

export const withoutMutant: readonly Exception[] = [
  {
    shows: 'A pod chosen for deletion keeps its index and its place',
    reason:
      'two lines hold it, each without the other: no pod is created in its place, and it is kept ' +
      'again where another one is missing',
  },
  {
    shows: [
      'After a restore, restarted processes reach the expected end',
      'A client that deletes every child for minutes never causes more',
      'The same holds for a process.',
      'A bad object never harms another one, by writes or by time.',
      'Neither does an object that poses as a child of another.',
      'A bad object never holds the event loop of a process for 50 ms',
      'Peers that send nothing, or one byte a second, do not keep',
      'They do not keep API servers from the webhooks either.',
      'If somebody assigns a shard to another process by hand, its',
      'Joining and leaving pause an object for a moment; no request is',
      'A controller that is killed at any point of a creation, scaling',
      'The shards of a killed or stopped process are taken over within',
      'The same goes for a process whose loop was blocked,',
      'whose clock runs at half the rate,',
      "or whose peers' clock runs at double rate.",
      'A process that is told to stop does so soon, even under load,',
      'Without faults no request is refused with 409, whatever the',
      'Over HTTPS it needs no bus, and the owner reviews the caller',
      'Lost replies cause no extra pods while a set is deployed,',
      'Seeing its own writes half a minute late causes none either.',
      'Deletions during half-open watches are noticed within 60',
      'When an API server returns from an outage, simultaneous',
      'Refusals cost only time, and the controller waits for the time',
      'The children of an object are never mistaken for those of a',
      'A new token in the file is used when the old one is refused,',
      'Bytes that are cut anywhere are never misread.',
      'Nothing that NATS does or forgets changes anything in the',
      'Work continues without NATS.',
      'A listener that does not read costs a bounded amount of memory.',
      'Messages that Coppice did not send are refused, counted and,',
      'Everything that a process creates, deletes or releases for',
      'What belongs to others stays, on every kind that Coppice',
      'A gang whose delay ends while no controller runs is terminated',
      'At rest each process renews one lease, no request is refused,',
      'After all sets are deleted and gone, a process has as many',
      'A real process has no more sockets, open files and timers than',
      'A controller that dies before or after any single write reaches',
      'The same seed gives the same run.',
      'A start from lists of the past, which no API server returns for',
      'Generated sets, edited and scaled twenty times on bad days, end',
      'Each planted bug is found by the seed that first found it, and',
      'Without the bug each of these seeds passes.',
    ],
    reason: 'whole processes or days alone show it',
  },
];
