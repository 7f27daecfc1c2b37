// The lines on which the scenarios of spec controllers 10.3 rest, from a set to running pods, that
// the simulated scheduler plays.
import type { ListedMutant } from './mutant.ts';

const set = 'machines/grove/podcliqueset/children';

export const ofGangScenarios: readonly ListedMutant[] = [
  {
    shows: 'scenario 1',
    file: `${set}/wanted-gangs.ts`,
    from: '      minAvailable,\n      constraint,\n      clique: livingMember(',
    to: '      minAvailable: 1,\n      constraint,\n      clique: livingMember(',
  },
  {
    shows: 'scenario 2',
    file: `${set}/wanted-gangs.ts`,
    from: 'Array.from({ length: group.minAvailable }, (_, place) =>',
    to: 'Array.from({ length: replicas }, (_, place) =>',
  },
  {
    shows: 'scenario 3',
    file: `${set}/wanted-gangs.ts`,
    from: 'const many = Math.max(0, replicasOf(at, group) - minAvailable);',
    to: 'const many = Math.max(0, group.replicas - minAvailable);',
  },
  {
    shows: 'scenario 15',
    file: 'machines/grove/objects/template.ts',
    from: 'return index === 0 ? [] : [',
    to: 'return index < 2 ? [] : [',
  },
  {
    shows: 'scenario 16',
    file: 'machines/grove/podclique/steps/delete-pods.ts',
    from: '      ...(isWaiting ? [] : removeFinalizer(clique)),\n',
    to: '',
  },
];
