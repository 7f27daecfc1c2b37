// The screens of the page over the made-up scene: where each is and what it must say.
import { stuck, trace } from './scene-ids.ts';

export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly says: readonly (string | RegExp)[];
}

const actor = `/ui/actors/${stuck}`;

export const screens: readonly Screen[] = [
  {
    name: 'overview',
    path: '/ui/',
    says: [
      'Actors by kind and state',
      'unscheduled 1',
      'ALREADY_EXISTS',
      'coppice-7d9c-m8q1z',
      '6m 42s',
    ],
  },
  { name: 'actors', path: '/ui/actors', says: ['63 of 63', 'deepseek-r1-0-engine-1-worker'] },
  {
    name: 'why',
    path: actor,
    says: ['It waits for', /12 Insufficient nvidia/, 'Blocked writes', /looks again/],
  },
  { name: 'chart', path: `${actor}?tab=chart`, says: ['Last transitions', 'insufficient'] },
  {
    name: 'history',
    path: `${actor}?tab=history`,
    says: ['The life of this actor began here.', /FORBIDDEN/],
  },
  { name: 'data', path: `${actor}?tab=data`, says: ['minAvailable', 'gpu-07'] },
  { name: 'mailbox', path: `${actor}?tab=mailbox`, says: [/1 waiting/, 'Taken in, newest first'] },
  {
    name: 'trace',
    path: `/ui/traces/${trace}`,
    says: ['argocd-controller', /200 facts of \d+ actors/, /containers\[0\].image/],
  },
  {
    name: 'timeline',
    path: '/ui/timeline?track=podgang/inference/deepseek-r1-0',
    says: ['Facts per second', 'sweep-07', /[\d,]+ facts/],
  },
  {
    name: 'trouble',
    path: '/ui/trouble',
    says: ['Parked', /after 5 restarts/, 'Stuck', /12 Insufficient/],
  },
  { name: 'machine', path: '/ui/machines/podclique', says: ['33 actors', 'domainnode'] },
];
