// For each alert: series over which it fires, with what it says then, and series that look alike
// and must not wake anybody. A value a minute.
import type { SeriesValues } from '../promtool.ts';

interface Firing {
  readonly series: SeriesValues;
  readonly at: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly description: string;
}

export interface AlertCase {
  readonly firing: Firing;
  /** What it is that does not count. */
  readonly quiet: Readonly<Record<string, SeriesValues>>;
}

export const our = 'namespace="ai",job="coppice",instance="a"';
export const other = 'namespace="ai",job="other-operator",instance="b"';
export const namespace = 'ai';
export const job = 'coppice';

export const buckets = (name: string, labels: string, counts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(counts).map(([le, values]) => [`${name}_bucket{${labels},le="${le}"}`, values]),
  );

export const ofClique = `${our},controller="podclique-controller"`;
export const controller = 'podclique-controller';
