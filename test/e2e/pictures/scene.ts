// What the pictures of the inspector show: an afternoon on the embedded cluster, with one
// controller as a process. Some gangs run, one finds no room, one is updated, one is parked, one
// finds a name taken, and one is forbidden its pods; a pool has claims.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { cliqueTemplate } from '#test/support/samples.ts';
import { patchSet } from '#test/support/workload.ts';
import { podSpec, Scene, tooMany } from '../stuck/scene.ts';
import type { StuckStage } from '../stuck/stage.ts';

const extensions = 'extensions.agents.x-k8s.io/v1beta1';

const cpu: JsonObject = { cpu: '100m' };

const roles = (...names: readonly string[]) =>
  names.map((name) => ({ name, replicas: 2, podSpec: podSpec(cpu) }));

/** Leader and workers as a scaling group; the workers ask for what they are given here. */
const engine = (worker: JsonObject) => ({
  cliques: [
    { name: 'router', replicas: 1, podSpec: podSpec(cpu) },
    { name: 'leader', replicas: 1, podSpec: podSpec(cpu) },
    { name: 'worker', replicas: 4, podSpec: podSpec(worker) },
  ],
  template: {
    podCliqueScalingGroups: [
      { name: 'engine', cliqueNames: ['leader', 'worker'], replicas: 2, minAvailable: 1 },
    ],
  },
});

/** Resolves once all of it is as the pictures want it; the scenes end with the stage. */
export async function playAfternoon(stage: StuckStage): Promise<void> {
  const inference = await Scene.open(stage.cluster, 'inference');
  const research = await Scene.open(stage.cluster, 'research');
  const batch = await Scene.open(stage.cluster, 'batch');
  await serve(inference);
  await warm(inference);
  await studies(research);
  await nightly(batch);
  await stage.park(research.namespace, 'idle', 'rack 7 is moved on Thursday');
  await scaled(inference);
}

async function serve(scene: Scene): Promise<void> {
  await scene.createSet({
    metadata: { name: 'llama-4' },
    replicas: 3,
    cliques: roles('prefill', 'decode'),
  });
  await scene.createSet({ metadata: { name: 'gpt-oss' }, replicas: 2, ...engine(cpu) });
  await scene.ready('llama-4');
  await scene.ready('gpt-oss');
  await scene.createSet({ metadata: { name: 'deepseek-r1' }, ...engine(tooMany) });
  await scene.pods('deepseek-r1-0-engine-0-worker', 4);
}

async function warm(scene: Scene): Promise<void> {
  const of = (kind: string, name: string, spec: JsonObject): JsonObject => ({
    apiVersion: extensions,
    kind,
    metadata: { name },
    spec,
  });
  const create = (plural: string, body: JsonObject): Promise<unknown> =>
    scene.create(scene.of(extensions, plural), body);
  await create(
    'sandboxtemplates',
    of('SandboxTemplate', 'python', { podTemplate: { spec: podSpec() } }),
  );
  const pool = { replicas: 4, sandboxTemplateRef: { name: 'python' } };
  await create('sandboxwarmpools', of('SandboxWarmPool', 'python', pool));
  await scene.pods('python-', 4);
  for (const name of ['kim', 'ada']) {
    await create('sandboxclaims', of('SandboxClaim', name, { warmPoolRef: { name: 'python' } }));
  }
}

async function studies(scene: Scene): Promise<void> {
  await scene.createSet({ metadata: { name: 'mixtral' }, replicas: 2, cliques: roles('worker') });
  await scene.createSet({ metadata: { name: 'idle' }, cliques: roles('worker') });
  await scene.ready('mixtral');
  await scene.ready('idle');
  await patchSet(scene.client, scene.namespace, 'mixtral', {
    spec: {
      template: { cliques: [cliqueTemplate({ name: 'worker', podSpec: podSpec(tooMany) })] },
    },
  });
}

async function nightly(scene: Scene): Promise<void> {
  const service = { apiVersion: 'v1', kind: 'Service', spec: { clusterIP: 'None' } };
  await scene.create(scene.of('v1', 'services'), { ...service, metadata: { name: 'sweep-07-0' } });
  await scene.createSet({ metadata: { name: 'sweep-07' }, cliques: roles('worker') });
  scene.refuse('Pod', 403, 'exceeded quota: gpu-quota, requested: 2, used: 64, limited: 64');
  await scene.createSet({ metadata: { name: 'eval' }, cliques: roles('judge') });
}

/** The edit whose trace is shown. */
async function scaled(scene: Scene): Promise<void> {
  await patchSet(scene.client, scene.namespace, 'llama-4', { spec: { replicas: 5 } });
  await scene.ready('llama-4');
}
