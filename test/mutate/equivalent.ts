// Mutants that no test can kill, since they change nothing that anybody can see, each with the
// reason. They stay in the denominator of every rate.

interface Equivalent {
  /** As `npm run mutate` prints it. */
  readonly id: string;
  readonly file: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [
  {
    id: '865cd50222',
    file: 'actors/run/scheduler.ts',
    reason: '`wake` only schedules a slice, which never runs before `open` has returned',
  },
  {
    id: '024401dba4',
    file: 'machines/nvidia/clique/decided.ts',
    reason: 'pods of a node are sorted by age and joiners in order, however they were gathered',
  },
  {
    id: 'ce38842c19',
    file: 'actors/shards/lease/keeper.ts',
    reason:
      'what was written in an earlier ownership is in the record, and the later version counts',
  },
  {
    id: 'd4fb1f6425',
    file: 'machines/agentsandbox/warmpool/removal.ts',
    reason: 'choices are compared with each other alone, and grow all the same',
  },
  {
    id: 'b5733b7e93',
    file: 'actors/shards/lease/decide.ts',
    reason: 'a lease lasts for seconds, and one that is not missed was so for 0 ms or 1 ms',
  },
  {
    id: '1d094c03d1',
    file: 'src/kube/watch/reflector.ts',
    reason: 'since when lists are too old, nobody asks who is told of what is gone',
  },
  {
    id: '93271247e4',
    file: 'bus/nats/batch.ts',
    reason:
      'that a message waits and how many bytes wait are noted apart, and looked at after both',
  },
  {
    id: '59f80c9d4c',
    file: 'bus/nats/bus.ts',
    reason: 'subscriptions to messages and to questions know nothing of each other',
  },
  {
    id: 'd90d7d3606',
    file: 'bus/wire.ts',
    reason: 'a checksum has eight digits whatever it is',
  },
  {
    id: '15d03c8eea',
    file: 'actors/system.ts',
    reason: 'all of them are to be idle, in whatever order they are asked',
  },
  {
    id: 'b610f42649',
    file: 'src/leases/store.ts',
    reason: 'a request that is broken off rejects with the very error that the wait rejects with',
  },
  {
    id: '8f06fd4947',
    file: 'src/admission/view.ts',
    reason: 'the one is as the other where the other is as the one',
  },
  {
    id: '3a3d85663d',
    file: 'src/kube/watch/crd-backoff.ts',
    reason: 'who is hurried goes on when this has returned, as it awaits its pause',
  },
  {
    id: 'f420bac24f',
    file: 'src/leases/follow.ts',
    reason: 'a timer that is cancelled looks at no watch',
  },
  {
    id: 'f5be481bb5',
    file: 'machines/grove/podclique/explain.ts',
    reason: 'a pod counts as stuck by the very time that it has then',
  },
  {
    id: '6f1a71337b',
    file: 'bus/nats/history.ts',
    reason: 'a look uses the connection that it is given, and goes on later',
  },
  {
    id: '96d41cccf2',
    file: 'src/kube/transport/lines.ts',
    reason: 'a piece and its length are noted apart, and looked at after both',
  },
  {
    id: '94f5cf8d9b',
    file: 'src/leases/store.ts',
    reason: 'neither is settled when the race begins, so the first to settle wins it',
  },
  {
    id: '6cf03652f8',
    file: 'actors/shards/lease/view.ts',
    reason: 'whether a member is missed already, or dead, does not depend on whether it is known',
  },
  {
    id: '803d10fc89',
    file: 'actors/shards/lease/membership.ts',
    reason: 'a line of the log does not say what the problem is by then',
  },
  {
    id: '54e5be9e2b',
    file: 'src/kube/transport/lines.ts',
    reason: 'a line of just the longest length is the same text, however it is put together',
  },
  {
    id: '587e77e6c3',
    file: 'machines/activator/revision/behaviour.ts',
    reason: 'without a table the state is `opening`, which is asked first',
  },
  {
    id: 'a69580de6b',
    file: 'actors/supervision/supervisor.ts',
    reason: 'a row does not show when its actor wakes, so nobody who is told of it sees a deadline',
  },
  {
    id: '1d7c135dc8',
    file: 'actors/supervision/supervisor.ts',
    reason: 'a deadline goes by the id of its actor, and a tree knows none',
  },
  {
    id: '68e760cc48',
    file: 'bus/nats/bus.ts',
    reason: 'what waits is sent without a look at whether more is taken',
  },
  {
    id: 'd532be534e',
    file: 'src/kube/transport/lines.ts',
    reason: 'an empty piece adds nothing to the line that it begins',
  },
  {
    id: '4e40e76c87',
    file: 'machines/agentsandbox/sandbox/behaviour.ts',
    reason: 'one of the two steps only waits, and neither reads what the other one says',
  },
  {
    id: '832cc07a13',
    file: 'src/kube/transport/parse.ts',
    reason: 'a map that is too large is refused, cut or not, and a text that is short is not slow',
  },
  {
    id: 'de0aa298f0',
    file: 'machines/agentsandbox/warmpool/queue/fifo.ts',
    reason: 'a line to which a key was added has a first',
  },
  {
    id: 'eb6c86161c',
    file: 'actors/shards/lease/keeper.ts',
    reason: 'nobody is known to leave before that was written, which takes longer than this',
  },
  {
    id: '31584b9567',
    file: 'actors/run/actor-runner.ts',
    reason: 'a fact and a row are told apart, and neither says what the other one does',
  },
  {
    id: '040becee9e',
    file: 'actors/views/views.ts',
    reason: 'what is dropped for a second time was dropped already',
  },
  {
    id: '2dd6eeb1df',
    file: 'actors/effects/completion.ts',
    reason: 'a timer that is left finds no pause, and the next pause takes its place',
  },
  {
    id: '14915e771e',
    file: 'src/kube/watch/object-index.ts',
    reason: 'who asks for a list begins the names anew',
  },
  {
    id: '2b36a26cb9',
    file: 'src/kube/watch/object-index.ts',
    reason: 'who asks for a list begins the names anew',
  },
  {
    id: '214f07f94b',
    file: 'src/kube/watch/object-index.ts',
    reason: 'who begins a list begins the names anew',
  },
  {
    id: '586192f1a9',
    file: 'src/kube/watch/object-index.ts',
    reason: 'an event of a version that was told already is none, and the next list forgets it',
  },
  {
    id: 'c7486fd0b3',
    file: 'src/kube/watch/object-index.ts',
    reason: 'an event of a version that was told already is none, and the next list forgets it',
  },
  {
    id: '1004b14a3c',
    file: 'src/leases/follow.ts',
    reason: 'whoever closes a watch is told of nothing, so nobody asks in between',
  },
  {
    id: '525e128274',
    file: 'machines/grove/objects/breach.ts',
    reason: 'nothing was created in the first seconds of 1970',
  },
  {
    id: '9424e7e371',
    file: 'actors/effects/events.ts',
    reason: 'that an Event waits is marked and its place taken before anybody looks at either',
  },
];
