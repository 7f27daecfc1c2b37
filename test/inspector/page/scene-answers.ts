// What actors of the made-up scene answer when they are asked why, and what they know.
import { minute, parked, restarting, stuck } from './scene-ids.ts';
import { states } from './rows.ts';

const whyStuck = (now: number): object => ({
  because: [
    'pod deepseek-r1-0-engine-1-worker-j7f8c (and 1 more) is unschedulable: 0/12 nodes are ' +
      'available: 12 Insufficient nvidia.com/gpu',
    'Pod deepseek-r1-0-engine-1-worker-x7k2p: create refused (FORBIDDEN): exceeded quota: ' +
      'gpus, requested: 8, used: 96, limited: 96; check RBAC, quota and webhooks: it is ' +
      'tried again now and then',
  ],
  wakesAt: now + 42_000,
  blocked: [
    {
      object: 'Pod/inference/deepseek-r1-0-engine-1-worker-x7k2p',
      code: 'FORBIDDEN',
      message: 'exceeded quota: gpus, requested: 8, used: 96, limited: 96',
      retryAt: now + 42_000,
    },
  ],
  decisions: [
    { at: now - 27 * minute, what: 'createPods', why: '4 of 4 pods are missing' },
    { at: now - 26 * minute, what: 'removeGates', why: 'PodGang deepseek-r1-0 is scheduled' },
    { at: now - 5 * minute, what: 'createPods', why: '1 of 4 pods is missing' },
  ],
});

export function answersAt(now: number): readonly (readonly [string, object])[] {
  const none = { decisions: [], blocked: [], wakesAt: null };
  return [
    [stuck, whyStuck(now)],
    [
      parked,
      {
        ...none,
        because: [
          'parked after 5 restarts: no pod has index 7; a new spec, unpark or the end of its ' +
            'object ends that',
        ],
      },
    ],
    [
      'podcliqueset/inference/deepseek-r1',
      {
        ...none,
        because: [
          'PodClique deepseek-r1-0-engine-1-worker: 2 of at least 4 pods ready, 2 scheduled',
        ],
      },
    ],
    [
      'podgang/inference/deepseek-r1-0',
      {
        ...none,
        because: [
          'PodGang deepseek-r1-0 is not scheduled: too few pods are scheduled: ' +
            'deepseek-r1-0-engine-1-worker has 2 of 4 (3 of 3 PodCliques)',
        ],
      },
    ],
    [restarting, { ...none, because: ['waiting: it crashed and is started again in 8s'] }],
  ];
}

export const stateOfStuck = (now: number): object => ({
  key: stuck,
  machine: 'podclique',
  mode: 'alive',
  value: states.cliqueUnscheduled,
  uid: '5f0a8c1e-6f5b-4a53-9d0e-0d6a4b1c2d3e',
  generation: 3,
  restarts: 0,
  parked: false,
  error: '',
  mailbox: 1,
  wakesAt: now + 42_000,
  state: {
    replicas: 4,
    minAvailable: 4,
    scheduled: 2,
    ready: 2,
    template: 'w5x8d7',
    gang: 'deepseek-r1-0',
    pods: [
      { name: 'deepseek-r1-0-engine-1-worker-j7f8c', index: 0, phase: 'Pending', node: '' },
      { name: 'deepseek-r1-0-engine-1-worker-nv7sz', index: 1, phase: 'Running', node: 'gpu-07' },
      { name: 'deepseek-r1-0-engine-1-worker-lbvh4', index: 2, phase: 'Running', node: 'gpu-09' },
    ],
  },
});
