// What keeps the spec of a PodCliqueSet from being acted upon. Admission refuses most of it;
// without the webhook it is said in lastErrors and by `why`, and nothing is planned. Called by
// podcliqueset.ts.
import { maxGroupsPerGang, maxReplicasPerGroup, maxReplicasPerSet } from './limits.ts';
import type { CliqueTemplate, GroupTemplate, Template } from './template.ts';
import { at, count, isObject, list, word } from '../../kubernetes/json.ts';
import { scopes } from './claims.ts';

/** An error that is not an effect's, e.g. a spec that cannot be acted upon. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

/** The first thing that is wrong, or undefined. */
export function problemOf(template: Template, replicas: number): Problem | undefined {
  if (replicas > maxReplicasPerSet) {
    const message = `spec.replicas is ${replicas}; at most ${maxReplicasPerSet} are handled`;
    return { code: 'ERR_SYNC_PODCLIQUE', message };
  }
  const ofCliques = aboutCliques(template.all);
  if (ofCliques !== undefined) return { code: 'ERR_SYNC_PODCLIQUE', message: ofCliques };
  const ofGroups = aboutGroups(template);
  if (ofGroups !== undefined) return { code: 'ERR_SYNC_PODCLIQUESCALINGGROUP', message: ofGroups };
  const ofScaling = aboutScaling(template);
  if (ofScaling !== undefined) return { code: 'ERR_SYNC_HPA', message: ofScaling };
  const ofGang = aboutGang(template);
  return ofGang === undefined
    ? undefined
    : { code: 'ERR_CREATE_OR_PATCH_PODGANG', message: ofGang };
}

/** The first replicas of every group are in the gang of a replica. */
function aboutGang({ standalone, groups }: Template): string | undefined {
  const many = groups.reduce(
    (sum, { minAvailable, members }) => sum + minAvailable * members.length,
    standalone.length,
  );
  return many > maxGroupsPerGang
    ? `a PodGang of ${many} PodCliques is asked for; at most ${maxGroupsPerGang} are handled`
    : undefined;
}

const cliquesPath = 'spec.template.cliques';
const groupsPath = 'spec.template.podCliqueScalingGroups';

function aboutCliques(cliques: readonly CliqueTemplate[]): string | undefined {
  const names = cliques.map(({ name }) => name);
  if (names.includes('')) return `${cliquesPath} has one without a name`;
  const twice = repeated(names);
  return twice === undefined
    ? undefined
    : `${cliquesPath} has two named "${twice}"; names must be unique`;
}

function aboutGroups({ all, groups }: Template): string | undefined {
  const names = groups.map(({ name }) => name);
  if (names.includes('')) return `${groupsPath} has one without a name`;
  const twice = repeated(names);
  if (twice !== undefined) return `${groupsPath} has two named "${twice}"; names must be unique`;
  const known = new Set(all.map(({ name }) => name));
  const members = groups.flatMap(({ cliqueNames }) => cliqueNames);
  const unknown = members.find((name) => !known.has(name));
  if (unknown !== undefined) {
    return `${groupsPath} names the clique "${unknown}", which ${cliquesPath} does not have`;
  }
  const shared = repeated(members);
  if (shared !== undefined) {
    return `${groupsPath} names the clique "${shared}" twice; a clique belongs to one group, once`;
  }
  return groups.map(aboutNumbers).find((problem) => problem !== undefined);
}

function aboutNumbers({ name, replicas, minAvailable }: GroupTemplate): string | undefined {
  const most = Math.max(replicas, minAvailable);
  return most > maxReplicasPerGroup
    ? `${groupsPath} "${name}" asks for ${most} replicas; at most ${maxReplicasPerGroup} are handled`
    : undefined;
}

/** An autoscaler has the name of its target, without the kind. */
function aboutScaling({ standalone, groups }: Template): string | undefined {
  const scaled = new Set(
    standalone.filter(({ scaling }) => scaling !== undefined).map(({ name }) => name),
  );
  const both = groups.find(({ name, scaling }) => scaling !== undefined && scaled.has(name));
  return both === undefined
    ? undefined
    : `the clique and the group "${both.name}" are both autoscaled; their autoscalers would share a name`;
}

