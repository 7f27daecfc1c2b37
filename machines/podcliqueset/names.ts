// Names of a PodCliqueSet's children (spec api 4.1); children/place.ts reads them.

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
