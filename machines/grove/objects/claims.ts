// What actors need to know of a shared ResourceClaim, a leaf of a set, a scaling group or a
// PodClique, and of the ResourceClaimTemplates that sets refer to (spec controllers 8.2).
import { at, isEqual, isObject, list, object } from '../../kubernetes/json.ts';
import { isMalformed } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { readMeta } from './meta.ts';

/** Its spec cannot be changed, and its status is nobody's news here. */
export interface ObservedClaim extends Meta {
  readonly kind: 'ResourceClaim';
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  /** All owner references as they stand. */
  readonly owners: readonly JsonObject[];
}

/** Claims by name. */
export type Claims = ReadonlyMap<string, ObservedClaim>;

export const noClaims: Claims = new Map();

export function readClaim(source: KubeObject): ObservedClaim | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  return {
    ...meta,
    kind: 'ResourceClaim',
    set: meta.labels[label.partOf] ?? (meta.owner?.kind === 'PodCliqueSet' ? meta.owner.name : ''),
    owners: list(at(source['metadata'], 'ownerReferences')).filter(isObject),
  };
}

/** A patch of the owners carries the version, so that counts while there is none. */
const isClaimNews = (old: ObservedClaim | undefined, now: ObservedClaim): boolean =>
  old?.uid !== now.uid ||
  old.deleting !== now.deleting ||
  old.owner?.uid !== now.owner?.uid ||
  (now.owner === undefined && old.resourceVersion !== now.resourceVersion) ||
  !isEqual(old.labels, now.labels);

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

export function readTemplate(source: KubeObject): ObservedClaimTemplate | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const claimSpec = object(at(source['spec'], 'spec'));
  return { ...meta, kind: 'ResourceClaimTemplate', claimSpec };
}
