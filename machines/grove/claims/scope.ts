// The claims that one owner shares (spec controllers 8.2): which there have to be, how they are
// made and put right, which go, what keeps them from being made, and which of them a pod gets. The
// same for a PodCliqueSet, a scaling group and a PodClique; each tells only what is special about
// it. PodCliques and groups are created when their claims are there; the claims of a replica that
// is not wanted outlive its PodCliques (10.2 gap 12).
import type { Intent } from '../../contract/intents.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../kubernetes/merge.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { externalTemplate, isFor, scopes } from '../objects/claims.ts';
import type { Claims, ObservedClaim, Share, Templates } from '../objects/claims.ts';
import { deletionOf, patchOf } from '../../contract/object-intents.ts';
import { baseLabels, component, controlledBy, label, ownedMeta } from '../objects/labels.ts';
import type { GroveOwner } from '../objects/labels.ts';
import { commonClaimName, indexOfClaim, replicaClaimName } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { Problem } from '../objects/set-problem.ts';
import { heldBy } from '../../kubernetes/deletion.ts';

/** What is special about the claims of an owner. */
export interface ClaimScope {
  readonly owner: GroveOwner;
  /** Of the tree. */
  readonly set: ObservedSet;
  readonly sharedClaims: readonly Share[];
  /** What is there of those for all replicas (undefined), or of those for this one. */
  readonly claimsIn: (index: number | undefined) => Claims;
  /** How many replicas there are to be. */
  readonly replicas: number;
  /** On all claims of this owner, besides those of every managed object. */
  readonly labels: StringMap;
  /** The label that holds the number of the replica. */
  readonly indexLabel: string;
  readonly templates: Templates;
  /** Grove's code where a claim cannot be made. */
  readonly code: string;
  /** Where the list stands, for people, e.g. `clique "worker"`. */
  readonly place: string;
}

interface Wanted {
  readonly name: string;
  readonly labels: StringMap;
  readonly share: Share;
}

const nameOf = (owner: string, { scope, name }: Share, index: number | undefined): string =>
  scope === 'AllReplicas' || index === undefined
    ? commonClaimName(owner, name)
    : replicaClaimName(owner, index, name);

/** `index` undefined: the claims for all replicas, else those for this one. */
function wanted(level: ClaimScope, index: number | undefined): readonly Wanted[] {
  const { owner, sharedClaims } = level;
  const scope = index === undefined ? 'AllReplicas' : 'PerReplica';
  return sharedClaims
    .filter((share) => share.scope === scope)
    .map((share) => ({
      share,
      name: nameOf(owner.name, share, index),
      labels: {
        ...baseLabels(level.set.name),
        [label.component]: component.claim,
        ...level.labels,
        ...(index === undefined ? {} : { [level.indexLabel]: String(index) }),
      },
    }));
}

/** Creates what is missing and can be made, and puts labels and owner right; nothing else of a
 *  claim is touched (rule 13). */
export const ensureClaims = (level: ClaimScope, index: number | undefined): readonly Intent[] =>
  wanted(level, index).flatMap((claim) =>
    ensure(level, claim, level.claimsIn(index).get(claim.name), index),
  );

