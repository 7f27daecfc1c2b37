// Which members are to be deleted, and their deletions: stale ones under Recreate, those in excess,
// those that do not become ready (spec agent-sandbox 2.3.3 to 2.3.7). Nothing is deleted that a
// claim has, nor in another version than was judged (G1).
import { isPauseOver } from '../../../contract/backoff.ts';
import type { DeleteObject } from '../../../contract/intents.ts';
import { deletionOf } from '../../../contract/object-intents.ts';
import { idle } from '../../../statechart/step.ts';
import { isStale } from '../../objects/blueprint.ts';
import type { ObservedPool } from '../../objects/pool.ts';
import type { ObservedSandbox } from '../../objects/sandbox.ts';
import { isReady } from '../../objects/sandbox.ts';
import { isAssigned } from '../assigning/assigning.ts';
import type { PoolContext, Step } from '../context.ts';
import { isFree, isUnschedulable, latestOverdue, withMember } from '../members.ts';
import { staleBlueprints } from '../population.ts';
import { longestPauseMs } from '../refill.ts';
import { withChosen, withoutChosen, type Cause } from '../removal.ts';

/** The fields that follow from what a member is. */
function changesOf(context: PoolContext): Partial<PoolContext> {
  const { counts, ready, unready, overdue, held, failing } = context;
  const { blueprints, unlabelled, removal, refill } = context;
  return {
    ...{ counts, ready, unready, overdue, held, failing },
    ...{ blueprints, unlabelled, removal, refill },
  };
}

const withVictim = (context: PoolContext, name: string, cause: Cause): PoolContext =>
  withMember(context, name, { removal: withChosen(context.removal, name, cause) });

const withKept = (context: PoolContext, name: string): PoolContext =>
  withMember(context, name, { removal: withoutChosen(context.removal, name) });

/** Past the grace a member is replaced, or kept where no other would do better (R37, R38). One that
 *  seems to have longer is measured by a clock that was ahead of ours, or ours was set back. */
export const judgeUnready: Step = (context, _, now) => {
  const { maxBatchSize, unschedulableRecheckMs } = context.settings.warmPool;
  const latest = latestOverdue(context, now);
  let next = context;
  for (let left = maxBatchSize; left > 0; left--) {
    const { first } = next.overdue;
    if (first === undefined || (first.at > now && first.at <= latest)) break;
    const { name } = first;
    if (first.at > latest) {
      next = { ...next, overdue: next.overdue.set(name, latest) };
      continue;
    }
    const member = next.members.get(name);
    const recheckAt = now + unschedulableRecheckMs;
    if (member !== undefined && isUnschedulable(member)) {
      const overdue = next.overdue.set(name, recheckAt);
      next = { ...next, overdue, held: next.held.set(name, true) };
    } else if (isAssigned(next, name)) {
      next = { ...next, overdue: next.overdue.set(name, recheckAt) };
    } else next = withVictim(next, name, 'stuck');
  }
  const until = next.overdue.first?.at;
  return {
    intents: [],
    changes: next === context ? {} : changesOf(next),
    waits: until === undefined ? [] : [{ until: Math.max(until, now) }],
  };
};

/** All of them at once: no claim gets one of them (Q26), so to keep some serves nobody (G7). */
export const chooseStale: Step = (context, pool) => {
  const stale = staleBlueprints(context, pool);
  if (stale.length === 0) return idle;
  let next = context;
  for (const key of stale) {
    for (const [name] of context.blueprints.get(key)?.entries() ?? []) {
      if (isFree(next, name)) next = withVictim(next, name, 'stale');
    }
  }
  return { intents: [], changes: next === context ? {} : changesOf(next) };
};

/** Those that are not ready first, then the newest (P6, R39); chosen once, for which all members
 *  are looked at. */
export const chooseExcess: Step = (context, pool) => {
  const { counts, members, removal } = context;
  const excess = counts.active - pool.replicas;
  if (excess <= 0)
    return removal.causes.excess > 0 && excess < 0 ? keepAgain(context, -excess) : idle;
  const victims = members
    .values()
    .filter(({ name }) => isFree(context, name))
    .toSorted(byFirstToGo)
    .slice(0, excess);
  if (victims.length === 0) return idle;
  let next = context;
  for (const { name } of victims) next = withVictim(next, name, 'excess');
  const what = `delete ${victims.length} members`;
  const why = `${counts.active} are there and ${pool.replicas} are wanted`;
  return { intents: [{ type: 'decide', what, why }], changes: changesOf(next) };
};

const byFirstToGo = (a: ObservedSandbox, b: ObservedSandbox): number =>
  Number(isReady(a)) - Number(isReady(b)) ||
  (b.createdAt ?? 0) - (a.createdAt ?? 0) ||
  (a.name < b.name ? -1 : 1);

/** More are wanted again, and the deletion was not sent. */
function keepAgain(context: PoolContext, most: number) {
  const { chosen, sent } = context.removal;
  const kept = chosen
    .entries()
    .filter(([name, cause]) => cause === 'excess' && !sent.has(name))
    .slice(0, most);
  let next = context;
  for (const [name] of kept) next = withKept(next, name);
  return { intents: [], changes: next === context ? {} : changesOf(next) };
}

export const deleteChosen: Step = (context, pool, now) => {
  const { pausedUntil, window } = context.removal;
  if (context.removal.waiting.size === 0) return idle;
  if (pausedUntil !== undefined && !isPauseOver(pausedUntil, now, longestPauseMs)) {
    return { ...idle, waits: [{ until: pausedUntil }] };
  }
  const intents: DeleteObject[] = [];
  let next = context;
  while (next.removal.sent.size < window) {
    const { first } = next.removal.waiting;
    if (first === undefined) break;
    const { name } = first;
    const member = next.members.get(name);
    const cause = next.removal.chosen.get(name);
    if (member === undefined || cause === undefined || isSpared(next, pool, member, cause)) {
      next = withKept(next, name);
      continue;
    }
    intents.push(deletion(member, pool, cause));
    const { removal } = next;
    const waiting = removal.waiting.delete(name);
    next = { ...next, removal: { ...removal, waiting, sent: removal.sent.set(name, true) } };
  }
  return { intents, changes: next === context ? {} : changesOf(next) };
};

/** A claim that was assigned it before has come to light only now; the reason to delete it is no
 *  more. */
function isSpared(
  context: PoolContext,
  { strategy }: ObservedPool,
  member: ObservedSandbox,
  cause: Cause,
): boolean {
  if (isAssigned(context, member.name)) return true;
  if (cause === 'stuck') return isReady(member);
  const { template } = context;
  return (
    cause === 'stale' &&
    (strategy !== 'Recreate' || template === undefined || !isStale(member, template))
  );
}

const deletion = (member: ObservedSandbox, pool: ObservedPool, cause: Cause) => ({
  ...deletionOf(member, reasonOf(pool, cause)),
  resourceVersion: member.resourceVersion,
  urgency: 'behind' as const,
});

function reasonOf({ replicas, template }: ObservedPool, cause: Cause): string {
  if (cause === 'stale') return `it was made of an older version of template ${template}`;
  return cause === 'stuck' ? 'it does not become ready' : `only ${replicas} members are wanted`;
}
