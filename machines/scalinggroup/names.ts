// Names of what belongs to a PodCliqueScalingGroup (spec api 4.1), and the exact reverse lookup: by
// full prefix and digits (spec controllers 10.2 gap 1). `group` is always the full name of the
// object, `<set>-<replica>-<name of the group>`.

export const memberName = (group: string, replica: number, clique: string): string =>
  `${group}-${replica}-${clique}`;

/** One replica with all its members, as constraints in PodGangs name it. */
export const replicaName = (group: string, replica: number): string => `${group}-${replica}`;

/** `number` is the index of the replica less minAvailable: it starts again at 0. */
export const scaledGangName = (group: string, number: number): string => `${group}-${number}`;

export interface MemberPlace {
  readonly replica: number;
  readonly clique: string;
}

/** Replica and clique of a member's name, or undefined where it is another name. */
export function placeOfMember(group: string, name: string): MemberPlace | undefined {
  if (!name.startsWith(`${group}-`)) return undefined;
  const match = /^(0|[1-9]\d{0,9})-(.+)$/.exec(name.slice(group.length + 1));
  const [, digits, clique] = match ?? [];
  if (digits === undefined || clique === undefined) return undefined;
  return { replica: Number(digits), clique };
}
