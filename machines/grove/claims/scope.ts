// The claims that one owner shares (spec controllers 8.2): which there have to be, how they are
// made and put right, which go, and what keeps them from being made. The same for a PodCliqueSet, a
// scaling group and a PodClique; each tells only what is special about it.
import type { Intent } from '../../contract/intents.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../kubernetes/merge.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import type { ObservedClaim, Claims, Templates } from '../objects/claims.ts';
import { baseLabels, component, label } from '../objects/labels.ts';
import { commonClaimName, indexOfClaim, replicaClaimName } from '../objects/names.ts';
import { controlledBy, ownedMeta } from '../objects/owned.ts';
import type { GroveOwner } from '../objects/owned.ts';
import type { Problem } from '../objects/set-problem.ts';
import { externalTemplate } from '../objects/shared-claims.ts';
import type { ClaimSpecs, Share } from '../objects/shared-claims.ts';

/** What is special about the claims of an owner. */
export interface ClaimScope {
  readonly owner: GroveOwner;
  /** Name of the PodCliqueSet of the tree. */
  readonly set: string;
  readonly sharedClaims: readonly Share[];
  /** On all claims of this owner, besides those of every managed object. */
  readonly labels: StringMap;
  /** The label that holds the number of the replica. */
  readonly indexLabel: string;
  readonly own: ClaimSpecs;
  readonly templates: Templates;
  /** Grove's code where a claim cannot be made. */
  readonly code: string;
  /** Where the list stands, for people, e.g. `clique "worker"`. */
  readonly place: string;
}

/** A claim that has to be there. */
interface Wanted {
  readonly name: string;
  readonly labels: StringMap;
  readonly share: Share;
}

/** `index` undefined: the claims for all replicas, else those for this one. */
function wanted(level: ClaimScope, index: number | undefined): readonly Wanted[] {
  const { owner, sharedClaims } = level;
  const scope = index === undefined ? 'AllReplicas' : 'PerReplica';
  return sharedClaims
    .filter((share) => share.scope === scope)
    .map((share) => ({
      share,
      name:
        index === undefined
          ? commonClaimName(owner.name, share.name)
          : replicaClaimName(owner.name, index, share.name),
      labels: {
        ...baseLabels(level.set),
        [label.component]: component.claim,
        ...level.labels,
        ...(index === undefined ? {} : { [level.indexLabel]: String(index) }),
      },
    }));
}

/** Creates what is missing and can be made, and puts labels and owner right; nothing else of a
 *  claim is touched (rule 13). */
export const ensureClaims = (
  level: ClaimScope,
  claims: Claims,
  index: number | undefined,
): readonly Intent[] =>
  wanted(level, index).flatMap((claim) => ensure(level, claim, claims.get(claim.name), index));

function ensure(
  level: ClaimScope,
  claim: Wanted,
  there: ObservedClaim | undefined,
  index: number | undefined,
): readonly Intent[] {
  const { owner } = level;
  const ref = { kind: 'ResourceClaim', namespace: owner.namespace, name: claim.name } as const;
  if (there === undefined) {
    const body = build(level, claim);
    const reason = index === undefined ? 'shared by all replicas' : `shared in replica ${index}`;
    return body === undefined ? [] : [{ type: 'createObject', ref, reason, body }];
  }
  // One that goes is waited for; one that somebody else controls is left alone.
  const isAlone = there.owner === undefined;
  if (there.deleting || (!isAlone && !isOwn(level, there))) return [];
  const labels = isWithin(claim.labels, there.labels)
    ? {}
    : { labels: patchToward(there.labels, claim.labels) };
  const owners = isAlone ? { ownerReferences: [...there.owners, { ...controlledBy(owner) }] } : {};
  if (Object.keys({ ...labels, ...owners }).length === 0) return [];
  return [
    {
      type: 'patchObject',
      ref,
      reason: isAlone ? 'it has no owner' : 'its labels differ',
      patch: { metadata: { ...labels, ...owners } },
      uid: there.uid,
      ...(isAlone ? { resourceVersion: there.resourceVersion } : {}),
    },
  ];
}

