// The lines on which the gaps of spec controllers 10.2 are closed, besides those of rules.ts.
import type { ListedMutant } from './mutant.ts';

const podClique = 'machines/grove/podclique';
const set = 'machines/grove/podcliqueset';
const group = 'machines/grove/scalinggroup';

export const ofGroveGaps: readonly ListedMutant[] = [
  {
    shows: 'gap 1',
    file: 'machines/grove/objects/names.ts',
    from: "const slot = end < 0 ? '' : after.slice(end + 1);",
    to: "const slot = end < 0 ? '' : after.slice(after.lastIndexOf('-') + 1);",
  },
  {
    shows: 'gap 2',
    file: 'src/init/order.ts',
    from: "    const clique = labels?.[label.podClique] ?? '';",
    to: "    const clique = [...this.#parents.keys()].find((one) => name.startsWith(one)) ?? '';",
  },
  {
    shows: 'gap 3',
    file: 'machines/grove/routes/table.ts',
    from: "          .map(({ name }): Told => [cliqueKey(observed, name), 'gang']),\n",
    to: "          .map((): Told => [cliqueKey(observed, observed.name), 'gang']),\n",
  },
  {
    shows: 'gap 4',
    file: 'machines/grove/routes/table.ts',
    from: '    shown: schedulingOfPod,\n',
    to: '',
  },
  {
    shows: 'gap 6',
    file: `${set}/children/wanted-gangs.ts`,
    from: 'return Math.min(isOurs ? there.replicas : group.replicas, maxReplicasPerGroup);',
    to: 'return Math.min(isOurs ? there.observed.availableReplicas : group.replicas, maxReplicasPerGroup);',
  },
  {
    shows: 'gap 7',
    file: `${set}/token.ts`,
    from: "  isOrdered(set) && tokenState(context, set) !== 'ours';",
    to: '  context.token.nextAt !== Infinity && set.generation > 0;',
  },
  {
    shows: 'gap 8',
    file: `${set}/replicas.ts`,
    from: '    ...leaving.map(({ depart }) => depart(reason)),\n',
    to: '',
  },
  {
    shows: 'gap 10',
    file: 'machines/grove/children/replicas.ts',
    from: 'for (const index of indices.toReversed()) {',
    to: 'for (const index of indices) {',
  },
  {
    shows: 'gap 9',
    file: `${group}/replicas.ts`,
    from: '    ...leaving.map(({ depart }) => depart(reason)),\n',
    to: '',
  },
  {
    shows: 'gap 11',
    file: `${set}/children/domain.ts`,
    from: "  surplus: 'no clique is in its group',\n  removeFinalizer,\n",
    to: "  surplus: 'no clique is in its group',\n",
  },
  {
    shows: 'gap 12',
    file: `${set}/replicas.ts`,
    from: '    ...(isEmpty ? removeStaleClaims(shared, index) : []),',
    to: '    ...removeStaleClaims(shared, index),',
  },
  {
    shows: 'gap 13',
    file: `${set}/reduce.ts`,
    from: '  const errors = resolved(context.errors, ref);\n',
    to: '  const { errors } = context;\n',
  },
  {
    shows: 'gap 14',
    file: `${set}/children/group.ts`,
    from: '  const spec = specOf(template);\n',
    to: '  const spec = { ...specOf(template), replicas: template.replicas };\n',
  },
  {
    shows: 'gap 15',
    file: 'machines/grove/podgang/steps.ts',
    from: '    ...others,\n',
    to: '',
  },
  {
    shows: 'gap 20',
    file: 'machines/grove/objects/pod-names.ts',
    from: 'free.length < wanted; index++) if (!used.has(index)) free.push(index);',
    to: 'free.length < wanted; index++) free.push(index);',
  },
  {
    shows: 'gap 21',
    file: `${podClique}/behaviour.ts`,
    from: '    { do: replaceFinished, in: active },\n',
    to: '',
  },
  {
    shows: 'gap 22',
    file: 'machines/grove/objects/podcliqueset.ts',
    from: 'domains: [...new Set(constraints.flatMap(domainsOf))].toSorted(),',
    to: 'domains: [...new Set(constraints.flatMap(domainsOf))],',
  },
  {
    shows: 'gap 23',
    file: `${podClique}/rollout.ts`,
    from: 'fresh.length >= Math.min(completed.length + 1, most);',
    to: 'fresh.length >= completed.length + 1;',
  },
  {
    shows: 'gap 24',
    file: `${podClique}/rollout.ts`,
    from: '  const isStale = isRunning(progress) && runningProgress(context, clique) === undefined;\n',
    to: '  const isStale = false;\n',
  },
  {
    shows: 'gap 25',
    file: `${set}/steps/rollout.ts`,
    from: '    if (progress === undefined || !updatesOnDelete || !isRunning(progress)) return idle;',
    to: '    if (progress === undefined || updatesOnDelete || !isRunning(progress)) return idle;',
  },
  {
    shows: 'gap 26',
    file: `${group}/rollout.ts`,
    from: 'isReplaced(context, group, progress) && (isHeld(context) || areReached(context, group));',
    to: 'isReplaced(context, group, progress);',
  },
  {
    shows: 'gap 28',
    file: 'machines/grove/scheduler/kai.ts',
    from: '  [set, ...set.cliques].map(namedBy)',
    to: '  [set].map(namedBy)',
  },
  {
    shows: 'gap 29',
    file: 'machines/grove/podgang/podgroup.ts',
    from: '  return [...podGroups.values()]\n    .filter(',
    to: '  return [...podGroups.values()].slice(1)\n    .filter(',
  },
  {
    shows: 'gap 30',
    file: 'src/config/translate.ts',
    from: 'log: { level: operator.logLevel, format: operator.logFormat },',
    to: "log: { level: 'info', format: 'json' },",
  },
];
