// The lines on which the scenarios of spec controllers 10.3 rest that play on the embedded cluster:
// gangs that lose pods, and those that are updated.
import type { ListedMutant } from './mutant.ts';

const group = 'machines/grove/scalinggroup';
const clique = 'machines/grove/podclique';
const set = 'machines/grove/podcliqueset';

export const ofTerminations: readonly ListedMutant[] = [
  {
    shows: 'scenario 4',
    file: `${set}/termination.ts`,
    from: "isOwnedBy(clique, 'PodCliqueSet', set.uid) ||\n    groups.some((group) => isMemberOf(clique, group) && isOwnedBy(group, 'PodCliqueSet', set.uid));",
    to: "isOwnedBy(clique, 'PodCliqueSet', set.uid);",
    says: 'v recycled as',
  },
  {
    shows: 'scenario 5',
    file: `${clique}/behaviour.ts`,
    from: 'countPods(context, clique).good < clique.minAvailable,',
    to: 'countPods(context, clique).good < clique.replicas,',
    says: 'to deeply equal {}',
  },
  {
    shows: 'scenario 6',
    file: `${group}/termination.ts`,
    from: 'return sound >= group.minAvailable;',
    to: 'return sound >= group.replicas;',
    says: 'recycled as {"w-0-x-1-b":1,"w-0-x-1-c":1}',
  },
  {
    shows: 'scenario 6',
    file: `${set}/termination.ts`,
    from: '[...cliques, ...groupsOf(set, replica)].flatMap(',
    to: 'cliques.flatMap(',
    says: 'recycled as {"w-0-a":1',
  },
  {
    shows: 'scenario 7',
    file: 'machines/grove/objects/breach.ts',
    from: "breach?.['status'] === 'True' && wasScheduled ?",
    to: "breach?.['status'] === 'True' ?",
    says: 'to deeply equal {}',
  },
  {
    shows: 'scenario 8',
    file: 'machines/grove/objects/breach.ts',
    from: 'return isNew && !isTerminated(status) ?',
    to: 'return isNew ?',
    says: "expected { 'w-0-a': 2",
  },
];

export const ofUpdates: readonly ListedMutant[] = [
  {
    shows: 'scenario 9',
    file: `${clique}/rollout.ts`,
    from: '!isServing(pod) || (mayLose && pod.name === chosen(clique)),',
    to: '!isServing(pod) || mayLose,',
    says: "to deeply equal [ '- w-0-a', '+ w-0-a'",
  },
  {
    shows: 'scenario 9',
    file: 'machines/grove/views/rollout.ts',
    from: "of.mode === 'closed' && turn === generationHash));",
    to: "of.mode === 'closed'));",
    says: "to deeply equal [ '- w-0-a', '+ w-0-a'",
  },
  {
    shows: 'gap 5',
    file: 'machines/grove/views/rollout.ts',
    from: '    : { ...context, turn: event.value };',
    to: '    : context.turn === undefined ? context : { ...context, turn: event.value };',
    says: 'w updated',
  },
  {
    shows: 'scenario 10',
    file: `${group}/rollout.ts`,
    from: "index === chosen(context, group) && isIn(replica, 'template.ready');",
    to: "isIn(replica, 'template.ready');",
    says: "to deeply equal [ 'w-0-x-0', 'w-0-x-0'",
  },
  {
    shows: 'scenario 11',
    file: `${clique}/rollout.ts`,
    from: '  if (!isReplaced(context, clique, progress)) return progress;\n',
    to: '',
    says: 'a new pod',
  },
  {
    shows: 'scenario 12',
    file: `${set}/rollout.ts`,
    from: 'if (index === undefined || index >= set.replicas) return undefined;',
    to: 'if (index === undefined) return undefined;',
    says: 'w updated',
  },
  {
    shows: 'scenario 13',
    file: `${group}/rollout.ts`,
    from: "return (mayLose && isChosen) || isIn(replica, 'template.unready');",
    to: "return (mayLose && isChosen) || isIn(replica, 'availability.unavailable');",
    says: 'what is scaled out',
  },
  {
    shows: 'scenario 14',
    file: 'machines/grove/objects/podcliqueset.ts',
    from: "at(source['spec'], 'updateStrategy', 'type') === 'OnDelete',",
    to: "at(source['spec'], 'template', 'updateStrategy', 'type') === 'OnDelete',",
    says: 'to deeply equal []',
  },
  {
    shows: 'scenario 14',
    file: `${clique}/steps/delete-pods.ts`,
    from: '    Number(a.templateHash === clique.templateHash) -\n      Number(b.templateHash === clique.templateHash) ||\n',
    to: '',
    says: "to deeply equal [ '2' ]",
  },
];
