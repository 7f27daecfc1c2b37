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
];
