// What the podcliqueset actor needs to know of its own object (spec api 1.2), with Grove's defaults
// applied and everything that all replicas share worked out once.
import type { Problem } from '../errorbook.ts';
import { cliqueNumbers, defaultedPodSpec, publishesNotReady } from '../grove/defaults.ts';
import { annotation, isOurs } from '../grove/labels.ts';
import { canonical, jsonHash } from '../hash.ts';
import { at, count, isObject, list, object, stringMap, strings, text } from '../json.ts';
import type { StringMap } from '../json.ts';
import { maxReplicasPerSet } from '../limits.ts';
import { isMalformed, readMeta } from '../meta.ts';
import type { Malformed, Meta } from '../meta.ts';
import type { JsonObject, KubeObject } from '../objects.ts';

/** A standalone clique of the template. */
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
  /** Opaque hash of labels, annotations and pod spec (spec controllers 5.1). */
  readonly hash: string;
}

export interface SetFact extends Meta {
  readonly kind: 'PodCliqueSet';
  readonly replicas: number;
  readonly cliques: readonly CliqueTemplate[];
  readonly priorityClassName: string;
  readonly publishNotReadyAddresses: boolean;
  /** First scheduler that a clique names, or undefined: the default one. */
  readonly schedulerName: string | undefined;
  /** Opaque hash of all cliques in list order. */
  readonly generationHash: string;
  /** Why this spec cannot be acted upon, if so. */
  readonly problem: Problem | undefined;
  /** Changes exactly when children may have to. */
  readonly planKey: string;
  readonly status: JsonObject;
}

export function readSet(source: KubeObject): SetFact | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const template = at(source['spec'], 'template');
  if (!isObject(template)) return { malformed: 'spec.template is not an object' };
  const priorityClassName = text(template['priorityClassName']);
  const grouped = groupedCliques(template);
  const all = list(template['cliques']).filter(isObject);
  const startupType = text(template['cliqueStartupType']);
  const cliques = all.map((clique, index) =>
    readTemplate(clique, priorityClassName, parentsOf(startupType, all, index)),
  );
  const replicas = count(at(source['spec'], 'replicas')) ?? 0;
  const generationHash = jsonHash(cliques.map((clique) => clique.hash));
  return {
    ...meta,
    kind: 'PodCliqueSet',
    replicas,
    cliques: cliques.filter((clique) => !grouped.has(clique.name)),
    priorityClassName,
    publishNotReadyAddresses: publishesNotReady(template),
    schedulerName: all.map(schedulerOf).find((name) => name !== ''),
    generationHash,
    problem: problemOf(template, cliques, replicas),
    planKey: planKey(meta, generationHash),
    status: object(source['status']),
  };
}

const schedulerOf = (clique: JsonObject): string =>
  text(at(clique, 'spec', 'podSpec', 'schedulerName'));

const groupsOf = (template: JsonObject): readonly unknown[] =>
  list(template['podCliqueScalingGroups']);

const groupedCliques = (template: JsonObject): ReadonlySet<string> =>
  new Set(groupsOf(template).flatMap((group) => strings(at(group, 'cliqueNames'))));

/** Direct parents (spec controllers 6.1): the clique before, or those that are named. */
function parentsOf(
  startupType: string,
  cliques: readonly JsonObject[],
  index: number,
): readonly string[] {
  if (startupType === 'CliqueStartupTypeInOrder') {
    return index === 0 ? [] : [text(cliques[index - 1]?.['name'])];
  }
  if (startupType !== 'CliqueStartupTypeExplicit') return [];
  return strings(at(cliques[index], 'spec', 'startsAfter'));
}

function readTemplate(
  clique: JsonObject,
  priorityClassName: string,
  startsAfter: readonly string[],
): CliqueTemplate {
  const { [annotation.topologyName]: _, ...annotations } = stringMap(clique['annotations']);
  const labels = stringMap(clique['labels']);
  const podSpec = defaultedPodSpec(at(clique, 'spec', 'podSpec'));
  const { replicas: _replicas, startsAfter: _after, ...spec } = object(clique['spec']);
  const numbers = cliqueNumbers(clique['spec']);
  return {
    name: text(clique['name']),
    labels,
    annotations,
    ...numbers,
    spec: { ...spec, minAvailable: numbers.minAvailable, podSpec },
    startsAfter,
    hash: jsonHash([labels, annotations, { ...podSpec, priorityClassName }]),
  };
}

function problemOf(
  template: JsonObject,
  cliques: readonly CliqueTemplate[],
  replicas: number,
): Problem | undefined {
  const names = cliques.map((clique) => clique.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const groups = groupsOf(template).map((group) => text(at(group, 'name')));
  if (replicas > maxReplicasPerSet) {
    const message = `spec.replicas is ${replicas}; at most ${maxReplicasPerSet} are handled`;
    return { code: 'ERR_SYNC_PODCLIQUE', message };
  }
  if (names.includes('')) {
    return { code: 'ERR_SYNC_PODCLIQUE', message: 'spec.template.cliques has one without a name' };
  }
  if (twice !== undefined) {
    const message = `spec.template.cliques has two named "${twice}"; names must be unique`;
    return { code: 'ERR_SYNC_PODCLIQUE', message };
  }
  if (groups.length > 0) {
    const message = `spec.template.podCliqueScalingGroups (${groups.join(', ')}) is not handled by this version; only standalone cliques are`;
    return { code: 'ERR_SYNC_PODCLIQUESCALINGGROUP', message };
  }
  return undefined;
}

/** Labels and annotations are mirrored to PodGangs but are not part of the generation. */
const planKey = (meta: Meta, generationHash: string): string =>
  canonical([
    meta.uid,
    meta.generation,
    generationHash,
    mirrored(meta.labels),
    mirrored(meta.annotations),
    meta.annotations[annotation.reconcileTrigger] ?? null,
  ]);

/** What PodGangs take over from their set: everything that is not the operator's. */
export const mirrored = (map: StringMap): StringMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !isOurs(key) && key !== lastApplied));

/** kubectl's copy of the whole object: large, and no news to anybody. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** News for the actor: anything, as its status is its own and patches carry the version. */
export const isNews = (old: SetFact | undefined, now: SetFact): boolean =>
  old?.uid !== now.uid || old.resourceVersion !== now.resourceVersion;
