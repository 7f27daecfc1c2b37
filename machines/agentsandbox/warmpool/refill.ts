// How fast a warm pool is refilled: what was asked for and not seen yet, how much more may be, and
// until when nothing is. Pure arithmetic; steps/refill.ts asks it and writes.
import type { ErrorCode } from '../../contract/errors.ts';
import { PersistentMap } from '../../contract/persistent-map.ts';
import type { EpochMs } from '../../kubernetes/time.ts';

/** Writes begin one by one, and double while they succeed (R43): what a quota or a webhook refuses
 *  costs one call and not hundreds. */
export interface SlowStart {
  /** Writes that may be unanswered at once. */
  readonly window: number;
  /** After a failure nothing is sent before. */
  readonly pausedUntil: EpochMs | undefined;
}

export const slowStart: SlowStart = { window: 1, pausedUntil: undefined };

export const succeeded = ({ window }: SlowStart, most: number): SlowStart => ({
  window: Math.min(window + 1, Math.max(1, most)),
  pausedUntil: undefined,
});

/** A pause that would last longer than any does was begun before the clock was set back. */
export const longestPauseMs = 60_000;

export const failedBy = (_: SlowStart, now: EpochMs, retryAt: EpochMs | null): SlowStart => ({
  window: 1,
  pausedUntil: Math.min(retryAt ?? now + longestPauseMs, now + longestPauseMs),
});

export interface RefillFailure {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Members are numbered, and named by their number. What was asked for counts as a member until it
 * is known to be there or refused for sure, so no crash and no lost reply makes one too many: the
 * numbers of which nobody knows what became are asked for again before any other.
 */
export interface Refill extends SlowStart {
  /** Numbers by name: asked for, and not seen yet. */
  readonly creating: PersistentMap<string, number>;
  /** Of those that were seen since: the ones whose create has no answer yet. Another controller may
   *  have made what was seen, so when that goes our own create may still make it once more. */
  readonly unanswered: PersistentMap<string, number>;
  /** By name, by the clock of this process: when members that are not ready were asked for. */
  readonly askedAt: PersistentMap<string, EpochMs>;
  /** Names of these that are to be said again, as the runtime has dropped them. */
  readonly repeated: PersistentMap<string, true>;
  /** Numbers that come before any new one: they were asked for without success, or another
   *  controller may have asked for them. */
  readonly spare: readonly number[];
  /** Those of which an attempt has ended without a word on what became of it, until their member is
   *  a claim's. */
  readonly unsure: readonly number[];
  /** The next number after those; undefined: the numbers in use are not known yet. */
  readonly next: number | undefined;
  /** Why the last member could not be created; undefined once one was. */
  readonly failure: RefillFailure | undefined;
  /** Tokens of the refill rate, as they were `at` that time; undefined: it is full. */
  readonly bucket: { readonly tokens: number; readonly at: EpochMs } | undefined;
  /** Members there were or were asked for when this was looked at last. */
  readonly level: number | undefined;
  /** Members were taken: nothing is created before. */
  readonly heldUntil: EpochMs | undefined;
}

export const noRefill: Refill = {
  ...slowStart,
  creating: PersistentMap.of(),
  unanswered: PersistentMap.of(),
  askedAt: PersistentMap.of(),
  repeated: PersistentMap.of(),
  spare: [],
  unsure: [],
  next: undefined,
  failure: undefined,
  bucket: undefined,
  level: undefined,
  heldUntil: undefined,
};

type Hold = Pick<Refill, 'level' | 'heldUntil'>;

/**
 * The hold after members were taken, armed anew by each drop (R41). The first look never holds, and
 * a pool that can serve no claim any more is not held: arrivals without end must not keep it empty.
 */
export function heldBy(
  { level: before, heldUntil }: Hold,
  { level, wanted, delayMs }: { level: number; wanted: number; delayMs: number },
  now: EpochMs,
): Hold {
  if (delayMs === 0 || level >= wanted || level === 0) return { level, heldUntil: undefined };
  if (before !== undefined && level < before) return { level, heldUntil: now + delayMs };
  const isOver = heldUntil === undefined || now >= heldUntil || heldUntil - now > delayMs;
  return { level, heldUntil: isOver ? undefined : heldUntil };
}

type Bucket = Refill['bucket'];

/** Of `wanted`, what the rate grants now, and when it grants one if that is none (R42). */
export function granted(
  bucket: Bucket,
  wanted: number,
  rate: number,
  now: EpochMs,
): { readonly grant: number; readonly bucket: Bucket; readonly until: EpochMs | undefined } {
  if (rate <= 0) return { grant: wanted, bucket: undefined, until: undefined };
  const capacity = Math.max(1, rate);
  const passedMs = bucket === undefined ? 0 : Math.max(0, now - bucket.at);
  const tokens = Math.min(capacity, (bucket?.tokens ?? capacity) + (passedMs / 1000) * rate);
  const grant = Math.min(wanted, Math.floor(tokens));
  const until = grant > 0 ? undefined : now + Math.ceil(((1 - tokens) / rate) * 1000);
  return { grant, bucket: { tokens: tokens - grant, at: now }, until };
}
