// What keeps pods from being made, placed and ready.
import { cliqueSet, groupedSet, scheduledBy } from '#test/support/samples.ts';
import { claimSpec } from '#test/support/sharing.ts';
import type { World } from '#test/support/world.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import {
  after,
  besides,
  deleteOf,
  gangKey,
  key,
  named,
  noRoom,
  placed,
  ready,
  report,
  setKey,
  workerKey,
  written,
  type Situation,
} from './situation.ts';

const two = cliqueSet(1);
const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;

/** The pods of the clique share a claim of this template. */
const sharing = (...own: readonly JsonObject[]): KubeObject => {
  const set = cliqueSet(1, [{ name: 'worker' }], { resourceClaimTemplates: [...own] });
  const spec = JSON.parse(JSON.stringify(set['spec']));
  spec.template.cliques[0].resourceSharing = [{ name: 'link', scope: 'AllReplicas' }];
  return { ...set, spec };
};

const foreignClaim: KubeObject = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: {
    name: 'demo-0-worker-all-link',
    namespace: 'demo',
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: 'job-1', controller: true },
    ],
  },
};

const refusing = (message: string): World =>
  written(two, {
    refuse: (op, { kind }) => (op === 'create' && kind === 'Pod' ? 'FORBIDDEN' : undefined),
    refusal: message,
  });

/** Its template goes while its PodGang is held by others. */
const heldGang = (): World =>
  after(ready(two), (world) => {
    world.edit(gang, { metadata: { finalizers: ['a-scheduler/reserved'] } });
    world.remove(gang);
    world.edit({ kind: 'PodClique', ...pair }, { spec: { replicas: 3 } });
  });

const pair = { namespace: 'demo', name: 'demo-0-worker' } as const;

