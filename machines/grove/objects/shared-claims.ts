// Reads who shares which claims (spec api 1.2.5): the templates of a PodCliqueSet, and the lists
// `resourceSharing` of the set, of its scaling groups and of its cliques. Called once per version
// of a set.
import { isObject, list, object, strings, text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

export const scopes = ['AllReplicas', 'PerReplica'] as const;

/** One claim for the whole owner, or one for each of its replicas. */
export type Scope = (typeof scopes)[number];

/** An entry of a list. */
export interface Share {
  /** Of the template. */
  readonly name: string;
  /** Of the template; empty: that of the set. */
  readonly namespace: string;
  readonly scope: Scope;
  /** Names of the cliques and groups that get the claim; undefined: all. */
  readonly only: ReadonlySet<string> | undefined;
}

/** Specs of claims by the name of their template. Only the spec of a template is used. */
export type ClaimSpecs = ReadonlyMap<string, JsonObject>;

export const readClaimSpecs = (entries: unknown): ClaimSpecs =>
  new Map(
    list(entries)
      .filter(isObject)
      .map((entry) => [text(entry['name']), object(object(entry['templateSpec'])['spec'])]),
  );

/** Fields of a filter whose names count: all of them in one list (spec controllers 8.2). */
const filterFields = {
  set: ['childCliqueNames', 'childScalingGroupNames'],
  group: ['childCliqueNames'],
  clique: [],
} as const;

export type ShareScope = keyof typeof filterFields;

export const readSharedClaims = (entries: unknown, level: ShareScope): readonly Share[] =>
  list(entries)
    .filter(isObject)
    .map((entry) => ({
      name: text(entry['name']),
      namespace: text(entry['namespace']),
      scope: entry['scope'] === 'PerReplica' ? 'PerReplica' : 'AllReplicas',
      only: readFilter(entry['filter'], filterFields[level]),
    }));

/** A clique's entries have no filter: what stands there is no field of theirs. */
function readFilter(filter: unknown, fields: readonly string[]): ReadonlySet<string> | undefined {
  if (!isObject(filter) || fields.length === 0) return undefined;
  return new Set(fields.flatMap((field) => strings(filter[field])));
}

/** True where a clique that goes by one of these names gets the claim. */
export const isFor = ({ only }: Share, names: readonly string[]): boolean =>
  only === undefined || names.some((name) => only.has(name));

/** Where the template is that an entry names, if it is none of the set's own: `namespace/name`. */
export const externalTemplate = (
  { name, namespace }: Share,
  own: ClaimSpecs,
  setNamespace: string,
): string | undefined =>
  namespace === '' && own.has(name) ? undefined : `${namespace || setNamespace}/${name}`;
