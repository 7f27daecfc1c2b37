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
    from: 'stuck.size === 0 ? own : own.filter(({ uid }) => !stuck.has(uid));',
    to: 'own;',
  },
  {
    shows: 'A pod chosen for deletion keeps its index and its place',
    file: 'machines/grove/podclique/steps/create-pods.ts',
    from: 'return slots.filter(({ index }) => !held.has(index)).slice(0, Math.max(0, room));',
    to: 'return slots;',
  },
  {
    shows: 'A gang whose delay ends while no controller runs is terminated',
    file: 'machines/grove/podcliqueset/children/clique.ts',
    from: '    replicas: set.kept.get(name)?.replicas,\n',
    to: '',
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
  {
    shows: 'If somebody assigns a shard to another process by hand',
    planted: 'shard-kept',
    says: 'was shown that',
  },
  {
    shows: 'Everything that a process creates, deletes or releases for',
    planted: 'shrunk-too-far',
    says: 'deletes live pod',
  },
  {
    shows: 'What belongs to others stays, on every kind that Coppice',
    planted: 'conditions-replaced',
    says: 'changes what is not ours',
  },
  {
    shows: 'At rest each process renews one lease, no request is refused',
    planted: 'renewed-early',
    says: 'writes of leases in quiet',
  },
  {
    shows: 'After all sets are deleted and gone, a process has as many',
    planted: 'deletes-forgotten',
    says: 'after the deletion of all sets a process has',
  },
  {
    shows: 'After a restore, restarted processes reach the expected end',
    file: 'src/kube/watch/history.ts',
    from: '    if (now - this.#staleSince >= staleListLimitMs) this.#lose(message);\n',
    to: '',
    says: 'not converged',
  },
  {
    shows: 'Everything that a process creates, deletes or releases for',
    file: 'test/sim/oracles/decisions.ts',
    from: 'const wasChosen = this.#excesses.take(clique, uid, moment()) && this.#wasHeldUp;',
    to: 'const wasChosen = this.#excesses.take(clique, uid, moment());',
    says: 'to have a length of 1',
  },
  {
    shows: 'A controller that dies before or after any single write reaches',
    file: 'machines/grove/podcliqueset/token.ts',
    from: 'const isFirst = token.isFresh && !token.isUnsure;',
    to: 'const isFirst = !token.isUnsure;',
    says: 'crashAfter write',
  },
  {
    shows: 'The same seed gives the same run',
    file: 'src/kube/watch/reflector.ts',
    from: 'Math.floor(random.next() * (most - least + 1))',
    to: 'Math.floor(Math.random() * (most - least + 1))',
    says: "to be '",
  },
  {
    shows: 'A start from lists of the past, which no API server returns for',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
    from: 'return b.createdAt - a.createdAt;',
    to: 'return a.createdAt - b.createdAt;',
    says: "to include '",
  },
  {
    shows: 'Generated sets, edited and scaled twenty times on bad days, end',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
    from: '  const excess = rest.length - clique.replicas;',
    to: '  const excess = rest.length - clique.replicas - 1;',
    says: 'not converged',
    by: 'test/sim/seeds/walk.test.ts',
  },
  {
    shows: 'Each planted bug is found by the seed that first found it, and',
    file: 'test/sim/oracles/oracles.ts',
    from: 'if (restoring.isAstray) return;\n    const second',
    to: 'if (!restoring.isAstray) return;\n    const second',
    says: 'to deeply equal [ 8 ]',
  },
  {
    shows: 'Without the bug each of these seeds passes',
    file: 'machines/grove/podclique/steps/create-pods.ts',
    from: '  const live = livePods(context, clique);',
    to: '  const live = livePods(context, clique).filter(({ isReady }) => isReady);',
    says: 'though it knows another one with index',
  },
];
