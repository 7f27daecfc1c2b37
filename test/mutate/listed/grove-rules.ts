// The lines on which the rules of spec controllers 10.1 rest, besides those of rules.ts.
import type { ListedMutant } from './mutant.ts';

const podClique = 'machines/grove/podclique';
const set = 'machines/grove/podcliqueset';
const group = 'machines/grove/scalinggroup';

const ofObjects: readonly ListedMutant[] = [
  {
    shows: 'rule 8',
    file: 'machines/grove/objects/pod-spec.ts',
    from: 'return withContainers({ ...podSpec, resourceClaims: [...claims, { ...claim }] }, (container) =>',
    to: 'podSpec["resourceClaims"] = [...claims, { ...claim }];\n  return withContainers(podSpec, (container) =>',
  },
  {
    shows: 'rule 11',
    file: 'machines/grove/routes/table.ts',
    from: "  set === '' ? [] : told.map(([to, what])",
    to: '  told.map(([to, what])',
  },
  {
    shows: 'rule 12',
    file: 'src/admission/certificates/keeper.ts',
    from: '  if (created.status === 409) return readOrCreate(options);\n',
    to: '',
  },
  {
    shows: 'rule 13',
    file: 'machines/grove/claims/scope.ts',
    from: 'const labels = isWithin(claim.labels, there.labels)',
    to: 'const labels = isWithin({}, there.labels)',
  },
  {
    shows: 'rule 14',
    file: 'machines/contract/failure-log.ts',
    from: "(code !== 'NOT_FOUND' || op === 'create');",
    to: "code !== 'NOT_FOUND';",
  },
  {
    shows: 'rule 15',
    file: 'src/init/follow.ts',
    from: '      reflector.stop();\n      met();',
    to: '      met();\n      reflector.stop();',
  },
  {
    shows: 'rule 17',
    file: 'actors/effects/work.ts',
    from: "  isEqual(known.object['status'] ?? {}, intent.status);",
    to: "  known.object['status'] === intent.status;",
  },
  {
    shows: 'rule 24',
    file: `${set}/children/wanted-gangs.ts`,
    from: 'constraint: group.constraint ?? set.constraint,',
    to: 'constraint: set.constraint,',
  },
  {
    shows: 'rule 25',
    file: `${podClique}/sharing.ts`,
    from: 'if (context.settings.schedulerNames.includes(scheduler)) return undefined;',
    to: "if (scheduler !== '') return undefined;",
  },
  {
    shows: 'rule 43',
    file: 'machines/kubernetes/hash.ts',
    from: 'for (const key of Object.keys(value).toSorted()) {',
    to: 'for (const key of Object.keys(value)) {',
  },
  {
    shows: 'rule 47',
    file: `${podClique}/pod.ts`,
    from: '    subdomain: subdomain(clique),\n',
    to: '    subdomain: subdomain(clique),\n    serviceAccountName: clique.set,\n',
  },
  {
    shows: 'rule 49',
    file: 'src/admission/authorize.ts',
    from: 'trusted.includes(user)',
    to: 'trusted[0] === user',
  },
  {
    shows: 'rule 50',
    file: 'machines/grove/objects/names.ts',
    from: "return isIndex && (end < 0 || slot !== '') ? { replica, slot } : undefined;",
    to: 'return isIndex ? { replica, slot } : undefined;',
  },
  {
    shows: 'rule 51',
    file: 'machines/grove/objects/pod-spec.ts',
    from: "env: [...env, ...listAt(container, 'env').filter(isTheirs)]",
    to: "env: [...listAt(container, 'env').filter(isTheirs), ...env]",
  },
  {
    shows: 'rule 52',
    file: 'machines/grove/children/clique.ts',
    from: '    finalizers: [finalizer.clique],\n',
    to: '',
  },
  {
    shows: 'rule 53',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
    from: 'podsToDelete(context, clique).filter((pod) => !context.refused.has(pod.uid));',
    to: 'context.pods.size > 0 ? [...context.pods.values()] : [];',
  },
  {
    shows: 'rule 54',
    file: 'machines/grove/children/replicas.ts',
    from: 'const indices = isFull ? all(before, wanted) : due(before, wanted, overdue);',
    to: 'const indices = all(before, wanted);',
  },
  {
    shows: 'rule 55',
    file: `${set}/children/domain.ts`,
    from: 'spec: { channel: { resourceClaimTemplate: { name } }, numNodes: 0 },',
    to: 'spec: { channel: { resourceClaimTemplate: { name } } },',
  },
  {
    shows: 'rule 56',
    file: 'src/admission/webhooks.ts',
    from: "  at(object, 'metadata', 'deletionTimestamp') !== undefined;",
    to: '  object === undefined;',
  },
  {
    shows: 'rule 57',
    file: 'src/admission/update/pairs.ts',
    from: 'const before = byName.get(part.name);',
    to: 'const before = then[now.indexOf(part)];',
  },
  {
    shows: 'rule 58',
    file: 'src/admission/set/groups.ts',
    from: "aboveZero(`${path}.replicas`, integerAt(raw, 'replicas') ?? 0),",
    to: 'fine,',
  },
];