function build(level: ClaimScope, { name, labels, share }: Wanted): KubeObject | undefined {
  const spec = specOf(level, share);
  if (spec === undefined) return undefined;
  const metadata = ownedMeta(level.owner, name, labels);
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec };
}

/** A template of the set shadows one of the cluster. */
function specOf({ own, templates, owner }: ClaimScope, share: Share) {
  const external = externalTemplate(share, own, owner.namespace);
  return external === undefined ? own.get(share.name) : templates.get(external)?.claimSpec;
}

const isOwn = ({ owner }: ClaimScope, claim: ObservedClaim): boolean =>
  isOwnedBy(claim, owner.kind, owner.uid);

/** A claim that is wanted and not there as its owner's own. */
export interface ClaimAwaited {
  readonly name: string;
  /** What is there under the name: going, or somebody else's. */
  readonly there: ObservedClaim | undefined;
}

export const claimsAwaited = (
  level: ClaimScope,
  claims: Claims,
  index: number | undefined,
): readonly ClaimAwaited[] =>
  wanted(level, index)
    .map(({ name }) => ({ name, there: claims.get(name) }))
    .filter(({ there }) => there === undefined || there.deleting || !isOwn(level, there));

/** What a claim that is awaited waits for, for people. */
export function whyAwaited({ name, there }: ClaimAwaited): string {
  if (there === undefined) return `waiting for ResourceClaim ${name} to be created`;
  if (there.deleting) {
    const held = there.finalizers.length > 0 ? `, held by ${there.finalizers.join(', ')}` : '';
    return `waiting for the old ResourceClaim ${name} to go${held}`;
  }
  const { owner } = there;
  return owner === undefined
    ? `ResourceClaim ${name} has no owner, and is about to be taken over`
    : `ResourceClaim ${name} belongs to ${owner.kind} ${owner.name}, an earlier one or another:` +
        ' the garbage collector takes it, or somebody must remove it';
}

/** The claims of replicas that are not `isNeeded` go; nobody else's do. Nothing where the owner
 *  shares nothing. */
export function removeStaleClaims(
  level: ClaimScope,
  claims: Claims,
  isNeeded: (index: number) => boolean,
): readonly Intent[] {
  if (level.sharedClaims.length === 0) return [];
  return [...claims.values()].flatMap((claim): readonly Intent[] => {
    const index = indexOfClaim(level.owner.name, claim.name);
    const isStale = index !== undefined && !isNeeded(index);
    if (!isStale || claim.deleting || !isOwn(level, claim)) return [];
    return [
      {
        type: 'deleteObject',
        ref: { kind: 'ResourceClaim', namespace: claim.namespace, name: claim.name },
        reason: `replica ${index} is not wanted and no pod uses it`,
        uid: claim.uid,
      },
    ];
  });
}

/** One problem for each template that is not there and from which a claim is still to be made:
 *  one that was made needs its template no more. */
export function templateProblems(
  level: ClaimScope,
  isMissing: (share: Share) => boolean,
): readonly Problem[] {
  const { sharedClaims, own, owner, place, code } = level;
  return sharedClaims
    .filter((share) => specOf(level, share) === undefined && isMissing(share))
    .map((share) => {
      const template = externalTemplate(share, own, owner.namespace) ?? share.name;
      const message =
        `resourceSharing of ${place} names ResourceClaimTemplate ${template}, which is not there;` +
        ' create it, or add a template of that name to spec.template.resourceClaimTemplates';
      return { code, message };
    });
}

/** True where the claim of a share is not there: for all replicas, or for one of `indices`. */
export const isShareMissing =
  (
    level: ClaimScope,
    claimAt: (name: string, index: number | undefined) => boolean,
    count: number,
  ) =>
  (share: Share): boolean => {
    const { name } = level.owner;
    if (share.scope === 'AllReplicas') {
      return !claimAt(commonClaimName(name, share.name), undefined);
    }
    for (let index = 0; index < count; index++) {
      if (!claimAt(replicaClaimName(name, index, share.name), index)) return true;
    }
    return false;
  };
