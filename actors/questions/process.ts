// What is the matter with the process itself, which may keep any of its actors: a watch that is
// broken, a lease that is not surely held, a bus that is away. The answer to `why` says it beside
// what the machine says. Called by answers.ts.
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { BusPort, ClusterPort, ShardLease } from '../ports.ts';

interface Ports {
  readonly cluster: Pick<ClusterPort, 'unseen'>;
  readonly lease: Pick<ShardLease, 'holds'>;
  readonly bus: Pick<BusPort, 'state'> | undefined;
}

/** What the actors know may be old: said before all else. */
export const whyUnseen = ({ cluster }: Pick<Ports, 'cluster'>): readonly string[] =>
  (cluster.unseen?.() ?? []).map(({ kind, since, why }) =>
    since === null
      ? `no ${kind} was ever seen: ${why}`
      : `no change of a ${kind} is seen since ${rfc3339(since)}: ${why}`,
  );

/** Nothing is sent for an actor of the shard. */
export const whyUnwritten = ({ lease }: Pick<Ports, 'lease'>, shard: number): readonly string[] =>
  lease.holds(shard)
    ? []
    : [`the Lease of shard ${shard} is not renewed in time: nothing is written until it is`];

/** Nothing waits for the bus, so this is said last. */
export function whyUntold({ bus }: Pick<Ports, 'bus'>): readonly string[] {
  const state = bus?.state();
  if (state === undefined || state.connected) return [];
  const problem = state.problem ?? '';
  const why = problem === '' ? '' : ` (${problem})`;
  return [`NATS is not connected${why}: facts stay in this process, and nothing else waits for it`];
}
