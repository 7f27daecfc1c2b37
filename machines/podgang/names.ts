// Names of PodGangs (spec api 4.1), and the exact reverse lookup.

/** The gang of a replica: its standalone cliques, and the first replicas of its scaling groups. */
export const baseGangName = (set: string, replica: number): string => `${set}-${replica}`;

/** The replica index in a base gang's name, or undefined where the name is another. */
export function replicaOfGang(set: string, name: string): number | undefined {
  if (!name.startsWith(`${set}-`)) return undefined;
  const digits = name.slice(set.length + 1);
  return /^(0|[1-9]\d{0,9})$/.test(digits) ? Number(digits) : undefined;
}
