// The lines on which rules of the specs rest, those of highest consequence first: what may be
// deleted, who has an index, whose object it is.
import type { ListedMutant } from './mutant.ts';

const podClique = 'machines/grove/podclique';
const clique = 'machines/nvidia/clique';
const pool = 'machines/agentsandbox/warmpool';

export const ofGrove: readonly ListedMutant[] = [
  {
    shows: ['rule 2', 'rule 5'],
    file: `${podClique}/context.ts`,
    from: '  pod.deleting || podsToDelete.has(pod.uid);',
    to: '  podsToDelete.has(pod.uid);',
  },
  {
    shows: 'rule 3',
    file: `${podClique}/context.ts`,
    from: 'own.filter((pod) => !isLeaving({ podsToDelete }, pod));',
    to: 'own;',
  },
  {
    shows: 'rule 4',
    file: `${podClique}/context.ts`,
    from: '  pod.deleting || podsToDelete.has(pod.uid);',
    to: '  podsToDelete.has(pod.uid);',
  },
  {
    shows: 'rule 6',
    file: 'machines/grove/objects/pod-names.ts',
    from: 'for (let index = 0; free.length < wanted; index++)',
    to: 'for (let index = used.size; free.length < wanted; index++)',
  },
  {
    shows: 'rule 9',
    file: `${podClique}/context.ts`,
    from: "    .filter((pod) => isOwnedBy(pod, 'PodClique', uid))\n",
    to: '',
  },
  {
    shows: 'rule 7',
    file: `${podClique}/pod.ts`,
    from: '  ...clique.labels,\n',
    to: '',
  },
  {
    shows: 'rule 16',
    file: `${podClique}/reduce.ts`,
    from: '  if (!isPodNews(context.pods.get(observed.name), observed)) return context;\n',
    to: '',
  },
  {
    shows: 'rule 21',
    file: `${podClique}/context.ts`,
    from: 'clique.baseGang === undefined || isScheduled(context.base);',
    to: 'clique.baseGang === undefined || context.base !== undefined;',
  },
  {
    shows: 'rule 22',
    file: `${podClique}/steps/remove-gates.ts`,
    from: "gates.filter((gate) => gate['name'] !== podGate);",
    to: '[];',
  },
  {
    shows: 'rule 23',
    file: 'machines/grove/objects/mirror.ts',
    from: 'labels: { ...patchToward(there.labels, wanted.labels), ...removed(staleLabels) },',
    to: 'labels: { ...patchToward(there.labels, wanted.labels) },',
  },
  {
    shows: ['rule 26', 'rule 27'],
    file: 'machines/grove/objects/breach.ts',
    from: "return breach?.['status'] === 'True' && wasScheduled ? sinceOf(breach) : undefined;",
    to: "return breach?.['status'] === 'True' ? sinceOf(breach) : undefined;",
  },
  {
    shows: 'rule 33',
    file: 'machines/grove/objects/breach.ts',
    from: "const isOfBreach = condition.type === breachedType && condition.status !== 'False';",
    to: "const isOfBreach = condition.type === breachedType && condition.status === 'True';",
  },
  {
    shows: 'rule 42',
    file: `${podClique}/steps/delete-pods.ts`,
    from: '    Number(a.templateHash === clique.templateHash) -\n      Number(b.templateHash === clique.templateHash) ||\n',
    to: '',
  },
  {
    shows: 'rule 45',
    file: 'machines/grove/scalinggroup/status.ts',
    from: 'selector({ ...baseLabels(group.set), [label.scalingGroup]: group.name });',
    to: 'selector(baseLabels(group.set));',
  },
  {
    shows: 'rule 46',
    file: `${podClique}/status.ts`,
    from: '  clique.labels[label.scalingGroup] === undefined\n',
    to: '  clique.labels[label.scalingGroup] !== undefined\n',
  },
  {
    shows: 'gap 16',
    file: `${podClique}/steps/remove-gates.ts`,
    from: '(pod) => hasOurGate(pod) && listed?.has(pod.name) === true,',
    to: '(pod) => hasOurGate(pod),',
  },
  {
    shows: 'gap 17',
    file: 'machines/grove/objects/breach.ts',
    from: "  breach !== undefined && breach !== 'True';",
    to: "  breach !== 'True';",
  },
  {
    shows: 'gap 18',
    file: 'machines/grove/children/termination.ts',
    from: 'const old = areTold ? cliques.filter(isOld) : cliques;',
    to: 'const old = cliques;',
  },
  {
    shows: 'gap 19',
    file: 'machines/grove/podcliqueset/termination.ts',
    from: '    if (child === undefined || since === undefined) return [];\n',
    to: '    if (cliques.includes(undefined) || child === undefined || since === undefined) return [];\n',
  },
  {
    shows: 'gap 27',
    file: `${podClique}/status.ts`,
    from: 'return isClean ? clique.generation : clique.observed.observedGeneration;',
    to: 'return clique.observed.observedGeneration;',
  },
];