const ofLives: readonly ListedMutant[] = [
  {
    shows: 'rule 20',
    file: 'machines/grove/podgang/context.ts',
    from: 'wantedOf(context, name)?.missing === 0 && isListed(context, name),',
    to: 'isListed(context, name),',
  },
  {
    shows: 'rule 28',
    file: `${group}/replicas.ts`,
    from: 'const isSound: Test = ({ observed }) => isSoundStatus(observed.breach);',
    to: 'const isSound: Test = () => true;',
  },
  {
    shows: 'rule 29',
    file: `${set}/termination.ts`,
    from: '    .filter(({ observed }) => !observed.isTerminated)\n    .map(({ uid }) => uid);',
    to: '    .filter(({ observed }) => !observed.isTerminated)\n    .map(({ uid }) => uid)\n    .slice(0, 1);',
  },
  {
    shows: 'rule 30',
    file: `${set}/termination.ts`,
    from: '  if (breach === undefined && replica.termination === undefined) return noTermination;\n  const cliques',
    to: '  if (breach === undefined && replica.termination === undefined) return noTermination;\n  if (groupsOf(set, replica).some(({ observed }) => observed.isTerminated)) return noTermination;\n  const cliques',
  },
  {
    shows: 'rule 31',
    file: 'machines/grove/objects/scalinggroup.ts',
    from: "minAvailable: count(spec['minAvailable']) ?? 1,",
    to: "minAvailable: count(spec['minAvailable']) ?? 0,",
  },
  {
    shows: 'rule 32',
    file: `${group}/termination.ts`,
    from: 'return sound >= group.minAvailable;',
    to: 'return false;',
  },
  {
    shows: 'rule 34',
    file: `${group}/behaviour.ts`,
    from: "    { do: announceLoss, in: ['active.scheduling.lost'] },\n",
    to: '',
  },
  {
    shows: 'rule 35',
    file: `${podClique}/rollout.ts`,
    from: '(pod) => !isServing(pod) || (mayLose && pod.name === chosen(clique)),',
    to: '(pod) => mayLose && pod.name === chosen(clique),',
  },
  {
    shows: 'rule 36',
    file: `${podClique}/rollout.ts`,
    from: 'templateHash !== undefined && pod.templateHash !== templateHash;',
    to: 'templateHash !== undefined;',
  },
  {
    shows: 'rule 37',
    file: 'machines/grove/views/rollout.ts',
    from: 'const isOpen = isSettled && !isRunning(progress)',
    to: 'const isOpen = !isRunning(progress)',
  },
  {
    shows: 'rule 38',
    file: `${podClique}/status.ts`,
    from: '  clique.templateHash ?? clique.observed.templateHash;',
    to: '  clique.observed.templateHash;',
  },
  {
    shows: 'rule 39',
    file: `${podClique}/status.ts`,
    from: 'const isMoving = !isRunning(progressOf(context, clique)) && areAll;',
    to: 'const isMoving = areAll && isLeft;',
  },
  {
    shows: 'rule 1',
    file: 'machines/grove/podcliqueset/reduce.ts',
    from: 'return context.set?.uid === event.uid ? { ...context, isGone: true } : context;',
    to: 'return context;',
  },
  {
    shows: 'rule 19',
    file: 'machines/contract/failure-log.ts',
    from: "(code !== 'NOT_FOUND' || op === 'create');",
    to: "(code !== 'NOT_FOUND' || op !== 'status');",
  },
  {
    shows: 'rule 41',
    file: 'machines/grove/objects/progress.ts',
    from: 'selected: undefined, endedAt: rfc3339(now) };',
    to: 'selected: undefined, endedAt: rfc3339(now + 1_000) };',
  },
  {
    shows: 'rule 40',
    file: 'machines/grove/children/reconcile.ts',
    from: 'child !== undefined && !child.deleting && isOwnedBy(child, owner.kind, owner.uid)',
    to: 'child !== undefined && isOwnedBy(child, owner.kind, owner.uid)',
  },
];

export const ofGroveRules: readonly ListedMutant[] = [...ofObjects, ...ofLives];
