// What keeps pods from being made, placed and ready, on a cluster.
import { claimSpec } from '#test/support/sharing.ts';
import { podSpec, type Scene, tooMany } from './scene.ts';
import { of, type Situation } from './situation.ts';
import { addWebhook } from './webhook.ts';

const worker = of('podclique', 'demo-0-worker');
const huge = podSpec(tooMany);

/** Scheduled by this one, which does not run here. */
const elsewhere = (schedulerName: string) => (scene: Scene) =>
  scene.createSet({ cliques: [{ name: 'worker', podSpec: podSpec({}, { schedulerName }) }] });

/** The pods of the clique share a claim of this template. */
const sharing = (...own: { name: string; templateSpec: { spec: object } }[]) =>
  ({
    template: { resourceClaimTemplates: JSON.parse(JSON.stringify(own)) },
    cliques: [{ name: 'worker', resourceSharing: [{ name: 'link', scope: 'AllReplicas' }] }],
  }) as const;

const gang = (scene: Scene): string =>
  scene.of('scheduler.grove.io/v1alpha1', 'podgangs', 'demo-0');

export const ofPods: readonly Situation[] = [
  {
    matter: 'A gang does not fit: which PodClique, and by how many pods',
    asked: of('podgang', 'demo-0'),
    make: (scene) =>
      scene.createSet({
        cliques: [
          { name: 'worker', podSpec: huge },
          { name: 'leader', podSpec: huge },
          { name: 'hand', podSpec: huge },
        ],
        template: {
          podCliqueScalingGroups: [
            { name: 'engine', cliqueNames: ['leader', 'hand'], replicas: 2, minAvailable: 1 },
          ],
        },
      }),
    says: ['PodGang demo-0 is not scheduled', 'demo-0-worker has 0 of 2'],
    also: [
      {
        matter: 'a pod of a scaled gang is gated until the base gang is placed',
        asked: of('podclique', 'demo-0-engine-1-leader'),
        says: ['our scheduling gate', 'PodGang demo-0 is scheduled', 'demo-0-worker has 0 of 2'],
      },
      {
        matter: 'the scheduler finds no room for a pod',
        asked: worker,
        says: ['is unschedulable', 'Insufficient nvidia.com/gpu'],
      },
      {
        matter: 'some PodCliques have too few pods',
        asked: of('podcliqueset', 'demo'),
        says: ['PodClique demo-0-worker: 0 of at least 2 pods ready, 0 scheduled'],
      },
    ],
  },
  {
    matter: 'The scheduler of the pods does not run',
    asked: worker,
    make: elsewhere('lpx-scheduler'),
    says: ['waits for the scheduler lpx-scheduler to place it; is that running?'],
  },
  {
    matter: 'KAI needs a queue, and none is named',
    asked: of('podgang', 'demo-0'),
    make: elsewhere('kai-scheduler'),
    says: ['no KaiPodGroup is made of PodGang demo-0: a queue is needed: set the label'],
    also: [
      {
        matter: 'its pods wait for that',
        asked: worker,
        says: ['our scheduling gate until KaiPodGroup demo-0 is there: PodGang demo-0 knows'],
      },
    ],
  },
  {
    matter: 'The scheduler that pods name is not enabled',
    asked: worker,
    make: elsewhere('my-scheduler'),
    says: ['no pod is created', 'schedulerName "my-scheduler" is not enabled; enabled are: '],
  },
  {
    matter: 'A pod waits in its init container for the PodCliques before it',
    asked: of('podclique', 'demo-0-second'),
    make: (scene) =>
      scene.createSet({
        cliques: [{ name: 'worker', script: { 'ready-after': 'never' } }, { name: 'second' }],
        template: { cliqueStartupType: 'CliqueStartupTypeInOrder' },
      }),
    says: ['starts once 2 pods of demo-0-worker are ready (start-up order)'],
    also: [
      {
        matter: 'those run and are not ready',
        asked: worker,
        says: ['and not ready yet: it starts, or its probe fails'],
      },
    ],
  },
  {
    matter: 'A pod is held by a scheduling gate of somebody else',
    asked: worker,
    make: async (scene) => {
      const gates = [{ name: 'quota.io/wait' }];
      const patch = JSON.stringify([{ op: 'add', path: '/spec/schedulingGates', value: gates }]);
      await addWebhook(scene, {
        kind: 'Mutating',
        response: {
          allowed: true,
          patchType: 'JSONPatch',
          patch: Buffer.from(patch).toString('base64'),
        },
      });
      await scene.createSet();
    },
    says: ['held by the scheduling gate quota.io/wait: whoever set it must take it off'],
  },
  {
    matter: 'A webhook refuses pods',
    asked: worker,
    make: async (scene) => {
      const response = { allowed: false, status: { code: 403, message: 'no limits' } };
      await addWebhook(scene, { kind: 'Validating', response });
      await scene.createSet();
    },
    says: ['create refused (FORBIDDEN)', 'policy.example.com', 'no limits', 'check RBAC, quota'],
  },
  {
    matter: 'The certificate of a webhook has ended',
    asked: worker,
    make: async (scene) => {
      await addWebhook(scene, { kind: 'Validating', response: { allowed: true }, hasEnded: true });
      await scene.createSet();
    },
    says: ['create failed (SERVER_ERROR)', 'policy.example.com', 'certificate has expired'],
  },
  {
    matter: 'A quota is used up',
    asked: worker,
    make: async (scene) => {
      const quota = 'exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2';
      scene.refuse('Pod', 403, `pods "x" is forbidden: ${quota}`);
      await scene.createSet();
    },
    says: ['create refused (FORBIDDEN)', 'exceeded quota: few, requested: pods=1', 'check RBAC'],
  },
  {
    matter: 'The controller may not create pods',
    asked: worker,
    make: async (scene) => {
      const who = 'User "system:serviceaccount:coppice-system:coppice"';
      scene.refuse('Pod', 403, `pods is forbidden: ${who} cannot create resource "pods"`);
      await scene.createSet();
    },
    says: ['create refused (FORBIDDEN)', 'cannot create resource "pods"', 'check RBAC, quota'],
  },
  {
    matter: 'The API server asks for patience',
    asked: of('podcliqueset', 'demo'),
    make: async (scene) => {
      scene.refuse('PodClique', 429, 'too many requests', { retryAfterSeconds: 3 });
      await scene.createSet();
    },
    says: ['PodClique/', 'demo-0-worker is written again in '],
  },
  {
    matter: 'A volume that is claimed is not bound',
    asked: worker,
    make: async (scene) => {
      const claim = { persistentVolumeClaim: { claimName: 'models' } };
      // Of a scheduler that does not run here: the test says what a real one does.
      const more = { volumes: [{ name: 'models', ...claim }], schedulerName: 'lpx-scheduler' };
      await scene.createSet({ cliques: [{ name: 'worker', podSpec: podSpec({}, more) }] });
      const message =
        '0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';
      const reason = 'Unschedulable';
      const conditions = [{ type: 'PodScheduled', status: 'False', reason, message }];
      await scene.report('demo-0-worker', { phase: 'Pending', conditions }, 2);
    },
    says: ['is unschedulable: 0/4 nodes are available: pod has unbound immediate Persistent'],
  },
  {
    matter: 'An image cannot be pulled',
    asked: worker,
    make: async (scene) => {
      scene.silence();
      await scene.createSet();
      const conditions = [{ type: 'PodScheduled', status: 'True' }];
      const state = { waiting: { reason: 'ImagePullBackOff' } };
      const of = { name: 'main', image: 'busybox:1', imageID: '', ready: false, restartCount: 0 };
      const containerStatuses = [{ ...of, state }];
      await scene.report('demo-0-worker', { conditions, containerStatuses }, 2);
    },
    says: ['container main is waiting: ImagePullBackOff'],
  },
  {
    matter: 'A pod that ends time and again is replaced after a pause',
    asked: worker,
    make: (scene) =>
      scene.createSet({
        cliques: [
          {
            name: 'worker',
            podSpec: podSpec({}, { restartPolicy: 'Never' }),
            script: { 'exit-code': '1' },
          },
        ],
      }),
    says: ['ended (Failed); it is replaced in '],
  },
  {
    matter: 'The node of a pod that is deleted does not answer',
    asked: worker,
    make: async (scene) => {
      const grace = podSpec({}, { terminationGracePeriodSeconds: 3600 });
      const script = { 'stop-after': '2h' };
      await scene.createSet({ cliques: [{ name: 'worker', podSpec: grace, script }] });
      await scene.ready();
      const [name = ''] = await scene.pods('demo-0-worker');
      await scene.delete(scene.of('v1', 'pods', name));
    },
    says: ['is terminating on node node-', '; if it stays it counts as gone in '],
  },
  {
    matter: 'A claim that pods share belongs to somebody else',
    asked: worker,
    make: async (scene) => {
      await scene.create(scene.of('resource.k8s.io/v1', 'resourceclaims'), {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: { name: 'demo-0-worker-all-link' },
        spec: claimSpec('gpu.example.com'),
      });
      const spec = claimSpec('gpu.example.com');
      await scene.createSet(sharing({ name: 'link', templateSpec: { spec } }));
    },
    says: ['ResourceClaim demo-0-worker-all-link: create failed (ALREADY_EXISTS)', 'rename it'],
  },
  {
    matter: 'The template of a claim is missing',
    asked: worker,
    make: (scene) => scene.createSet(sharing()),
    says: ['names ResourceClaimTemplate', '/link, which is not there; create it'],
  },
  {
    matter: 'An earlier PodGang of the name is held by others',
    asked: worker,
    make: async (scene) => {
      await scene.createSet();
      await scene.ready();
      await scene.patch(gang(scene), { metadata: { finalizers: ['a-scheduler/reserved'] } });
      await scene.delete(gang(scene));
      scene.atEnd(() => scene.patch(gang(scene), { metadata: { finalizers: null } }));
      const clique = scene.of('grove.io/v1alpha1', 'podcliques', 'demo-0-worker');
      await scene.patch(clique, { spec: { replicas: 3 } });
    },
    says: ['waiting for the old PodGang demo-0 to go, held by a-scheduler/reserved'],
  },
];
