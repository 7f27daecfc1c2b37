// What people are told of a warm pool by Events: once when it begins, and where it matters once
// when it is over (spec agent-sandbox 1.8).
import type { Intent } from '../../../contract/intents.ts';
import { normal, warning } from '../../../contract/object-intents.ts';
import { sayDuration } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import type { PoolContext, Step } from '../context.ts';
import { sayStartErrors } from '../explain.ts';
import { isRefused, sayRefused } from '../supply.ts';

export const announce: Step = (context, pool) => {
  const { told, held, startErrors } = context;
  const now = new Set<'held' | 'refused' | 'startErrors'>();
  if (held.size > 0) now.add('held');
  if (isRefused(context)) now.add('refused');
  if (startErrors !== undefined) now.add('startErrors');
  if (told.size === now.size && told.isSubsetOf(now)) return idle;
  const intents: Intent[] = [];
  if (now.has('held') && !told.has('held')) {
    intents.push(warning(pool, 'WarmPoolNotProgressing', sayHeld(context, pool)));
  }
  if (told.has('held') && !now.has('held')) {
    intents.push(normal(pool, 'WarmPoolProgressing', 'Warm pool is progressing again'));
  }
  if (now.has('refused') && !told.has('refused')) {
    intents.push(warning(pool, 'WarmPoolRefillFailed', sayRefused(context)));
  }
  if (startErrors !== undefined && !told.has('startErrors')) {
    intents.push(warning(pool, 'WarmPoolStartFailed', sayStartErrors(startErrors)));
  }
  return { intents, changes: { told: now } };
};

/** In the original's words. */
function sayHeld({ held, settings }: PoolContext, { replicas }: ObservedPool): string {
  const grace = sayDuration(settings.warmPool.readinessGraceMs);
  return (
    `${held.size}/${replicas} sandboxes are unschedulable past the ${grace} readiness grace ` +
    'period; holding them instead of replacing (replacements would be equally unschedulable)'
  );
}
