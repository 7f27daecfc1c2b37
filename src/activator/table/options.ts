// The limits of a table of pods with their defaults, and what is read from its options. Used by
// the table, and by whoever chooses options for it.
import { policyNames } from './types.ts';
import type { PodTarget, PolicyName, TableOptions, TargetState } from './types.ts';

const targetStates: readonly TargetState[] = ['not-ready', 'ready', 'recovering'];

export const tableDefaults = {
  /** Pods of a revision whose greatest number is not known. */
  maxScale: 1_000,
  /** Of 40 bytes and two strings each. */
  maxSlots: 1_048_576,
  /** Trailing holes go when more than this share of all slots below the high-water mark is
   *  empty. */
  trimThreshold: 0.5,
} as const;

/** Slots that a table allocates with its first pod; it doubles them as the high-water mark
 *  rises. */
export const initialLength = 64;

/** Requests that a revision takes at once where nothing limits them, and the most that it may be
 *  limited to: Knative's own bound. */
export const maxCapacity = 2_147_483_647;

/** Up to so many requests at once, each pod gets as many as it takes before the next one gets any:
 *  such pods are wanted full or empty. */
const mostClumped = 3;

/** As Knative chooses: by container concurrency, 0 for any. */
export function policyFor(limit: number): PolicyName {
  if (limit === 0) return 'random-choice-2';
  return limit <= mostClumped ? 'first-available' : 'round-robin';
}

/** Slots that are planned for: two for each pod that there may be, as many may drain as start. */
export function slotsFor(maxScale: number | undefined, maxSlots: number): number {
  const isKnown = maxScale !== undefined && Number.isSafeInteger(maxScale) && maxScale > 0;
  const base = isKnown ? maxScale : tableDefaults.maxScale;
  return 2 * Math.min(base, Math.floor(maxSlots / 2));
}

/** Requests at once through the one address of a service, to which kube-proxy gives pods: such a
 *  revision has a table of one pod, with this as its limit. 0 while there is no backend. */
export function clusterIpLimit(limit: number, backends: number, activators: number): number {
  if (backends <= 0) return 0;
  if (limit === 0) return maxCapacity;
  const share = Math.floor((limit * backends) / Math.max(1, activators));
  return Math.min(maxCapacity, Math.max(1, share));
}

/** Throws a RangeError. */
export function checkLimit(limit: number): number {
  return whole('limit', limit, 0, maxCapacity);
}

export type ReadOptions = Required<Omit<TableOptions, 'maxScale' | 'onReleased'>> &
  Pick<TableOptions, 'maxScale' | 'onReleased'>;

/** Throws a RangeError that names the option, what it is and what would be right. */
export function readOptions(options: TableOptions): ReadOptions {
  const { maxSlots = tableDefaults.maxSlots, trimThreshold = tableDefaults.trimThreshold } =
    options;
  const limit = checkLimit(options.limit);
  const policy = options.policy ?? policyFor(limit);
  if (!policyNames.includes(policy)) {
    throw new RangeError(`policy must be one of ${policyNames.join(', ')}, not "${policy}"`);
  }
  if (!(trimThreshold > 0 && trimThreshold <= 1)) {
    throw new RangeError(`trimThreshold must be above 0 and at most 1, not ${trimThreshold}`);
  }
  const seed = whole('seed', options.seed, 0, 2 ** 32 - 1);
  whole('maxSlots', maxSlots, 2, tableDefaults.maxSlots);
  return { ...options, policy, limit, maxSlots, trimThreshold, seed };
}

/** Throws a RangeError. An intent may come from anywhere, and a hole has neither address nor id. */
export function checkTarget({ dest, id, state }: PodTarget): void {
  if (dest === '') throw new RangeError('dest of a pod must be its ip:port, not empty');
  if (id === '')
    throw new RangeError(`id of the pod at ${dest} must tell it from others, not be empty`);
  if (targetStates.includes(state)) return;
  const states = targetStates.join(', ');
  throw new RangeError(`state of the pod at ${dest} must be one of ${states}, not "${state}"`);
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
}
