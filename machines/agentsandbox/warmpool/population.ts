// How many members there are, counted against how many are wanted. Used by steps, chart and
// explanations.
import { isStale } from '../objects/blueprint.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { PoolContext, Query } from './context.ts';
import type { Refill } from './refill.ts';

/** Those that go count until they are gone, those that were asked for from then on (P5, P10). */
export const population = ({ counts, refill }: PoolContext): number =>
  counts.active + counts.terminating + refill.creating.size;

/** Members that may be there although no answer and no news said so. */
const unseen = ({ spare, unsure }: Refill): number =>
  unsure.length === 0 ? 0 : spare.filter((number) => unsure.includes(number)).length;

/** How many more there may be than are wanted, with all that may be on its way to become one. */
export const surplus: Query<number> = (context, { replicas }) =>
  population(context) + context.orphans.size + unseen(context.refill) - replicas;

/** Orphans as far as there is room for them beside members that may have been created although the
 *  answer was an error: the rest is in excess. */
export interface Orphans {
  readonly adopted: readonly ObservedSandbox[];
  readonly deleted: readonly ObservedSandbox[];
}

/** Stale ones go, whatever the strategy (R45). */
export function orphansOf(context: PoolContext, wanted: number): Orphans {
  const { orphans, template, refill } = context;
  if (orphans.size === 0) return noOrphans;
  const there = [...orphans.values()].filter(({ deleting }) => !deleting);
  const isFresh = (orphan: ObservedSandbox): boolean =>
    template === undefined || !isStale(orphan, template);
  const room = Math.max(0, wanted - population(context) - unseen(refill));
  const fresh = there.filter(isFresh);
  return {
    adopted: fresh.slice(0, room),
    deleted: [...there.filter((orphan) => !isFresh(orphan)), ...fresh.slice(room)],
  };
}

const noOrphans: Orphans = { adopted: [], deleted: [] };

/** Members that are missing. Orphans count until they are members or gone: one may be taken over
 *  already, and not be seen. */
export const deficit: Query<number> = (context, { replicas }) =>
  Math.max(0, replicas - population(context) - context.orphans.size);

const judged = new WeakMap<ObservedTemplate, Map<string, boolean>>();

/** Names of the blueprints of members that the template has left behind; under Recreate alone. Each
 *  is compared once, and not each member. */
export const staleBlueprints: Query<readonly string[]> = ({ blueprints, ...context }, pool) => {
  const { members, template } = context;
  if (template === undefined || pool.strategy !== 'Recreate') return [];
  const known = judged.get(template) ?? new Map<string, boolean>();
  judged.set(template, known);
  return blueprints.entries().flatMap(([key, names]): string[] => {
    const before = known.get(key);
    if (before !== undefined) return before ? [key] : [];
    const [first] = names.entries();
    const member = first === undefined ? undefined : members.get(first[0]);
    const isOld = member !== undefined && isStale(member, template);
    known.set(key, isOld);
    return isOld ? [key] : [];
  });
};

/** Claims are served, and there is something to serve them with: the refill can wait. */
export const isGivingWay = ({ assigning, ready, unready }: PoolContext): boolean =>
  assigning.arrived.size + assigning.waiting.size + assigning.inHand.size > 0 &&
  ready.size + unready.size + assigning.inHand.size > 0;
