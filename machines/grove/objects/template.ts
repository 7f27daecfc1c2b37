// Reads the template of a PodCliqueSet (spec api 1.2.2 to 1.2.6) with Grove's defaults applied:
// standalone cliques, scaling groups with their members, who starts after whom, who is autoscaled.
// Called by podcliqueset.ts once per version of a set.
import { jsonHash } from '../../kubernetes/hash.ts';
import {
  at,
  count,
  isObject,
  list,
  object,
  stringMap,
  strings,
  text,
  type StringMap,
} from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { groupIn, usesGpus } from './computedomain.ts';
import { readConstraint, type Constraint } from './topologybinding.ts';
import { cliqueNumbers, defaultedPodSpec } from './defaults.ts';
import { withEnvironment } from './pod-spec.ts';
import { annotation, label, withoutPlaces } from './labels.ts';
import { readSharedClaims, type Share } from './claims.ts';

/** What a HorizontalPodAutoscaler is made of (spec controllers 7.1). */
export interface Scaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** MetricSpecs as given; empty: the API server's default. */
  readonly metrics: readonly JsonObject[];
}

/** A clique of the template, standalone or member of a group. */
export interface CliqueTemplate {
  readonly name: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly replicas: number;
  readonly minAvailable: number;
  /** The PodClique's spec without `replicas` and `startsAfter`, which differ by object. */
  readonly spec: JsonObject;
  /** Names of the cliques that it starts after, within the same replica. */
  readonly startsAfter: readonly string[];
  /** The same for a member in a scaled gang: only members of its own group count. */
  readonly startsAfterInGroup: readonly string[];
  readonly scaling: Scaling | undefined;
  readonly constraint: Constraint | undefined;
  /** Group of the ComputeDomain that its pods get a claim to: it names one and asks for GPUs. */
  readonly domainGroup: string | undefined;
  /** Claims that its pods share. */
  readonly sharedClaims: readonly Share[];
  /** Opaque hash of labels, annotations and pod spec (spec controllers 5.1); another controller's
   *  where its children show the template. */
  readonly hash: string;
  readonly ownHash: string;
}

export interface GroupTemplate {
  readonly name: string;
  readonly annotations: StringMap;
  /** For creation only. */
  readonly replicas: number;
  readonly minAvailable: number;
  readonly cliqueNames: readonly string[];
  /** Its cliques in the order of `cliqueNames`; unknown names are left out. */
  readonly members: readonly CliqueTemplate[];
  readonly scaling: Scaling | undefined;
  /** On the place of each of its replicas. */
  readonly constraint: Constraint | undefined;
  /** Claims that its members' pods share. */
  readonly sharedClaims: readonly Share[];
}

export interface Template {
  /** All cliques in list order. */
  readonly all: readonly CliqueTemplate[];
  readonly standalone: readonly CliqueTemplate[];
  readonly groups: readonly GroupTemplate[];
}

/** `annotations`: of the set, for cliques that have none of their own; `adopted`: hashes by name of
 *  the clique and by our own hash. */
export function readTemplate(
  template: JsonObject,
  annotations: StringMap,
  adopted: Readonly<Record<string, StringMap>> = {},
): Template {
  const raw = list(template['cliques']).filter(isObject);
  const rawGroups = list(template['podCliqueScalingGroups']).filter(isObject);
  const groupOf = new Map(
    rawGroups.flatMap((group) => strings(group['cliqueNames']).map((name) => [name, group])),
  );
  const startup = text(template['cliqueStartupType']);
  const order: Order = { startup, cliques: raw, groupOf };
  const priorityClassName = text(template['priorityClassName']);
  const all = raw.map((clique, index) => {
    const one = readCliqueTemplate(clique, priorityClassName, adopted);
    const group = groupOf.get(one.name);
    const layers = [one.annotations, stringMap(group?.['annotations']), annotations];
    return {
      ...one,
      startsAfter: parentsOf(order, index),
      startsAfterInGroup: parentsInGroup(order, index),
      domainGroup: usesGpus(one.spec['podSpec']) ? groupIn(layers) : undefined,
    };
  });
  const byName = new Map(all.map((clique) => [clique.name, clique]));
  return {
    all,
    standalone: all.filter(({ name }) => !groupOf.has(name)),
    groups: rawGroups.map((group) => readGroup(group, byName)),
  };
}

