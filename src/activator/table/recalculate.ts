// A whole snapshot of the endpoints against the table, in place: nothing that grows with the number
// of pods is built or logged, and a pod that stays keeps slot and requests. Called by table.ts.
import type { Micros } from '#machines/activator/time.ts';
import { isRoutable, stateCode } from './columns.ts';
import type { Slots } from './slots.ts';
import type { PodTarget, Recalculation } from './types.ts';

type Counts = { -readonly [key in keyof Recalculation]: number };

export function recalculate(slots: Slots, pods: readonly PodTarget[], now: Micros): Recalculation {
  const counts: Counts = {
    kept: 0,
    added: 0,
    removed: 0,
    draining: 0,
    promoted: 0,
    demoted: 0,
    blocked: 0,
  };
  slots.recalculations += 1;
  let isComplete = true;
  // By `forEach`: until V8 has compiled it, a loop makes an object for each pod.
  pods.forEach((pod) => {
    if (!keep(slots, pod, now, counts)) isComplete = false;
  });
  removeOthers(slots, now, counts);
  if (!isComplete) addMissing(slots, pods, now, counts);
  slots.trim();
  return counts;
}

/** False: the address has no slot yet. */
function keep(slots: Slots, pod: PodTarget, now: Micros, counts: Counts): boolean {
  const { columns, recalculations } = slots;
  const index = slots.indexByDest.get(pod.dest);
  if (index === undefined) return false;
  // Another entry of the snapshot has the address.
  if (columns.mark[index] === recalculations) return true;
  columns.mark[index] = recalculations;
  if (columns.id[index] !== pod.id) return replace(slots, index, now, counts);
  const before = columns.state[index] ?? 0;
  const after = stateCode[pod.state];
  counts.kept += 1;
  if (before === after) return true;
  slots.setState(index, after, now);
  counts.promoted += Number(!isRoutable(before) && isRoutable(after));
  counts.demoted += Number(isRoutable(before) && !isRoutable(after));
  return true;
}

/** The address has another pod now; one that still has requests keeps the slot until they end. */
function replace(slots: Slots, index: number, now: Micros, counts: Counts): boolean {
  const isBlocked = leave(slots, index, now, counts) === 'draining';
  counts.blocked += Number(isBlocked);
  return isBlocked;
}

function removeOthers(slots: Slots, now: Micros, counts: Counts): void {
  const { columns, recalculations } = slots;
  for (let index = 0; index < slots.highWater; index++) {
    if (columns.mark[index] === recalculations || !columns.isLive(index)) continue;
    leave(slots, index, now, counts);
  }
}

function leave(
  slots: Slots,
  index: number,
  now: Micros,
  counts: Counts,
): ReturnType<Slots['leave']> {
  const outcome = slots.leave(index, now);
  if (outcome === 'released') counts.removed += 1;
  else counts.draining += 1;
  return outcome;
}

/** In the order of the snapshot, so that the first pods of a new revision have the first slots. */
function addMissing(slots: Slots, pods: readonly PodTarget[], now: Micros, counts: Counts): void {
  for (const pod of pods) {
    if (slots.indexByDest.has(pod.dest)) continue;
    if (slots.allocate(pod, now) < 0) counts.blocked += 1;
    else counts.added += 1;
  }
}