function ensure(
  level: ClaimScope,
  claim: Wanted,
  there: ObservedClaim | undefined,
  index: number | undefined,
): readonly Intent[] {
  const { owner } = level;
  if (there === undefined) {
    const ref = { kind: 'ResourceClaim', namespace: owner.namespace, name: claim.name } as const;
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
  const metadata = { ...labels, ...owners };
  if (Object.keys(metadata).length === 0) return [];
  const { resourceVersion } = there;
  return [
    isAlone
      ? patchOf(there, 'it has no owner', { metadata }, { resourceVersion })
      : patchOf(there, 'its labels differ', { metadata }),
  ];
}

function build(level: ClaimScope, { name, labels, share }: Wanted): KubeObject | undefined {
  const spec = specOf(level, share);
  if (spec === undefined) return undefined;
  const metadata = ownedMeta(level.owner, name, labels);
  return { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', metadata, spec };
}

/** A template of the set shadows one of the cluster. */
function specOf({ set, templates, owner }: ClaimScope, share: Share) {
  const external = externalTemplate(share, set.sharing.own, owner.namespace);
  return external === undefined
    ? set.sharing.own.get(share.name)
    : templates.get(external)?.claimSpec;
}

const isOwn = ({ owner }: ClaimScope, claim: ObservedClaim): boolean =>
  isOwnedBy(claim, owner.kind, owner.uid);

/** A claim that is wanted and not there as its owner's own. */
interface ClaimAwaited {
  readonly name: string;
  /** What is there under the name: going, or somebody else's. */
  readonly there: ObservedClaim | undefined;
}

const awaitedIn = (level: ClaimScope, index: number | undefined): readonly ClaimAwaited[] =>
  wanted(level, index)
    .map(({ name }) => ({ name, there: level.claimsIn(index).get(name) }))
    .filter(({ there }) => there === undefined || there.deleting || !isOwn(level, there));

/** `index` undefined: those for all replicas, after which PodCliques are created. */
export const areClaimsThere = (level: ClaimScope, index: number | undefined): boolean =>
  awaitedIn(level, index).length === 0;

/** What a replica, or a pod, waits for: its own claims, and those for all. */
export const claimsAwaited = (level: ClaimScope, index: number): readonly ClaimAwaited[] => [
  ...awaitedIn(level, undefined),
  ...awaitedIn(level, index),
];

/** What a claim that is awaited waits for, for people. */
export function whyAwaited({ name, there }: ClaimAwaited): string {
  if (there === undefined) return `waiting for ResourceClaim ${name} to be created`;
  if (there.deleting) return `waiting for the old ResourceClaim ${name} to go${heldBy(there)}`;
  const { owner } = there;
  return owner === undefined
    ? `ResourceClaim ${name} has no owner, and is about to be taken over`
    : `ResourceClaim ${name} belongs to ${owner.kind} ${owner.name}, an earlier one or another:` +
        ' the garbage collector takes it, or somebody must remove it';
}

/** Of the claims in `index` those of replicas that are not `isNeeded` go; nobody else's do. Nothing
 *  where the owner shares nothing. */
export function removeStaleClaims(
  level: ClaimScope,
  index: number | undefined,
  isNeeded: (index: number) => boolean = () => false,
): readonly Intent[] {
  if (level.sharedClaims.length === 0) return [];
  return [...level.claimsIn(index).values()].flatMap((claim) => {
    const replica = indexOfClaim(level.owner.name, claim.name);
    const isStale = replica !== undefined && !isNeeded(replica);
    return isStale && !claim.deleting && isOwn(level, claim)
      ? [deletionOf(claim, `replica ${replica} is not wanted and no pod uses it`)]
      : [];
  });
}

/** Changes when every replica must be looked at: the common claims are all there or not, or a
 *  template came or went. Empty where nothing is shared. */
export function sharedKey(level: ClaimScope): string {
  if (level.sharedClaims.length === 0) return '';
  const known = level.set.sharing.external.map((name) => level.templates.get(name)?.uid ?? '-');
  return `${String(areClaimsThere(level, undefined))} ${known.join(' ')}`;
}

/** One problem for each template that is not there and from which a claim is still to be made:
 *  one that was made needs its template no more. */
export function problemsOfClaims(level: ClaimScope): readonly Problem[] {
  const { sharedClaims, set, owner, place, code } = level;
  return sharedClaims
    .filter((share) => specOf(level, share) === undefined && isMissing(level, share))
    .map((share) => {
      const template = externalTemplate(share, set.sharing.own, owner.namespace) ?? share.name;
      const message =
        `resourceSharing of ${place} names ResourceClaimTemplate ${template}, which is not there;` +
        ' create it, or add a template of that name to spec.template.resourceClaimTemplates';
      return { code, message };
    });
}

/** The claim of a share is not there: the one for all replicas, or that for one of them. */
function isMissing({ owner, claimsIn, replicas }: ClaimScope, share: Share): boolean {
  const isAbsent = (index: number | undefined): boolean =>
    !claimsIn(index).has(nameOf(owner.name, share, index));
  if (share.scope === 'AllReplicas') return isAbsent(undefined);
  for (let index = 0; index < replicas; index++) if (isAbsent(index)) return true;
  return false;
}

/** One of the up to three owners that a pod has. */
export interface Sharer {
  readonly name: string;
  readonly sharedClaims: readonly Share[];
  /** The owner's replica that the pod is in. */
  readonly index: number;
  /** What the clique goes by in filters. */
  readonly called: readonly string[];
}

/** Names of the claims that a pod gets, in their order (spec controllers 1.3.4 step 6): the sharers
 *  from the widest to the narrowest, each for all replicas first. */
export const claimsOfPod = (sharers: readonly Sharer[]): readonly string[] =>
  sharers.flatMap(({ name, sharedClaims, index, called }) =>
    scopes.flatMap((scope) =>
      sharedClaims
        .filter((share) => share.scope === scope && isFor(share, called))
        .map((share) => nameOf(name, share, index)),
    ),
  );