/** The first that comes a second time. */
export function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

type Check = (value: unknown) => string | undefined;

const given =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? undefined : check(value);

const anObject: Check = (value) => (isObject(value) ? undefined : 'must be an object');
const aList: Check = (value) => (Array.isArray(value) ? undefined : 'must be a list');
const aCount: Check = (value) =>
  count(value) === undefined ? 'must be a whole number from 0 to 2147483647' : undefined;

const aName: Check = (value) => (word(value) === undefined ? 'must be a name' : undefined);
const aScope: Check = (value) =>
  scopes.some((scope) => scope === value) ? undefined : `must be ${scopes.join(' or ')}`;

const ofClique: readonly (readonly [path: string, check: Check])[] = [
  ['labels', given(anObject)],
  ['annotations', given(anObject)],
  ['spec', anObject],
  ['spec.podSpec', anObject],
  ['spec.replicas', given(aCount)],
  ['spec.minAvailable', given(aCount)],
  ['spec.startsAfter', given(aList)],
  ['topologyConstraint', given(anObject)],
  ['resourceSharing', given(aList)],
];

const ofGroup: readonly (readonly [path: string, check: Check])[] = [
  ['cliqueNames', given(aList)],
  ['replicas', given(aCount)],
  ['minAvailable', given(aCount)],
  ['topologyConstraint', given(anObject)],
  ['resourceSharing', given(aList)],
];

const ofShare: readonly (readonly [path: string, check: Check])[] = [
  ['name', aName],
  ['scope', aScope],
];

const ofSpec: readonly (readonly [path: string, check: Check])[] = [
  ['replicas', given(aCount)],
  ['template.cliques', aList],
  ['template.podCliqueScalingGroups', given(aList)],
  ['template.topologyConstraint', given(anObject)],
  ['template.resourceClaimTemplates', given(aList)],
  ['template.resourceSharing', given(aList)],
];

/** Field, what is there and what would be right; undefined where all is well. */
export function errorOfSpec(spec: unknown): string | undefined {
  return (
    errorIn('spec', spec, ofSpec) ??
    errorInList('spec.template.cliques', at(spec, 'template', 'cliques'), ofClique) ??
    errorInList(
      'spec.template.podCliqueScalingGroups',
      at(spec, 'template', 'podCliqueScalingGroups'),
      ofGroup,
    ) ??
    errorOfSharing(spec)
  );
}

/** Of the lists of all levels, each of which is a list or absent here. */
function errorOfSharing(spec: unknown): string | undefined {
  for (const path of ['cliques', 'podCliqueScalingGroups']) {
    for (const [index, entry] of list(at(spec, 'template', path)).entries()) {
      const place = `spec.template.${path}[${index}].resourceSharing`;
      const error = errorInList(place, at(entry, 'resourceSharing'), ofShare);
      if (error !== undefined) return error;
    }
  }
  return errorInList(
    'spec.template.resourceSharing',
    at(spec, 'template', 'resourceSharing'),
    ofShare,
  );
}

function errorInList(
  place: string,
  entries: unknown,
  checks: readonly (readonly [string, Check])[],
): string | undefined {
  for (const [index, entry] of list(entries).entries()) {
    const here = `${place}[${index}]`;
    if (!isObject(entry)) return `${here} is ${show(entry)}; it must be an object`;
    const error = errorIn(here, entry, checks);
    if (error !== undefined) return error;
  }
  return undefined;
}

function errorIn(
  place: string,
  value: unknown,
  checks: readonly (readonly [string, Check])[],
): string | undefined {
  for (const [path, check] of checks) {
    const field = at(value, ...path.split('.'));
    const problem = check(field);
    if (problem !== undefined) return `${place}.${path} is ${show(field)}; it ${problem}`;
  }
  return undefined;
}

const show = (value: unknown): string =>
  value === undefined ? 'missing' : JSON.stringify(value).slice(0, 80);
