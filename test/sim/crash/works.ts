// What the controller is at when it dies once (crash-each.test.ts): create, scale, edit and delete
// a set of two PodCliques. Each with the changes that must come of it, counted by hand.
import { fieldsAt, labelsOf, listAt, textAt } from '../fields.ts';
import { sets } from '../users/addresses.ts';
import { namespace, setObject } from '../users/workload.ts';
import type { World } from '../world/world.ts';
import type { Work } from './episode.ts';

const shape = {
  replicas: 1,
  startup: 'InOrder',
  cliques: [
    { name: 'front', replicas: 2, minAvailable: 1 },
    { name: 'work', replicas: 1, minAvailable: 1 },
  ],
} as const;

export const scaleTo = (replicas: number) => (world: World) =>
  world.ask({
    method: 'PATCH',
    path: `${sets}/demo/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

const create = (replicas: number) => (world: World) =>
  world.ask({ method: 'POST', path: sets, body: setObject('demo', { ...shape, replicas }) });

const scaleClique = (replicas: number) => (world: World) =>
  world.ask({
    method: 'PATCH',
    path: `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliques/demo-0-front/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

/** Another image, and a label less, for one of the two cliques. */
const editTemplate = async (world: World): Promise<void> => {
  const [front, work] = listAt(
    setObject('demo', { ...shape, replicas: 1 }),
    'spec',
    'template',
    'cliques',
  );
  const podSpec = {
    ...fieldsAt(front, 'spec', 'podSpec'),
    containers: [{ name: 'main', image: 'registry.example/none:2' }],
  };
  const edited = { ...fieldsAt(front), labels: {}, spec: { ...fieldsAt(front, 'spec'), podSpec } };
  await world.ask({
    method: 'PATCH',
    path: `${sets}/demo`,
    contentType: 'application/merge-patch+json',
    body: { spec: { template: { cliques: [edited, work] } } },
  });
};

export const remove = (world: World) => world.ask({ method: 'DELETE', path: `${sets}/demo` });

/** One replica of the shape above: two PodCliques with three pods, a PodGang, a Service. */
const replica = {
  'grove.io/podcliques': 2,
  'scheduler.grove.io/podgangs': 1,
  '/services': 1,
  '/pods': 3,
};

/** Once for each set: itself, and what its start-up containers watch pods with. */
export const setItself = {
  'grove.io/podcliquesets': 1,
  '/serviceaccounts': 1,
  '/secrets': 1,
  'rbac.authorization.k8s.io/roles': 1,
  'rbac.authorization.k8s.io/rolebindings': 1,
};

/** The PodClique has the new template, and by its label so have its pods. */
function complainOfEdit({ cluster }: World): readonly string[] {
  const clique = cluster.store.collection('grove.io/podcliques').get(namespace, 'demo-0-front');
  const [container] = listAt(clique, 'spec', 'podSpec', 'containers');
  const image = textAt(container, 'image');
  return [
    ...(image === 'registry.example/none:2' ? [] : [`the PodClique has image ${image}`]),
    ...('role' in labelsOf(clique) ? ['the PodClique keeps a label that left the template'] : []),
  ];
}

export const works = {
  create: { work: create(1), added: { ...setItself, ...replica }, mostUpdates: 25 },
  'scale out': { before: create(1), work: scaleTo(2), added: replica, mostUpdates: 25 },
  'scale in': { before: create(2), work: scaleTo(1), deleted: replica, mostUpdates: 20 },
  'scale in of a clique': {
    before: create(1),
    work: scaleClique(1),
    deleted: { '/pods': 1 },
    mostUpdates: 15,
  },
  'scale out of a clique': {
    before: create(1),
    work: scaleClique(3),
    added: { '/pods': 1 },
    mostUpdates: 15,
  },
  'edit of the template': {
    before: create(1),
    work: editTemplate,
    added: { '/pods': 2 },
    deleted: { '/pods': 2 },
    mostUpdates: 15,
    complain: complainOfEdit,
  },
  delete: {
    before: create(1),
    work: remove,
    deleted: { ...setItself, ...replica },
    mostUpdates: 20,
  },
} as const satisfies Record<string, Work>;
