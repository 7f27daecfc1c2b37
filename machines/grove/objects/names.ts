// Names of all that a PodCliqueSet brings about, but for pods (spec api 4.1), and where a child
// belongs by its name, `<parent>-<replica>-<slot>`: by the exact name of the parent, which its
// owner reference gives, and the digits that follow, never by a suffix (spec controllers 10.2 gap
// 1, rule 50). The label of the index is not asked: a hand can change it, and a child that was
// created under this name would be looked for under another (decision 0023).

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

export interface Place {
  /** The replica of its parent; undefined: it serves all of them. */
  readonly replica: number | undefined;
  /** Among the children of its kind there. */
  readonly slot: string;
}

interface InReplica extends Place {
  readonly replica: number;
}

/** More than any replica has, and what a radix tree has room for. */
const maxDigits = 10;

/** `slot` is empty where nothing follows the number. Undefined where it is another name. */
export function placeOf(parent: string, name: string): InReplica | undefined {
  if (!name.startsWith(`${parent}-`)) return undefined;
  const after = name.slice(parent.length + 1);
  const end = after.indexOf('-');
  const digits = end < 0 ? after : after.slice(0, end);
  const slot = end < 0 ? '' : after.slice(end + 1);
  const replica = Number(digits);
  const isIndex =
    Number.isSafeInteger(replica) && digits.length <= maxDigits && String(replica) === digits;
  return isIndex && (end < 0 || slot !== '') ? { replica, slot } : undefined;
}
