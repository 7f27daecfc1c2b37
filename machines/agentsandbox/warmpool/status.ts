// The status of a warm pool (spec agent-sandbox 1.4). It is written whatever else fails (G13).
import type { WriteStatus } from '../../contract/intents.ts';
import { statusOf } from '../../contract/object-intents.ts';
import { withConditions } from '../../contract/supervision.ts';
import type { Condition } from '../../kubernetes/conditions.ts';
import { count } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { label } from '../objects/labels.ts';
import { nameHash } from '../objects/name-hash.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { PoolContext } from './context.ts';
import { isGivingWay } from './population.ts';

/** That a pool becomes full others wait for, if no claim is served; all else can wait: each claim
 *  takes a member out of a full one. */
export function writeStatus(
  context: PoolContext,
  pool: ObservedPool,
  conditions: readonly Condition[],
  now: EpochMs,
): WriteStatus {
  const { counts, isPruned } = context;
  const { status, replicas, generation, name } = pool;
  const isFull = counts.ready >= replicas;
  const wasFull = (count(status['readyReplicas']) ?? 0) >= replicas;
  const said = withConditions(status, conditions, now, { generation });
  const next: JsonObject = {
    replicas: counts.active,
    readyReplicas: counts.ready,
    selector: `${label.warmPool}=${nameHash(name)}`,
    observedGeneration: generation,
    ...(!isPruned && { conditions: [...said] }),
  };
  const isNews = isFull && !wasFull && !isGivingWay(context);
  return statusOf(pool, 'members', next, isNews ? 'now' : 'lazy');
}
