// Names of all that a PodCliqueSet brings about, but for pods (spec api 4.1); place.ts
// reads them.
import { placeOf } from './place.ts';

export const cliqueName = (set: string, replica: number, clique: string): string =>
  `${set}-${replica}-${clique}`;

export const groupName = (set: string, replica: number, group: string): string =>
  `${set}-${replica}-${group}`;

/** Of the ComputeDomain of a group, and of the claim template that comes with it. */
export const domainName = (set: string, replica: number, group: string): string =>
  `${set}-${replica}-${group}`;

/** Of the domain that a clique's pods share in this replica, if they share one. */
export const domainOf = (
  set: string,
  replica: number,
  { domainGroup }: { readonly domainGroup: string | undefined },
): string | undefined =>
  domainGroup === undefined ? undefined : domainName(set, replica, domainGroup);

export const serviceName = (set: string, replica: number): string => `${set}-${replica}`;

export const serviceAccountName = (set: string): string => set;

/** Of the Role and the RoleBinding. */
export const roleName = (set: string): string => `grove.io:pcs:${set}`;

export const secretName = (set: string): string => `${set}-ic-sat`;

/** The gang of a replica: its standalone cliques, and the first replicas of its scaling groups. */
export const baseGangName = (set: string, replica: number): string => `${set}-${replica}`;

/** Of a PodClique of a scaling group; `group` is the full name of the object here and below,
 *  `<set>-<replica>-<name of the group>`. */
export const memberName = (group: string, replica: number, clique: string): string =>
  `${group}-${replica}-${clique}`;

/** One replica with all its members, as constraints in PodGangs name it. */
export const replicaName = (group: string, replica: number): string => `${group}-${replica}`;

/** `number` is the index of the replica less minAvailable: it starts again at 0. */
export const scaledGangName = (group: string, number: number): string => `${group}-${number}`;

/** Of the one shared ResourceClaim of a whole owner: the full name of a PodCliqueSet, a scaling
 *  group or a PodClique. */
export const commonClaimName = (owner: string, template: string): string =>
  `${owner}-all-${template}`;

/** Of the claim of one replica: of a set, of a group, or one pod of a PodClique. */
export const replicaClaimName = (owner: string, index: number, template: string): string =>
  `${owner}-${index}-${template}`;

/** The replica that a claim of this owner is for; undefined where it is for all, or another's. */
export function indexOfClaim(owner: string, name: string): number | undefined {
  const place = placeOf(owner, name);
  return place?.slot === '' ? undefined : place?.replica;
}
