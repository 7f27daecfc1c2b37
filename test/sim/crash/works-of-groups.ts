// What the controller is at when it dies once (crash-each-groups.test.ts): sets with a scaling
// group and with autoscalers, which are created, scaled, edited and deleted. Each with the changes
// that must come of it, counted by hand.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { fieldsAt, listAt } from '../fields.ts';
import { groups, sets } from '../users/addresses.ts';
import { setObject, type SetShape } from '../users/workload.ts';
import type { World } from '../world/world.ts';
import type { Work } from './episode.ts';
import { remove, scaleTo, setItself } from './works.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Step = (world: World) => Promise<unknown>;

const one = (name: string) => ({ name, replicas: 1, minAvailable: 1 });

export const withPack = (cliqueNames: string[], replicas: number): SetShape => ({
  replicas: 1,
  startup: 'InOrder',
  cliques: [one('front'), ...cliqueNames.map((name) => one(name))],
  groups: [{ name: 'pack', cliqueNames, replicas, minAvailable: 1 }],
});

export const create = (set: JsonObject, replicas = 1): Step => {
  const body = { ...set, spec: { ...fieldsAt(set, 'spec'), replicas } };
  return (world) =>
    world.ask({ method: 'POST', path: sets, body: JSON.parse(JSON.stringify(body)) });
};

export const merge =
  (path: string, spec: object): Step =>
  (world) =>
    world.ask({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: { spec },
    });

export const scalePack = (replicas: number): Step =>
  merge(`${groups}/demo-0-pack/scale`, { replicas });

/** The set with fields of its template changed. */
export const withTemplate = (set: JsonObject, change: (template: Fields) => Fields): JsonObject => {
  const template = fieldsAt(set, 'spec', 'template');
  const spec = { ...fieldsAt(set, 'spec'), template: { ...template, ...change(template) } };
  return JSON.parse(JSON.stringify({ ...set, spec }));
};

/** With fields for the first clique, which is `front`, and for the group. */
export const withFields = (set: JsonObject, front: Fields, pack: Fields): JsonObject =>
  withTemplate(set, (template) => {
    const [first, ...others] = listAt(template, 'cliques').map((clique) => fieldsAt(clique));
    return {
      cliques: [{ ...first, ...front }, ...others],
      podCliqueScalingGroups: listAt(template, 'podCliqueScalingGroups').map((group) => ({
        ...fieldsAt(group),
        ...pack,
      })),
    };
  });

/** Added up by kind. */
export const sum = (
  ...counts: readonly Readonly<Record<string, number>>[]
): Record<string, number> => {
  const total: Record<string, number> = {};
  for (const [kind, many] of counts.flatMap((each) => Object.entries(each))) {
    total[kind] = (total[kind] ?? 0) + many;
  }
  return total;
};

/** `front`, and a group of two cliques: the first replica of it in the base gang, the second in a
 *  scaled one. */
const grouped = setObject('demo', withPack(['lead', 'hand'], 2));

/** A replica of a group of two cliques that has a gang of its own. */
const scaledReplica = {
  'grove.io/podcliques': 2,
  'scheduler.grove.io/podgangs': 1,
  '/pods': 2,
};

/** A replica of the set without scaled ones of its group: `front`, and a base replica of so many
 *  cliques. */
export const baseReplica = (cliquesOfGroup: number) => ({
  'grove.io/podcliques': 1 + cliquesOfGroup,
  'grove.io/podcliquescalinggroups': 1,
  'scheduler.grove.io/podgangs': 1,
  '/services': 1,
  '/pods': 1 + cliquesOfGroup,
});

const groupedReplica = sum(baseReplica(2), scaledReplica);

export const worksOfGroups = {
  'create with a group': {
    work: create(grouped),
    added: sum(setItself, groupedReplica),
    mostUpdates: 35,
  },
  'scale out of a group': {
    before: create(grouped),
    work: scalePack(3),
    added: scaledReplica,
    mostUpdates: 20,
  },
  'scale in of a group': {
    before: create(grouped),
    work: scalePack(1),
    deleted: scaledReplica,
    mostUpdates: 20,
  },
  'scale in with a group': {
    before: create(grouped, 2),
    work: scaleTo(1),
    deleted: groupedReplica,
    mostUpdates: 20,
  },
  'delete with a group': {
    before: create(grouped),
    work: remove,
    deleted: sum(setItself, groupedReplica),
    mostUpdates: 20,
  },
} as const satisfies Record<string, Work>;

/** Of the clique and of the group, with this upper bound. */
function autoscaled(maxReplicas: number): JsonObject {
  const bounds = { minReplicas: 1, maxReplicas };
  const plain = setObject('demo', withPack(['lead'], 1));
  const [front] = listAt(plain, 'spec', 'template', 'cliques');
  const spec = { ...fieldsAt(front, 'spec'), autoScalingConfig: bounds };
  return withFields(plain, { spec }, { scaleConfig: bounds });
}

const autoscalers = { 'autoscaling/horizontalpodautoscalers': 2 };

/** Lists are replaced as a whole. */
const applyTemplate = (set: JsonObject): Step => {
  const { cliques: all, podCliqueScalingGroups } = fieldsAt(set, 'spec', 'template');
  return merge(`${sets}/demo`, { template: { cliques: all, podCliqueScalingGroups } });
};

const unscaled = setObject('demo', withPack(['lead'], 1));

export const worksOfAutoscalers = {
  'create with autoscalers': {
    work: create(autoscaled(3)),
    added: sum(setItself, baseReplica(1), autoscalers),
    mostUpdates: 25,
  },
  'edit of autoscalers': {
    before: create(autoscaled(3)),
    work: applyTemplate(autoscaled(4)),
    mostUpdates: 10,
  },
  'autoscalers come': {
    before: create(unscaled),
    work: applyTemplate(autoscaled(3)),
    added: autoscalers,
    mostUpdates: 10,
  },
  'autoscalers go': {
    before: create(autoscaled(3)),
    work: applyTemplate(unscaled),
    deleted: autoscalers,
    mostUpdates: 10,
  },
  'scale in with autoscalers': {
    before: create(autoscaled(3), 2),
    work: scaleTo(1),
    deleted: sum(baseReplica(1), autoscalers),
    mostUpdates: 20,
  },
} as const satisfies Record<string, Work>;
