// Names of what belongs to a PodCliqueScalingGroup (spec api 4.1); children/place.ts reads them.
// `group` is always the full name of the object, `<set>-<replica>-<name of the group>`.

export const memberName = (group: string, replica: number, clique: string): string =>
  `${group}-${replica}-${clique}`;

/** One replica with all its members, as constraints in PodGangs name it. */
export const replicaName = (group: string, replica: number): string => `${group}-${replica}`;

/** `number` is the index of the replica less minAvailable: it starts again at 0. */
export const scaledGangName = (group: string, number: number): string => `${group}-${number}`;