function readCliqueTemplate(
  clique: JsonObject,
  priorityClassName: string,
  adopted: Readonly<Record<string, StringMap>>,
): Omit<CliqueTemplate, 'startsAfter' | 'startsAfterInGroup' | 'domainGroup'> {
  const { [annotation.topologyName]: _, ...annotations } = stringMap(clique['annotations']);
  const labels = withoutPlaces(stringMap(clique['labels']));
  const podSpec = defaultedPodSpec(at(clique, 'spec', 'podSpec'));
  const { replicas: given, startsAfter: _after, ...spec } = object(clique['spec']);
  const numbers = cliqueNumbers(clique['spec']);
  const name = text(clique['name']);
  const ownHash = jsonHash([labels, annotations, { ...podSpec, priorityClassName }]);
  return {
    name,
    labels,
    annotations,
    ...numbers,
    spec: { ...spec, minAvailable: numbers.minAvailable, podSpec },
    scaling: readScaling(spec['autoScalingConfig'], count(given) ?? 1),
    constraint: readConstraint(clique),
    sharedClaims: readSharedClaims(clique['resourceSharing'], 'clique'),
    hash: adopted[name]?.[ownHash] ?? ownHash,
    ownHash,
  };
}

function readGroup(group: JsonObject, cliques: ReadonlyMap<string, CliqueTemplate>): GroupTemplate {
  const cliqueNames = strings(group['cliqueNames']);
  const known = cliqueNames.map((name) => cliques.get(name)).filter((one) => one !== undefined);
  const env = groupEnvironment(known.reduce((sum, { replicas }) => sum + replicas, 0));
  const replicas = count(group['replicas']) ?? 1;
  return {
    name: text(group['name']),
    annotations: stringMap(group['annotations']),
    replicas,
    minAvailable: count(group['minAvailable']) ?? 1,
    cliqueNames,
    members: known.map((member) => ({ ...member, spec: withEnv(member.spec, env) })),
    scaling: readScaling(group['scaleConfig'], replicas),
    constraint: readConstraint(group),
    sharedClaims: readSharedClaims(group['resourceSharing'], 'group'),
  };
}

/** What pods of a group learn about it (spec api 5.5, lines 6 to 8), in the member's own spec. */
const groupEnvironment = (pods: number): readonly JsonObject[] => [
  { name: 'GROVE_PCSG_NAME', valueFrom: fromLabel(label.scalingGroup) },
  { name: 'GROVE_PCSG_TEMPLATE_NUM_PODS', value: String(pods) },
  { name: 'GROVE_PCSG_INDEX', valueFrom: fromLabel(label.scalingGroupIndex) },
];

const fromLabel = (key: string): JsonObject => ({
  fieldRef: { fieldPath: `metadata.labels['${key}']` },
});

/** The template's own hash is taken before: what is injected starts no update (rule 8). */
const withEnv = (spec: JsonObject, env: readonly JsonObject[]): JsonObject => ({
  ...spec,
  podSpec: withEnvironment(object(spec['podSpec']), env),
});

/** minReplicas absent: the replicas as submitted (spec api 3.2 D6, D7). */
function readScaling(config: unknown, replicas: number): Scaling | undefined {
  const maxReplicas = count(at(config, 'maxReplicas'));
  if (maxReplicas === undefined) return undefined;
  return {
    minReplicas: Math.max(1, count(at(config, 'minReplicas')) ?? replicas),
    maxReplicas,
    metrics: list(at(config, 'metrics')).filter(isObject),
  };
}

interface Order {
  readonly startup: string;
  readonly cliques: readonly JsonObject[];
  readonly groupOf: ReadonlyMap<string, JsonObject>;
}

/** Direct parents (spec controllers 6.1): the clique before, or those that are named. */
function parentsOf({ startup, cliques }: Order, index: number): readonly string[] {
  if (startup === 'CliqueStartupTypeInOrder') {
    return index === 0 ? [] : [text(cliques[index - 1]?.['name'])];
  }
  if (startup !== 'CliqueStartupTypeExplicit') return [];
  return strings(at(cliques[index], 'spec', 'startsAfter'));
}

/**
 * Parents of the same group. In order that is the nearest one before, even where a clique of
 * another group stands between: Grove forgets the order then (spec controllers 6.1, quirk).
 */
function parentsInGroup(order: Order, index: number): readonly string[] {
  const { startup, cliques, groupOf } = order;
  const group = groupOf.get(text(cliques[index]?.['name']));
  if (group === undefined) return [];
  if (startup !== 'CliqueStartupTypeInOrder') {
    return parentsOf(order, index).filter((parent) => groupOf.get(parent) === group);
  }
  const before = cliques.slice(0, index).map((clique) => text(clique['name']));
  return before.filter((name) => groupOf.get(name) === group).slice(-1);
}
