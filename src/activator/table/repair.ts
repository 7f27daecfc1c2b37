// The repair of a table whose audit found something: counters, holes, index and candidates follow
// from the columns and are computed anew; a slot whose columns contradict each other is released by
// force. Called when an actor restarts.
import { audit, contradictionAt } from './audit.ts';
import { at, isRoutable, stateCode } from './columns.ts';
import type { Slots } from './slots.ts';

/** What the audit had found; with nothing found nothing is touched. */
export function repair(slots: Slots): readonly string[] {
  const found = audit(slots);
  if (found.length === 0) return found;
  readAnew(slots);
  for (let index = 0; index < slots.highWater; index++) {
    if (slots.columns.isLive(index) && contradictionAt(slots, index) !== undefined) {
      slots.release(index, 'repaired');
    }
  }
  slots.trim();
  return found;
}

/** Everything but the columns that say which pod is where, in which state, with which requests. */
function readAnew(slots: Slots): void {
  const { columns, holes, policy, indexByDest } = slots;
  slots.detached = Math.max(0, slots.detached);
  holes.clear();
  policy.clear();
  indexByDest.clear();
  Object.assign(slots, { highWater: 0, live: 0, routable: 0, draining: 0 });
  for (let index = 0; index < columns.length; index++) {
    if (!isPod(slots, index)) {
      clear(slots, index);
      continue;
    }
    for (let hole = slots.highWater; hole < index; hole++) holes.add(hole);
    slots.highWater = index + 1;
    const state = columns.state[index] ?? 0;
    columns.limit[index] = slots.limit;
    columns.free[index] = columns.freeOf(index);
    slots.live += 1;
    slots.routable += Number(isRoutable(state));
    slots.draining += Number(state === stateCode.draining);
    indexByDest.set(columns.dest[index] ?? '', index);
    if (at(columns.free, index) > 0) policy.enter(index);
  }
  slots.planned = Math.max(slots.planned, slots.highWater);
}

/** Whether the columns agree that there is a pod, and no slot before has its address. */
function isPod({ columns, indexByDest }: Slots, index: number): boolean {
  const dest = columns.dest[index] ?? '';
  const isThere = columns.isLive(index) && columns.state[index] !== stateCode.hole;
  return isThere && dest !== '' && at(columns.inFlight, index) >= 0 && !indexByDest.has(dest);
}

/** Nobody may hold a permit of what was there; requests that do go on, detached. */
function clear(slots: Slots, index: number): void {
  const { columns } = slots;
  slots.detached += Math.max(0, at(columns.inFlight, index));
  if (columns.isLive(index)) columns.gen[index] = at(columns.gen, index) + 1;
  columns.clear(index);
}
