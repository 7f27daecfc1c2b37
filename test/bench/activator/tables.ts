// Tables to measure on: of some pods, with holes and pods that get no requests among them.
import { microsOf } from '#machines/activator/time.ts';
import { Admission } from '#src/activator/admission/admission.ts';
import { Backlog } from '#src/activator/admission/backlog.ts';
import { Turns } from '#src/activator/admission/turns.ts';
import { Random } from '#src/activator/table/random.ts';
import { PodTable } from '#src/activator/table/table.ts';
import type { PodTarget, PolicyName, TableOptions } from '#src/activator/table/types.ts';

export const now = microsOf(1);

export const podAt = (place: number): PodTarget => ({
  dest: `10.${place >> 16}.${(place >> 8) & 255}.${place & 255}:8012`,
  id: `5f3c9a4e-${place}`,
  state: 'ready',
});

export const podsAt = (count: number): readonly PodTarget[] =>
  Array.from({ length: count }, (_, place) => podAt(place));

/** As the policy is used: two choices and least loaded without a limit, others with one. */
const limits: Readonly<Record<PolicyName, number>> = {
  random: 0,
  'random-choice-2': 0,
  'first-available': 3,
  'round-robin': 10,
  'least-loaded': 0,
};

/** Under way in such a table: some two for each pod. */
export const usualLoad = (pods: number): number => 2 * pods;

export const optionsOf = (
  policy: PolicyName,
  options: Partial<TableOptions> = {},
): TableOptions => ({
  policy,
  limit: limits[policy],
  seed: 1,
  trimThreshold: 1,
  maxScale: 524_288,
  ...options,
});

export function tableOf(pods: number, policy: PolicyName, limit?: number): PodTable {
  const table = new PodTable(optionsOf(policy, limit === undefined ? {} : { limit }));
  for (const pod of podsAt(pods)) table.put(pod, now);
  return table;
}

/** `pods` that get requests, in `slots`, the others of which are holes; the last slot is taken. */
export function sparse(pods: number, slots: number, policy: PolicyName): PodTable {
  const table = tableOf(slots, policy);
  const random = new Random(7);
  for (let left = slots; left > pods;) {
    const outcome = table.remove(podAt(random.below(slots - 1)).dest, undefined, now);
    if (outcome === 'released') left -= 1;
  }
  return table;
}

/** An event loop that never turns, for what needs no turn. */
export function admissionOf(
  table: TableOptions,
  defer = (_run: () => void): void => {},
): Admission {
  const backlog = new Backlog({ maxWaitingInProcess: 1e6, maxWaitingBodyBytes: 1e9 });
  return new Admission({ table, backlog, turns: new Turns(defer), maxWaiting: 1e6 });
}
