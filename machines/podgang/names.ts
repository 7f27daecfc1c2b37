// Names of PodGangs (spec api 4.1).

/** The gang of a replica: its standalone cliques, and the first replicas of its scaling groups. */
export const baseGangName = (set: string, replica: number): string => `${set}-${replica}`;
