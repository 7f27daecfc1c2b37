// What the floor of a rolling update sends, write by write in its order, and where the spec of the
// controllers asks for it. docs/benchmarks.md shows the list; a test holds it against what the
// floor really sends.
import { podsPerReplica } from './workload.ts';

interface Write {
  /** As in the counts of requests. */
  readonly write: string;
  /** So often for a set, for each replica, or for each pod; late: for each replica that waits for
   *  its turn longer than `patienceMs`. */
  readonly each: 'set' | 'replica' | 'late replica' | 'pod';
  readonly says: string;
  /** Of the spec of the controllers. */
  readonly spec: string;
}

/** Who waits longer than this for its turn says in its status that it has read its spec. */
export const patienceMs = 30_000;

export const updateWrites: readonly Write[] = [
  {
    write: 'patch podcliques',
    each: 'replica',
    says: 'the new pod spec, its hash and that of the generation; of all replicas at once',
    spec: '5.3, 1.1.5',
  },
  {
    write: 'update podcliques/status',
    each: 'late replica',
    says: '`observedGeneration`, counters by the new hash; after 30 s without a turn, else with the next status',
    spec: '2.1, 5.3',
  },
  {
    write: 'update podcliquesets/status',
    each: 'replica',
    says: 'the replica whose turn it is, counts of what is updated; the first one also the beginning and the generation',
    spec: '5.2, 5.4 step 4, 5.10',
  },
  {
    write: 'update podcliques/status',
    each: 'pod',
    says: 'the pod that is chosen, those before it, `updatedReplicas`; the first one also the target and the beginning',
    spec: '5.5, 5.7 step 5, 5.10',
  },
  { write: 'delete pods', each: 'pod', says: 'the chosen pod', spec: '5.7 step 5' },
  {
    write: 'patch podgangs',
    each: 'pod',
    says: '`podReferences` with the new pod in place of the old one',
    spec: '5.7, 3.2',
  },
  { write: 'create pods', each: 'pod', says: 'the new pod', spec: '5.7, 7.4' },
  {
    write: 'update podcliques/status',
    each: 'replica',
    says: 'the end, the current hashes, the counters',
    spec: '5.7 step 6, 2.1',
  },
  {
    write: 'update podcliquesets/status',
    each: 'set',
    says: 'the end, the counters',
    spec: '5.4 step 4, 5.10',
  },
];

/** By write, for so many replicas, none of which has waited too long. */
export function writesOf(replicas: number): Readonly<Record<string, number>> {
  const pods = replicas * podsPerReplica;
  const times = { set: 1, replica: replicas, 'late replica': 0, pod: pods };
  const counts: Record<string, number> = {};
  for (const { write, each } of updateWrites) counts[write] = (counts[write] ?? 0) + times[each];
  return counts;
}
