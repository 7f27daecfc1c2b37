// Who is stuck of the other modules' kinds: a node for which its clique has no place, a pool whose
// members find no room, a claim without a pool, and a Sandbox that somebody suspended.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { get } from '#test/support/workload.ts';
import { CliqueStage, cliquesIn, driver, nodesUpTo } from '../process/cliques-stage.ts';
import { limitMs, podSpec, type Scene, tooMany } from './scene.ts';
import { of, type Situation, type Told } from './situation.ts';

/** `computeDomains.maxNodesPerImexDomain` of the controller under test. */
export const mostNodes = 2;

const agents = 'agents.x-k8s.io/v1beta1';
const extensions = `extensions.${agents}`;

const template = (scene: Scene, resources = {}): Promise<unknown> =>
  scene.create(scene.of(extensions, 'sandboxtemplates'), {
    apiVersion: extensions,
    kind: 'SandboxTemplate',
    metadata: { name: 'python' },
    spec: { podTemplate: { spec: podSpec(resources) } },
  });

const pool = (scene: Scene, replicas: number): Promise<unknown> =>
  scene.create(scene.of(extensions, 'sandboxwarmpools'), {
    apiVersion: extensions,
    kind: 'SandboxWarmPool',
    metadata: { name: 'warm' },
    spec: { replicas, sandboxTemplateRef: { name: 'python' } },
  });

const claim = (scene: Scene, name: string, of = 'warm'): Promise<unknown> =>
  scene.create(scene.of(extensions, 'sandboxclaims'), {
    apiVersion: extensions,
    kind: 'SandboxClaim',
    metadata: { name },
    spec: { warmPoolRef: { name: of } },
  });

/** The driver runs once in a cluster, so its namespace is nobody's own. */
async function fullClique(scene: Scene): Promise<void> {
  const stage = new CliqueStage({ client: scene.client });
  await stage.open();
  const uid = await stage.addDomain('full');
  await eventually(
    'with its children',
    () => stage.leftOf(uid),
    (left) => left.some((line) => line.includes('daemonsets')),
    limitMs,
  );
  await stage.addWorkload('full', nodesUpTo(mostNodes + 1));
  await stage.daemonsReady(uid, mostNodes + 1);
}

/** The one clique: it is made for a domain, and named after it. */
const ofDomain: Told['asked'] = async ({ client }) => {
  const names = async (): Promise<readonly string[]> =>
    list(at(await get(client, cliquesIn(driver)), 'items')).map((one) =>
      text(at(one, 'metadata', 'name')),
    );
  const [name = ''] = await eventually('a clique', names, ({ length }) => length > 0, limitMs);
  return { kind: 'clique', namespace: driver, name };
};

export const ofKinds: readonly Situation[] = [
  {
    matter: 'The members of a pool find no room',
    asked: of('sandboxwarmpool', 'warm'),
    make: async (scene) => {
      await template(scene, tooMany);
      await pool(scene, 2);
    },
    // Not ready at first, and later known not to be schedulable.
    says: ['2 members '],
  },
  {
    matter: 'A pool is empty, so that a claim starts cold, and finds no room',
    asked: of('sandboxclaim', 'mine'),
    make: async (scene) => {
      await template(scene, tooMany);
      await pool(scene, 0);
      await claim(scene, 'mine');
    },
    says: ['its Sandbox mine is not ready: '],
    also: [
      {
        matter: 'the Sandbox says what its pod waits for',
        asked: of('sandbox', 'mine'),
        says: ['pod mine is not scheduled: ', 'Insufficient nvidia.com/gpu'],
      },
    ],
  },
  {
    matter: 'The pool of a claim is missing',
    asked: of('sandboxclaim', 'lost'),
    make: (scene) => claim(scene, 'lost', 'nowhere'),
    says: ['SandboxWarmPool "nowhere" not found'],
  },
  {
    matter: 'A Sandbox is suspended',
    asked: of('sandbox', 'box'),
    make: (scene) =>
      scene.create(scene.of(agents, 'sandboxes'), {
        apiVersion: agents,
        kind: 'Sandbox',
        metadata: { name: 'box' },
        spec: { operatingMode: 'Suspended', podTemplate: { spec: podSpec() } },
      }),
    says: ['it is suspended, so it has no pod'],
  },
  {
    matter: 'A clique is full',
    asked: ofDomain,
    make: fullClique,
    says: ['waits for a place: no available indices within maxNodesPerIMEXDomain (2)'],
  },
];
