// The KAI scheduler: a PodGroup per PodGang, pods marked with their place in it, a queue that must
// be named, and topology constraints (spec controllers 8.4). Its Topology objects are kept by the
// topologybinding actor.
import { at, list, strings, text, word, type StringMap } from '../../kubernetes/json.ts';
import { annotation } from '../objects/labels.ts';
import { namedQueues, queueIn } from './backend.ts';
import type { Backend, Desired, QueueSource, Unmappable } from './backend.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import type { BackendPodGroup, ObservedGang } from '../objects/podgang.ts';
import type { Marks } from '../objects/mirror.ts';
import { repeated } from '../objects/set-problem.ts';

/** KAI's own grouper is to leave these pods alone. */
const skipped = { [annotation.kaiSkipPodGrouper]: 'true' };

/** All that are named; a label goes before an annotation. */
const queuesOf = (set: QueueSource): readonly string[] =>
  [set, ...set.cliques].map(namedBy).filter((name) => name !== '');

const namedBy = (one: Marks): string =>
  (one.labels[queueKey] ?? '') || (one.annotations[queueKey] ?? '');

const queueKey = 'kai.scheduler/queue';

/** Labels that KAI or its administrators may change on the live object. */
const inherited = ['kai.scheduler/node-pool', queueKey];

function desired(gang: ObservedGang, there: BackendPodGroup | undefined): Desired | Unmappable {
  const queue = queueOf(gang);
  if (typeof queue !== 'string') return queue;
  const topology = topologyOf(gang);
  if (topology === undefined && constraintsOf(gang).some(isSet)) return noTopology;
  const subGroups = subGroupsOf(gang, topology);
  const twice = repeated(subGroups.map(({ name }) => text(name)));
  if (twice !== undefined) {
    return unmappable(`two sub-groups would have the name "${twice}"; rename a clique or a group`);
  }
  return {
    labels: { ...gang.labels, ...kept(there) },
    annotations: gang.annotations,
    spec: {
      queue: text(there?.spec['queue']) || queue,
      minMember: gang.groups.reduce((sum, { minReplicas }) => sum + minReplicas, 0),
      priorityClassName: gang.priorityClassName || null,
      topologyConstraint: constraint(gang.topologyConstraint, topology),
      subGroups,
    },
  };
}

/** Sub-groups of PodCliques; the others have members of their own. */
function cliquesIn(spec: JsonObject): readonly string[] {
  const groups = list(spec['subGroups']);
  const parents = new Set(groups.map((group) => text(at(group, 'parent'))));
  return groups.map((group) => text(at(group, 'name'))).filter((name) => !parents.has(name));
}

const unmappable = (problem: string): Unmappable => ({ problem });

/** The annotation is ours, and says what set and cliques agree on. */
function queueOf(gang: ObservedGang): string | Unmappable {
  const named = gang.annotations[queueKey] ?? gang.labels[queueKey] ?? '';
  const queue = queueIn(named, queueKey);
  if (queue !== '') return queue;
  return unmappable(
    `a queue is needed: set the label or annotation ${queueKey} on the set or on a clique`,
  );
}

const kept = (there: BackendPodGroup | undefined): StringMap =>
  Object.fromEntries(
    inherited.flatMap((key) => {
      const value = there?.labels[key];
      return value === undefined ? [] : [[key, value]];
    }),
  );

const topologyOf = ({ annotations }: ObservedGang): string | undefined =>
  word(annotations[annotation.topologyName]) ?? word(annotations['kai.scheduler/topology']);

const noTopology = unmappable(
  `the gang has topology constraints and does not say of which topology: name it in the annotation` +
    ` ${annotation.topologyName} or kai.scheduler/topology`,
);

const constraintsOf = (gang: ObservedGang): readonly unknown[] => [
  gang.topologyConstraint,
  ...gang.groupConfigs.map((config) => config['topologyConstraint']),
  ...gang.groups.map(({ raw }) => raw['topologyConstraint']),
];

const levelsOf = (raw: unknown): { readonly required: string; readonly preferred: string } => ({
  required: text(at(raw, 'packConstraint', 'required')),
  preferred: text(at(raw, 'packConstraint', 'preferred')),
});

function isSet(raw: unknown): boolean {
  const { required, preferred } = levelsOf(raw);
  return required !== '' || preferred !== '';
}

function constraint(raw: unknown, topology: string | undefined): Json {
  if (topology === undefined || !isSet(raw)) return null;
  const { required, preferred } = levelsOf(raw);
  return {
    topology,
    requiredTopologyLevel: required || null,
    preferredTopologyLevel: preferred || null,
  };
}

function subGroupsOf(gang: ObservedGang, topology: string | undefined): JsonObject[] {
  const configs = gang.groupConfigs
    .map((raw) => ({ raw, name: text(raw['name']), members: strings(raw['podGroupNames']) }))
    .filter(({ members }) => members.length > 0);
  return [
    ...configs.map(({ raw, name, members }) => ({
      name,
      minSubGroup: members.length,
      topologyConstraint: constraint(raw['topologyConstraint'], topology),
    })),
    ...gang.groups.map(({ name, minReplicas, raw }) => ({
      name,
      minMember: minReplicas,
      topologyConstraint: constraint(raw['topologyConstraint'], topology),
      parent: configs.find(({ members }) => members.includes(name))?.name ?? null,
    })),
  ];
}

export const kai: Backend = {
  name: 'kai-scheduler',
  podMarks: ({ clique, gang }) => ({
    labels: { 'kai.scheduler/subgroup-name': clique },
    annotations: { ...skipped, 'pod-group-name': gang },
  }),
  gangMarks: (set) => {
    const names = queuesOf(set);
    return { ...skipped, ...(names.length > 0 ? { [queueKey]: namedQueues(names) } : {}) };
  },
  podGroups: { kind: 'KaiPodGroup', desired, cliquesIn },
};
