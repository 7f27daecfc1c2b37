// Why a warm pool is not full, in sentences for people.
import { sayErrors } from '../../contract/failure-log.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sayWhen, type EpochMs } from '../../kubernetes/time.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { PoolContext, Query } from './context.ts';
import { deficit, isGivingWay, population, staleBlueprints } from './population.ts';
import type { StartErrors } from '../views/start-errors.ts';
import { sayRefused } from './supply.ts';

export const fine: Query<string> = (_, { replicas }) => `${replicas} members are ready`;

export const explainDraining: Query<readonly string[]> = ({ counts, removal }, { replicas }) => [
  `${counts.active + removal.causes.excess} members are there and ${replicas} are wanted: those ` +
    'that are not ready go first, then the newest',
];

export const explainReplacing: Query<readonly string[]> = (context, pool) => {
  const { blueprints, removal } = context;
  const left = staleBlueprints(context, pool)
    .map((key) => blueprints.get(key)?.size ?? 0)
    .reduce((sum, one) => sum + one, removal.causes.stale);
  return [`${left} members of an older version of template ${pool.template} are to be deleted`];
};

export const explainSourceless: Query<readonly string[]> = (_, { template }) => [
  `SandboxTemplate ${template} is not there: no member is created, and none is judged by it`,
];

export function explainRefused(context: PoolContext, _: ObservedPool, now: EpochMs) {
  const { pausedUntil } = context.refill;
  const when = pausedUntil === undefined ? '' : ` ${sayWhen(pausedUntil, now)}`;
  return [`${sayRefused(context)}; it is tried again${when}; claims are served from what is there`];
}

export const sayStartErrors = ({ pods, example }: StartErrors): string =>
  `${pods} pods of members have a container that ended in StartError, so fewer members start at ` +
  `once: many at once may be too much for their node's D-Bus. For example ${example}`;

/** What holds the refill up. */
export function explainFilling(context: PoolContext, pool: ObservedPool, now: EpochMs) {
  const { counts, refill, held, startErrors, errors } = context;
  const { heldUntil } = refill;
  const missing = deficit(context, pool);
  const starting = counts.active - counts.ready - held.size;
  return [
    ...(startErrors === undefined ? [] : [sayStartErrors(startErrors)]),
    ...(held.size === 0 ? [] : [`${held.size} members cannot be scheduled, and are kept`]),
    ...(missing > 0 && heldUntil !== undefined && heldUntil > now
      ? [
          `members were taken: none is created before the replenish delay ends ${sayWhen(heldUntil, now)}`,
        ]
      : []),
    ...(missing > 0 && isGivingWay(context) ? ['claims are served first'] : []),
    ...(refill.creating.size === 0 ? [] : [`${refill.creating.size} members are being created`]),
    ...(starting > 0 ? [`${starting} members are not ready yet`] : []),
    ...(counts.terminating > 0 && population(context) >= pool.replicas
      ? [`${counts.terminating} members are terminating, and count until they are gone`]
      : []),
    ...sayErrors(errors),
  ];
}

export const explainTerminating: Query<readonly string[]> = ({ counts }) => [
  `the pool is being deleted: the garbage collector deletes its ${counts.active} members, and no ` +
    'Sandbox that a claim has',
];

/** For `/actors` and `ask state`. */
export const view = ({ pool, template, counts, refill, removal, ...context }: PoolContext) =>
  ({
    uid: pool?.uid ?? null,
    version: pool?.resourceVersion ?? '',
    template: template?.name ?? null,
    counts: { ...counts },
    creating: refill.creating.size,
    deleting: removal.chosen.size,
    queued: { ready: context.ready.size, unready: context.unready.size },
    held: context.held.size,
  }) satisfies JsonObject;
