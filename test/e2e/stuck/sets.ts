// What keeps a set from being as its spec wants it, on a cluster: what is there already, what does
// not go, gang termination, and updates.
import { at, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { get, setsIn } from '#test/support/workload.ts';
import { limitMs, podSpec, type Scene, tooMany } from './scene.ts';
import { of, type Situation } from './situation.ts';

const set = of('podcliqueset', 'demo');
const worker = of('podclique', 'demo-0-worker');

const foreign = (kind: 'Service' | 'Secret', name: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...(kind === 'Service' ? { spec: { clusterIP: 'None' } } : {}),
});

/** What turns bad so soon after the creation was never good, by times in whole seconds. */
const birthMs = 6_500;

async function grown(scene: Scene): Promise<void> {
  const clique = scene.of('grove.io/v1alpha1', 'podcliques', 'demo-0-worker');
  const created = text(at(await get(scene.client, clique), 'metadata', 'creationTimestamp'));
  const isOld = (now: number): boolean => now > Date.parse(created) + birthMs;
  await eventually('old enough', () => Date.now(), isOld, limitMs);
}

/** Two replicas of two pods, all ready, of which the template is another one now. */
const updated =
  (metadata: { annotations?: Record<string, string> } = {}, spec = {}) =>
  async (scene: Scene): Promise<void> => {
    await scene.createSet({ replicas: 2, metadata, spec });
    await scene.ready();
    // Its pods find no room, so that the update goes no further.
    await scene.update({ name: 'worker', podSpec: podSpec(tooMany) });
  };

export const ofSets: readonly Situation[] = [
  {
    matter: 'A name that is needed is taken',
    asked: set,
    make: async (scene) => {
      await scene.create(scene.of('v1', 'services'), foreign('Service', 'demo-0'));
      await scene.createSet();
    },
    says: ['Service demo-0: create failed (ALREADY_EXISTS)', 'delete or rename it'],
  },
  {
    matter: 'The token Secret is somebody else’s',
    asked: set,
    make: async (scene) => {
      await scene.create(scene.of('v1', 'secrets'), foreign('Secret', 'demo-ic-sat'));
      const template = { cliqueStartupType: 'CliqueStartupTypeInOrder' };
      await scene.createSet({ cliques: [{ name: 'worker' }, { name: 'second' }], template });
    },
    says: ['/demo-ic-sat exists and is not controlled by this PodCliqueSet; remove or rename it'],
  },
  {
    matter: 'The spec cannot be acted upon',
    asked: set,
    make: (scene) => {
      const groups = [{ name: 'engine', cliqueNames: ['nobody'] }];
      return scene.createSet({ template: { podCliqueScalingGroups: groups } });
    },
    says: ['names the clique "nobody", which spec.template.cliques does not have'],
  },
  {
    matter: 'The ClusterTopologyBinding of a constraint is missing',
    asked: set,
    make: (scene) => {
      const topologyConstraint = { topologyName: 'fabric', pack: { required: 'rack' } };
      return scene.createSet({ template: { topologyConstraint } });
    },
    says: ['constraints are not passed on', 'there is no ClusterTopologyBinding fabric'],
  },
  {
    matter: 'A set that is deleted is held by others',
    asked: set,
    make: async (scene) => {
      await scene.createSet({ metadata: { finalizers: ['backup.io/first'] } });
      await scene.ready();
      const path = `${setsIn(scene.namespace)}/demo`;
      await scene.delete(path);
      scene.atEnd(() => scene.patch(path, { metadata: { finalizers: null } }));
    },
    says: ['is being deleted; it is held by finalizer backup.io/first'],
  },
  {
    matter: 'A replica is below a minimum, and will be terminated',
    asked: set,
    make: async (scene) => {
      await scene.createSet();
      await scene.ready();
      await grown(scene);
      scene.refuse('Pod', 403, 'pods "x" is forbidden: exceeded quota: none left');
      const [name = ''] = await scene.pods('demo-0-worker', 2);
      await scene.delete(scene.of('v1', 'pods', name));
    },
    says: ['replica 0 is terminated in ', 'PodClique demo-0-worker: Scheduled replicas (1) below'],
    also: [
      {
        matter: 'the PodClique knows since when',
        asked: worker,
        says: ['below its minimum of 2 since ', 'PodCliqueSet demo knows when it is terminated'],
      },
    ],
  },
  {
    matter: 'An update waits until its pods are ready',
    asked: set,
    make: updated(),
    says: ['the update is at replica 0, 0 of 2 are done: PodClique demo-0-worker: '],
    also: [
      {
        matter: 'the PodClique waits for a pod',
        asked: worker,
        says: ['1 of 2 pods are of an older template; the '],
      },
      {
        matter: 'the other replica waits for its turn',
        asked: of('podclique', 'demo-1-worker'),
        says: ['2 pods are of an older template: the update has not come to this replica'],
      },
    ],
  },
  {
    matter: 'An update is paused',
    asked: set,
    make: updated({ annotations: { 'grove.io/pause-update': 'true' } }),
    says: ['the update is paused, 0 of 2 are done: annotation grove.io/pause-update holds it'],
    also: [
      {
        matter: 'the PodClique knows',
        asked: worker,
        says: ['2 pods are of an older template: the update of the set is paused'],
      },
    ],
  },
  {
    matter: 'Nothing is replaced under OnDelete',
    asked: set,
    make: updated({}, { updateStrategy: { type: 'OnDelete' } }),
    says: ['0 of 2 replicas are of the template', 'OnDelete', 'when somebody deletes it'],
  },
];
