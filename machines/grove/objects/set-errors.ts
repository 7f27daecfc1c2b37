// The first field of a PodCliqueSet's spec that is not of its type. The schema refuses all of this;
// on a server whose CRD has none it is said instead of guessed at: replicas of -1 are not 0.
// Called by podcliqueset.ts.
import { at, count, isObject, list, word } from '../../kubernetes/json.ts';
import { scopes } from './shared-claims.ts';

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
