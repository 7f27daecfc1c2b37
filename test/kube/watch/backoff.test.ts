// The table of what follows on the end of a list or a watch.
import { expect, test } from 'vitest';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Failure } from '#src/kube/errors.ts';
import {
  afterList,
  afterProbe,
  afterWatch,
  backOff,
  noTrouble,
  type Trouble,
} from '#src/kube/watch/backoff.ts';
import type { WatchOver } from '#src/kube/watch/watch.ts';

/** No spread: every pause is its longest. */
const random = { next: () => 1 };
const failure = (code: ErrorCode, retryAfterMs?: number): Failure => ({
  ok: false,
  code,
  message: '',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
const quiet: WatchOver = { refused: false, silent: false, events: 0, lastedMs: 45_000 };
const after = (failures: number, refusals: number, isListed = false): Trouble => ({
  failures,
  refusals,
  isListed,
});
/** A list follows for the sake of a watch that told nothing. */
const listed = after(0, 0, true);
const refused = (code: ErrorCode, retryAfterMs?: number): WatchOver => ({
  ...quiet,
  refused: true,
  lastedMs: 5,
  failure: failure(code, retryAfterMs),
});

test('pauses double from 250 ms to 10 s and are spread over their upper half', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backOff(failures, random));
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(backOff(3, { next: () => 0 })).toBe(500);
});

test('a server that does not answer is asked again within 5 s, however long it was away', () => {
  const away = after(100, 0);
  const broken = { ...quiet, lastedMs: 5, failure: failure('UNREACHABLE') };
  expect(afterList(failure('UNREACHABLE'), away, random).waitMs).toBe(5_000);
  expect(afterWatch(broken, away, random).waitMs).toBe(5_000);
  expect(afterList(failure('SERVER_ERROR'), away, random).waitMs).toBe(10_000);
});

const tired = after(3, 2);

const isAway = { isAway: true };

test.each<[string, WatchOver, Trouble, string, number, Trouble, object?]>([
  ['an orderly end', { ...quiet, events: 1 }, tired, 'resume', 0, noTrouble],
  ['an orderly end without a word', quiet, tired, 'probe', 0, noTrouble],
  ['silence', { ...quiet, silent: true }, tired, 'list', 250, after(3, 2, true)],
  ['an orderly end without a word, after a list', quiet, listed, 'probe', 0, noTrouble],
  ['silence after a list', { ...quiet, silent: true }, listed, 'resume', 0, listed],
  ['an end at once', { ...quiet, lastedMs: 5 }, noTrouble, 'resume', 250, after(1, 0)],
  [
    'an end at once, with an event',
    { ...quiet, lastedMs: 5, events: 1 },
    tired,
    'resume',
    0,
    noTrouble,
  ],
  [
    'a reset at the opening',
    { ...quiet, lastedMs: 5, failure: failure('UNREACHABLE') },
    tired,
    'list',
    2_000,
    after(4, 0, true),
    isAway,
  ],
  [
    'a reset at the opening after a list',
    { ...quiet, lastedMs: 5, failure: failure('UNREACHABLE') },
    after(3, 2, true),
    'resume',
    2_000,
    after(4, 2, true),
  ],
  [
    'a reset after a while',
    { ...quiet, failure: failure('UNREACHABLE') },
    tired,
    'resume',
    250,
    after(1, 0),
  ],
  ['410', refused('GONE'), noTrouble, 'list', 0, after(1, 0)],
  ['410 again', refused('GONE'), tired, 'list', 1_000, after(4, 0)],
  ['429 with Retry-After', refused('THROTTLED', 7_000), noTrouble, 'resume', 7_250, after(1, 1)],
  ['429 without', refused('THROTTLED'), noTrouble, 'resume', 250, after(1, 1)],
  ['401', refused('UNAUTHORIZED'), after(9, 9), 'resume', 10_000, after(10, 10)],
  ['403', refused('FORBIDDEN'), noTrouble, 'list', 250, after(1, 0, true)],
  ['404', refused('NOT_FOUND'), noTrouble, 'list', 250, after(1, 0, true)],
  ['404 for long', refused('NOT_FOUND'), after(9, 0), 'list', 10_000, after(10, 0, true)],
  ['400', refused('INVALID'), noTrouble, 'list', 250, after(1, 0, true)],
  ['500', refused('SERVER_ERROR'), tired, 'resume', 2_000, after(4, 3)],
  [
    '500 for the fourth time',
    refused('SERVER_ERROR'),
    after(3, 3),
    'list',
    2_000,
    after(4, 0, true),
  ],
  [
    '500 again and again after a list',
    refused('SERVER_ERROR'),
    after(3, 3, true),
    'resume',
    2_000,
    after(4, 4, true),
  ],
])('a watch that ended by %s', (_what, over, before, next, waitMs, trouble, more = {}) => {
  expect(afterWatch(over, before, random)).toEqual({ next, waitMs, trouble, ...more });
});

test.each<[string, Failure, number, object?]>([
  ['an expired continue token', failure('GONE'), 2_000],
  ['429 with Retry-After', failure('THROTTLED', 7_000), 7_250],
  ['no answer', failure('UNREACHABLE'), 2_000, isAway],
  ['404', failure('NOT_FOUND'), 2_000],
])('a list that failed by %s is taken again', (_what, why, waitMs, more = {}) => {
  const step = afterList(why, tired, random);
  expect(step).toEqual({ next: 'list', waitMs, trouble: after(4, 2), ...more });
});

test('a first list without an answer is no sign that nobody is there', () => {
  expect(afterList(failure('UNREACHABLE'), noTrouble, random).isAway).toBeUndefined();
});

test('a look at the version is repeated, and becomes a list where nobody is there', () => {
  expect(afterProbe(failure('SERVER_ERROR'), tired, random).next).toBe('probe');
  expect(afterProbe(failure('UNREACHABLE'), noTrouble, random).next).toBe('probe');
  expect(afterProbe(failure('UNREACHABLE'), after(1, 0), random)).toMatchObject({
    next: 'list',
    ...isAway,
  });
});
