// The lines on which the sentences about the whole rest. Where only the simulator demonstrates one,
// it is one of the bugs that are planted there, found by the first of its seeds.
import type { ListedMutant } from './mutant.ts';

export const ofMachines: readonly ListedMutant[] = [
  {
    shows: 'Pods that end by themselves are replaced immediately at first',
    file: 'machines/grove/podclique/steps/replace-finished.ts',
    from: 'const recent = [context.failures, ...reported].filter(',
    to: 'const recent = [context.failures].filter(',
  },
  {
    shows: 'A label or annotation that a PodGang has from its set',
    file: 'machines/grove/objects/mirror.ts',
    from: 'labels: { ...patchToward(there.labels, wanted.labels), ...removed(staleLabels) },',
    to: 'labels: { ...patchToward(there.labels, wanted.labels) },',
  },
  {
    shows: 'A set that is scaled, edited and deleted while events arrive late',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
    from: '  const excess = rest.length - clique.replicas;',
    to: '  const excess = rest.length - clique.replicas - 1;',
  },
  {
    shows: 'In these histories only gangs are terminated that were good once',
    file: 'machines/grove/children/termination.ts',
    from: 'const isDue = breach !== undefined && dueFor(breach, plannedSince) <= now;',
    to: 'const isDue = breach !== undefined && plannedSince <= now;',
  },
  {
    shows: 'A gang is terminated on the second that its condition',
    file: 'machines/grove/podcliqueset/termination.ts',
    from: 'dueAt: since + set.terminationDelayMs, what, cause',
    to: 'dueAt: since + set.terminationDelayMs + 1_000, what, cause',
  },
  {
    shows: 'A gang that recovered while no controller ran is not terminated',
    file: 'machines/grove/children/termination.ts',
    from: '  Math.max(breach.dueAt, plannedSince + startGraceMs);',
    to: '  Math.max(breach.dueAt, plannedSince);',
  },
  {
    shows: 'A controller that dies after any of the writes of a termination',
    file: 'machines/grove/children/termination.ts',
    from: 'const old = areTold ? cliques.filter(isOld) : cliques;',
    to: 'const old = cliques;',
  },
  {
    shows: 'A pod that is stuck terminating counts as gone',
    file: 'machines/grove/podclique/status.ts',
    from: 'ownPods(context, clique).filter(({ uid }) => !context.stuck.has(uid));',
    to: 'ownPods(context, clique);',
  },
  {
    shows: 'A field whose type differs from the schema is reported',
    file: 'machines/grove/objects/set-problem.ts',
    from: "  ['spec.replicas', given(aCount)],\n",
    to: '',
  },
];

export const ofDays: readonly ListedMutant[] = [
  {
    shows: 'After the first write of a newer owner of a tree',
    planted: 'epoch-omitted',
    says: 'sends what it decided in epoch',
  },
  { shows: 'After all faults heal', planted: 'stale-kept', says: 'not converged' },
  { shows: 'At every version, live pods', planted: 'create-doubled', says: 'share an index' },
  { shows: 'A process never falls behind', planted: 'reply-unseen', says: 'again' },
  { shows: 'Retry-After of a 429', planted: 'retry-after-ignored', says: 'of Retry-After' },
  { shows: 'No crash, lost reply or change', planted: 'create-doubled', says: 'share an index' },
  { shows: 'An update replaces what its edit', planted: 'on-delete-kept', says: 'OnDelete' },
];
