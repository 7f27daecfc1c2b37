// What actors need to know of a shared ResourceClaim, a leaf of a set, a scaling group or a
// PodClique, of the ResourceClaimTemplates that sets refer to (spec controllers 8.2), and of who
// shares which claims: the lists `resourceSharing` of a set, its groups and its cliques (api
// 1.2.5).
import { at, isObject, list, object, strings, text } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { isLabelNews, ownerSet, reading } from './meta.ts';

/** Its spec cannot be changed, and its status is nobody's news here. */
export interface ObservedClaim extends Meta {
  readonly kind: 'ResourceClaim';
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  /** All owner references as they stand. */
  readonly owners: readonly JsonObject[];
}

export type Claims = ReadonlyMap<string, ObservedClaim>;

export const noClaims: Claims = new Map();

export const readClaim = reading((source, meta): ObservedClaim | Malformed => {
  return {
    ...meta,
    kind: 'ResourceClaim',
    set: meta.labels[label.partOf] ?? ownerSet(meta),
    owners: list(at(source['metadata'], 'ownerReferences')).filter(isObject),
  };
});

/** A patch of the owners carries the version, so that counts while there is none. */
const isClaimNews = (old: ObservedClaim | undefined, now: ObservedClaim): boolean =>
  isLabelNews(old, now) ||
  (now.owner === undefined && old?.resourceVersion !== now.resourceVersion);

/** The claims with this one as it is now; the same ones where that is no news. */
export const withClaimSeen = (claims: Claims, observed: ObservedClaim): Claims =>
  isClaimNews(claims.get(observed.name), observed)
    ? new Map(claims).set(observed.name, observed)
    : claims;

/** The claims without this one; the same ones where it was not known. */
export function withClaimGone(
  claims: Claims,
  { name, uid }: { readonly name: string; readonly uid: string },
): Claims {
  if (claims.get(name)?.uid !== uid) return claims;
  return new Map([...claims].filter(([other]) => other !== name));
}

export interface ObservedClaimTemplate extends Meta {
  readonly kind: 'ResourceClaimTemplate';
  /** Of the claims that are made from it. */
  readonly claimSpec: JsonObject;
}

/** Templates of the cluster that the set refers to, by `namespace/name`. */
export type Templates = ReadonlyMap<string, ObservedClaimTemplate>;

export const readTemplate = reading((source, meta): ObservedClaimTemplate | Malformed => {
  const claimSpec = object(at(source['spec'], 'spec'));
  return { ...meta, kind: 'ResourceClaimTemplate', claimSpec };
});

export const scopes = ['AllReplicas', 'PerReplica'] as const;

/** One claim for the whole owner, or one for each of its replicas. */
export type Scope = (typeof scopes)[number];

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