export const ofComputeDomains: readonly ListedMutant[] = [
  {
    shows: ['A-2', 'A-64', 'Q-12'],
    file: `${clique}/slots.ts`,
    from: 'return Number.isInteger(index) && index >= 0 && index < this.#maxNodes;',
    to: 'return Number.isInteger(index);',
  },
  {
    shows: ['A-4', 'A-7'],
    file: `${clique}/slots.ts`,
    from: 'for (let index = 0; index < this.#maxNodes; index++) {',
    to: 'for (let index = this.#used.size; index < this.#maxNodes; index++) {',
  },
  {
    shows: ['A-10', 'A-16'],
    file: `${clique}/decide.ts`,
    from: '    owners.some(({ uid }) => uid === pod.uid) &&\n',
    to: '',
  },
  {
    shows: 'A-13',
    file: `${clique}/decide.ts`,
    from: '    if (taken.has(pod.ip)) {\n      blocked.push(pod);\n      continue;\n    }\n',
    to: '',
  },
  {
    shows: ['A-18', 'A-19'],
    file: `${clique}/slots.ts`,
    from: 'return oneReady - otherReady || oneAge - otherAge || (one.nodeName < other.nodeName ? -1 : 1);',
    to: 'return one.nodeName < other.nodeName ? -1 : 1;',
  },
  {
    shows: ['A-21', 'A-51'],
    file: `${clique}/decide.ts`,
    from: 'isHeld(nodeName) || !vacated.has(nodeName));',
    to: 'isHeld(nodeName));',
  },
  {
    shows: 'A-23',
    file: `${clique}/context.ts`,
    from: 'vacated: error === undefined ? new Set([...vacated, ...checked]) : vacated,',
    to: 'vacated: new Set([...vacated, ...checked]),',
  },
  {
    shows: ['A-27', 'A-115'],
    file: `${clique}/context.ts`,
    from: '    lost: remembered(context, (node) => still.has(node)),\n',
    to: '',
  },
  {
    shows: ['A-28', 'A-29'],
    file: `${clique}/decide.ts`,
    from: 'isWanted: isHeld(node) || facts.labelled.has(node),',
    to: 'isWanted: isHeld(node),',
  },
  {
    shows: ['A-35', 'A-37', 'A-114'],
    file: `${clique}/write.ts`,
    from: "const version = { resourceVersion, urgency: 'first' } as const;",
    to: "const version = { urgency: 'first' } as const;",
  },
  {
    shows: ['A-38', 'Q-8'],
    file: `${clique}/context.ts`,
    from: '    lost: remembered(context, () => false),\n',
    to: '',
  },
  {
    shows: ['A-60', 'A-61', 'A-62', 'A-63'],
    file: `${clique}/decide.ts`,
    from: '      refused.push(pod);\n',
    to: '',
  },
  {
    shows: 'A-72',
    file: `${clique}/steps.ts`,
    from: 'changes: isUnderWay ? {} : { checked: new Set(suspects) } };',
    to: 'changes: isUnderWay ? {} : { checked: new Set(suspects.slice(0, 1)) } };',
  },
];

export const ofSandboxes: readonly ListedMutant[] = [
  {
    shows: ['P10', 'R35'],
    file: `${pool}/population.ts`,
    from: '  counts.active + counts.terminating + refill.creating.size;',
    to: '  counts.active + refill.creating.size;',
  },
  {
    shows: 'R45',
    file: `${pool}/population.ts`,
    from: 'adopted: fresh.slice(0, room),',
    to: 'adopted: [],',
  },
  {
    shows: 'P4',
    file: `${pool}/steps/remove.ts`,
    from: '    waits: until === undefined ? [] : [{ until: Math.max(until, now) }],\n',
    to: '',
  },
];
