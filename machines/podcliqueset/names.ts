// Names of a PodCliqueSet's children (spec api 4.1) and their exact reverse lookups: by full prefix
// and digits, never by suffix (spec controllers 10.2 gap 1, rule 50).

export const cliqueName = (set: string, replica: number, clique: string): string =>
  `${set}-${replica}-${clique}`;

export const serviceName = (set: string, replica: number): string => `${set}-${replica}`;

export const serviceAccountName = (set: string): string => set;

/** Of the Role and the RoleBinding. */
export const roleName = (set: string): string => `grove.io:pcs:${set}`;

const secretSuffix = '-ic-sat';

export const secretName = (set: string): string => `${set}${secretSuffix}`;

/** The name of the token Secret in older releases. */
export const legacySecretName = (set: string): string => `${set}-initc-sa-token-secret`;

/** The set whose token Secret would have this name. */
export function setOfSecretName(name: string): string | undefined {
  const set = name.slice(0, -secretSuffix.length);
  return name.endsWith(secretSuffix) && set !== '' ? set : undefined;
}

export interface CliquePlace {
  readonly replica: number;
  readonly clique: string;
}

/** Replica and clique of a standalone PodClique's name, or undefined where it is another name. */
export function placeOfClique(set: string, name: string): CliquePlace | undefined {
  if (!name.startsWith(`${set}-`)) return undefined;
  const match = /^(0|[1-9]\d{0,9})-(.+)$/.exec(name.slice(set.length + 1));
  const [, digits, clique] = match ?? [];
  if (digits === undefined || clique === undefined) return undefined;
  return { replica: Number(digits), clique };
}