export const ofPods: readonly Situation[] = [
  {
    matter: 'A pod of a scaled gang is gated until the base gang is placed',
    asked: key('podclique', 'demo-0-engine-1-leader'),
    world: () => written(groupedSet(1)),
    says: ['our scheduling gate', 'PodGang demo-0 is scheduled', 'demo-0-worker has 0 of 2'],
  },
  {
    matter: 'A gang does not fit: which PodClique, and by how many pods',
    asked: gangKey,
    world: () => report(report(written(two), 'demo-0-worker', noRoom, 2), 'demo-0-worker', placed),
    says: ['PodGang demo-0 is not scheduled', 'demo-0-worker has 1 of 2'],
  },
  {
    matter: 'The scheduler finds no room for a pod',
    asked: workerKey,
    world: () => report(written(two), 'demo-0-worker', noRoom, 2),
    says: ['and 1 more', 'unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu'],
  },
  {
    matter: 'The scheduler of the pods does not run',
    asked: workerKey,
    world: () => written(scheduledBy(two, 'lpx-scheduler')),
    says: ['waits for the scheduler lpx-scheduler to place it; is that running?'],
  },
  {
    matter: 'A pod waits in its init container for the PodCliques before it',
    asked: key('podclique', 'demo-0-second'),
    world: () => {
      const cliques = [{ name: 'worker' }, { name: 'second', replicas: 1 }];
      const template = { cliqueStartupType: 'CliqueStartupTypeInOrder' };
      const initContainerStatuses = [{ name: 'grove-initc', state: { running: {} } }];
      const world = written(cliqueSet(1, cliques, template));
      return report(world, 'demo-0-second', { ...placed, initContainerStatuses });
    },
    says: ['starts once 2 pods of demo-0-worker are ready (start-up order)'],
  },
  {
    matter: 'A pod is held by a scheduling gate of somebody else',
    asked: workerKey,
    world: () =>
      after(written(two), (world) => {
        for (const { metadata } of world.all('Pod')) {
          const spec = { schedulingGates: [{ name: 'quota.io/wait' }] };
          world.edit({ kind: 'Pod', namespace: 'demo', name: metadata.name }, { spec });
        }
      }),
    says: ['held by the scheduling gate quota.io/wait: whoever set it must take it off'],
  },
  {
    matter: 'An image cannot be pulled',
    asked: workerKey,
    world: () => {
      const waiting = { reason: 'ImagePullBackOff' };
      const containerStatuses = [{ name: 'main', state: { waiting } }];
      return report(written(two), 'demo-0-worker', { ...placed, containerStatuses });
    },
    says: ['container main is waiting: ImagePullBackOff'],
  },
  {
    matter: 'A pod that ended is replaced after a pause',
    asked: workerKey,
    world: () => {
      const world = report(ready(two), 'demo-0-worker', { phase: 'Failed' });
      world.converge();
      return report(world, 'demo-0-worker', { phase: 'Failed' });
    },
    says: ['ended (Failed)', 'replaced in 10s, at '],
    deadlineMs: 10_000,
  },
  {
    matter: 'The node of a pod that is deleted does not answer',
    asked: workerKey,
    world: () => deleteOf(ready(two), 'demo-0-worker'),
    says: ['is terminating on node node-1', 'counts as gone in 5m0s, at '],
    deadlineMs: 300_000,
  },
  {
    matter: 'The node is gone, and nobody says that its pods may be forced',
    asked: workerKey,
    world: () => after(deleteOf(ready(two), 'demo-0-worker'), (world) => world.pass(300_000)),
    says: ['counts as gone: its node may be gone', 'grove.io/force-delete-after'],
  },
  {
    matter: 'The node is gone, and the set says when its pods are forced',
    asked: workerKey,
    world: () => {
      const annotations = { 'grove.io/force-delete-after': '10m' };
      const world = ready(named(two, { annotations }));
      return after(deleteOf(world, 'demo-0-worker'), () => world.pass(300_000));
    },
    says: ['counts as gone', 'deleted by force in 5m0s, at '],
    deadlineMs: 300_000,
  },
  {
    matter: 'A claim that pods share belongs to somebody else',
    asked: workerKey,
    world: () => {
      const own = { name: 'link', templateSpec: { spec: claimSpec('gpu.example.com') } };
      return besides(foreignClaim, sharing(own));
    },
    says: [
      'ResourceClaim demo-0-worker-all-link: create failed (ALREADY_EXISTS)',
      'delete or rename',
    ],
  },
  {
    matter: 'The template of a claim is missing',
    asked: workerKey,
    world: () => written(sharing()),
    says: ['names ResourceClaimTemplate demo/link, which is not there; create it'],
  },
  {
    matter: 'KAI needs a queue, and none is named: the PodGang',
    asked: gangKey,
    world: () => written(scheduledBy(two, 'kai-scheduler')),
    says: ['no KaiPodGroup is made of PodGang demo-0: a queue is needed: set the label'],
  },
  {
    matter: 'KAI needs a queue, and none is named: its pods',
    asked: workerKey,
    world: () =>
      after(written(scheduledBy(two, 'kai-scheduler')), (world) => {
        world.pass(1_000);
      }),
    says: ['held by our scheduling gate until KaiPodGroup demo-0 is there: PodGang demo-0 knows'],
  },
  {
    matter: 'The scheduler that pods name is not enabled',
    asked: workerKey,
    world: () => written(scheduledBy(two, 'my-scheduler')),
    says: ['no pod is created', 'schedulerName "my-scheduler" is not enabled; enabled are: '],
  },
  {
    matter: 'A webhook refuses pods',
    asked: workerKey,
    world: () => refusing('admission webhook "policy.example.com" denied the request: no limits'),
    says: ['create refused (FORBIDDEN)', 'denied the request: no limits; check RBAC, quota'],
  },
  {
    matter: 'A quota is used up',
    asked: workerKey,
    world: () => refusing('exceeded quota: gpus, requested: 8, used: 16, limited: 16'),
    says: ['create refused (FORBIDDEN)', 'exceeded quota: gpus, requested: 8'],
  },
  {
    matter: 'An earlier PodGang of the name is held by others',
    asked: workerKey,
    world: heldGang,
    says: ['waiting for the old PodGang demo-0 to go, held by a-scheduler/reserved'],
  },
  {
    matter: 'The same, asked of the set',
    asked: setKey,
    world: heldGang,
    says: ['waiting for the old PodGang demo-0 to go, held by a-scheduler/reserved'],
  },
];
