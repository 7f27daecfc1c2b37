// Names of a PodCliqueSet's children (spec api 4.1) and their exact reverse lookups: by full prefix
// and digits, never by suffix (spec controllers 10.2 gap 1, rule 50).

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

/** Where an object belongs by its name. */
export interface Place {
  readonly replica: number;
  /**
   * What follows the number: the name of a clique or a scaling group, the group of a
   * ComputeDomain, `<group>-<index>-<clique>` of a member, `<group>-<number>` of a scaled PodGang;
   * empty for a base PodGang and a Service.
   */
  readonly rest: string;
}

/** Replica and rest of the name of a set's child, or undefined where it is another name. */
export function placeOf(set: string, name: string): Place | undefined {
  if (!name.startsWith(`${set}-`)) return undefined;
  const match = /^(0|[1-9]\d{0,9})(?:-(.+))?$/.exec(name.slice(set.length + 1));
  const [, digits, rest = ''] = match ?? [];
  return digits === undefined ? undefined : { replica: Number(digits), rest };
}
