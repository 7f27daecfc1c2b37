// How deep JSON may be nested. Everything behind reads objects by recursion, so what is deeper than
// that is refused at the door. Called for every body and for every object that is to be stored.
import { depthLimit } from '../limits.ts';

/** True beyond the limit. Walks level by level, whatever the depth. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= depthLimit) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const item of Object.values(each)) if (typeof item === 'object') next.push(item);
    }
    level = next;
  }
  return false;
}
