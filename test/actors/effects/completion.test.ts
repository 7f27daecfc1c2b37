// What follows a write that has ended: how long its object pauses, who hears what and when, and
// what ends the pause before its time.
import { describe, expect, it } from 'vitest';
import type { Failure } from '#actors/effects/completion.ts';
import type { WriteIntent } from '#actors/effects/work.ts';
import { defaultLimits } from '#actors/limits.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { because, completing as scene, ref } from '../fixtures/completion.ts';
import { setActor } from '../fixtures/runner.ts';

const patch: WriteIntent = { ...{ type: 'patchObject', ref, uid: 'u' }, patch: {}, reason: 'a' };

type Retry = Failure['retry'];
const failure = (code: ErrorCode, retry: Retry, afterMs = 0): Failure => ({
  ...{ code, retry, afterMs },
  message: 'm',
});

describe('An object after a failure', () => {
  const { unreachableMaxMs } = defaultLimits;
  const again = (why: Failure, times: number): readonly Failure[] => Array(times).fill(why);
  const forbidden = failure('FORBIDDEN', 'refused');
  const invalid = failure('INVALID', 'refused');
  const broken = failure('SERVER_ERROR', 'backoff');
  it.each<[string, readonly Failure[], readonly (number | null)[]]>([
    [
      'longer each time',
      again(broken, 10),
      [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000],
    ],
    [
      'not as long where nobody answers',
      again(failure('UNREACHABLE', 'backoff'), 7),
      [200, 400, 800, 1_600, 3_200, unreachableMaxMs, unreachableMaxMs],
    ],
    ['as long as the server asks', [failure('THROTTLED', 'backoff', 7_000)], [7_000]],
    ['longer than the server asks', [broken, failure('THROTTLED', 'backoff', 300)], [200, 400]],
    ['not at all the first time', [failure('NOT_FOUND', 'now')], [0]],
    ['the second time', [broken, failure('NOT_FOUND', 'now')], [200, 400]],
    ['for ever', [failure('ASSERTION', 'never')], [null]],
    ['for ever, whatever the server asks', [failure('ASSERTION', 'never', 5_000)], [null]],
    ['for a minute where it is refused', again(invalid, 3), [60_000, 60_000, 60_000]],
    ['as long as a refusal says', [failure('INVALID', 'refused', 5_000)], [5_000]],
    [
      'longer each time where it is forbidden',
      again(forbidden, 7),
      [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000],
    ],
    [
      'as short again where something else came between',
      [broken, broken, forbidden, invalid, forbidden],
      [200, 400, 2_000, 60_000, 2_000],
    ],
  ])('pauses %s', (_what, failures, pauses) => {
    const { fail } = scene();
    expect(failures.map((one) => fail(one))).toEqual(pauses);
  });

  it.each<[Failure, readonly unknown[]]>([
    [broken, [1, 0, undefined, 'before', 'SERVER_ERROR']],
    [failure('UNREACHABLE', 'backoff'), [1, 0, undefined, 'before', 'UNREACHABLE']],
    [failure('CONFLICT', 'backoff'), [1, 0, undefined, undefined, 'CONFLICT']],
    [forbidden, [1, 1, 'createObject', undefined, 'FORBIDDEN']],
    [invalid, [1, 0, 'createObject', undefined, 'INVALID']],
    [failure('ASSERTION', 'never'), [1, 0, 'createObject', undefined, 'ASSERTION']],
    [failure('NOT_FOUND', 'now'), [1, 0, undefined, undefined, undefined]],
  ])('remembers of %j what matters for the next write', (why, expected) => {
    const { fail, writes, state } = scene();
    writes.lastTry = because('before');
    fail(why);
    expect(state()).toEqual(expected);
  });

  it('slows its kind down where the server asks for that, and for nothing else', () => {
    const { fail, throttled } = scene();
    fail(failure('THROTTLED', 'backoff', 7_000));
    fail(broken);
    expect(throttled).toEqual([['Pod', 7_000]]);
  });

  it('is blocked since the first failure in a row', async () => {
    const { clock, fail, objects, demo, completion, writes, work } = scene();
    const first = clock.now();
    fail(broken);
    await clock.advance(150);
    fail(invalid);
    const until = clock.now() + 60_000;
    const about = demo.key;
    const blocked = { about, object: refKey(ref), code: 'INVALID', since: first, until };
    expect([...objects.blocked()]).toEqual([blocked]);
    expect(writes.pause).toMatchObject({ message: 'm', endsWithGeneration: true, isAsked: false });
    completion.succeeded(writes, work(), because('the write'));
    await clock.advance(1_000);
    fail(failure('THROTTLED', 'backoff', 9_000));
    expect([...objects.blocked()]).toMatchObject([{ since: first + 1_150 }]);
    expect(writes.pause).toMatchObject({ endsWithGeneration: false, isAsked: true });
  });
});

describe('The actor whose write failed', () => {
  it('hears of that, may try again after the pause, and hears that it is over if it does not', async () => {
    const { clock, fail, heard, writes } = scene();
    writes.waiters.set(setActor('other'), because('its plan'));
    fail(failure('SERVER_ERROR', 'backoff'));
    await clock.advance(199);
    expect(heard).toEqual(['0 demo effect.failed create by the write']);
    await clock.advance(1);
    expect(heard.slice(1)).toEqual([
      '200 demo effect.retry by the plan also parked',
      '200 other effect.retry by its plan also parked',
    ]);
    expect([writes.pause, writes.waiters.size]).toEqual([undefined, 0]);
    await clock.advance(60_000);
    expect(heard.slice(3)).toEqual(['2200 demo effect.done create by the plan also parked']);
  });

  it('may try again at once where that is worth it, and its failure is told as over by then', async () => {
    const { clock, fail, heard } = scene();
    fail(failure('NOT_FOUND', 'now'));
    expect(heard).toEqual([
      '0 demo effect.failed create by the write',
      '0 demo effect.retry by the write also parked',
    ]);
    await clock.advance(60_000);
    expect(heard.slice(2)).toEqual(['2000 demo effect.done create by the write also parked']);
  });

  it.each<[string, (stage: ReturnType<typeof scene>) => void, boolean]>([
    ['does nothing', () => {}, true],
    ['waits with a write', ({ writes, work }) => void (writes.queued = work()), false],
    ['waits for another', ({ writes, demo }) => writes.waiters.set(demo, because('x')), false],
    [
      'has a write under way',
      ({ writes, work }) =>
        void (writes.flying = { work: work(), link: because('x'), since: 0, echoes: [] }),
      false,
    ],
    ['has failed again', ({ fail }) => void fail(failure('INVALID', 'refused')), false],
    [
      'lets another write',
      ({ writes, work }) => void (writes.queued = work(setActor('other'))),
      true,
    ],
  ])('is told that it is over only where it gave it up: it %s', async (_what, act, isTold) => {
    const stage = scene();
    stage.fail(failure('SERVER_ERROR', 'backoff'));
    await stage.clock.advance(200);
    act(stage);
    await stage.clock.advance(2_000);
    const over = stage.heard.filter((one) => one.includes('effect.done'));
    expect(over).toHaveLength(isTold ? 1 : 0);
  });

  it('is forgotten to have failed once nobody has tried for long', async () => {
    const { clock, fail, objects, writes } = scene();
    fail(failure('SERVER_ERROR', 'backoff'));
    await clock.advance(200 + 2 * defaultLimits.retryMaxMs - 1);
    expect([objects.size, writes.failures]).toEqual([1, 1]);
    await clock.advance(1);
    expect([objects.size, writes.failures]).toEqual([0, 0]);
  });

  it.each<[string, (stage: ReturnType<typeof scene>) => void]>([
    ['pauses', ({ fail }) => void fail(failure('ASSERTION', 'never'))],
    [
      'is being written',
      ({ writes, work }) =>
        void (writes.flying = { work: work(), link: because('x'), since: 0, echoes: [] }),
    ],
  ])('is not forgotten to have failed while its object %s', async (_what, act) => {
    const stage = scene();
    stage.fail(failure('SERVER_ERROR', 'backoff'));
    await stage.clock.advance(200);
    act(stage);
    const { failures } = stage.writes;
    await stage.clock.advance(2 * defaultLimits.retryMaxMs);
    expect([stage.objects.size, stage.writes.failures]).toEqual([1, failures]);
  });
});

describe('A write that succeeded', () => {
  it.each([undefined, 'uid-of-p'])('with the UID %s tells its actor and all who wait', (uid) => {
    const { completion, writes, work, fail, heard, state, objects } = scene();
    fail(failure('FORBIDDEN', 'refused'));
    objects.resume(writes);
    writes.lastTry = because('before');
    writes.waiters.set(setActor('other'), because('its plan'));
    heard.splice(0);
    completion.succeeded(writes, work(), because('the write'), uid);
    expect(heard).toEqual([
      `0 demo effect.done create${uid === undefined ? '' : ` ${uid}`} by the write`,
      '0 other effect.retry by its plan also parked',
    ]);
    expect(state()).toEqual([0, 0, undefined, undefined, undefined]);
    expect(objects.size).toBe(0);
  });

  it('that was turned away has its actor plan again', () => {
    const { completion, writes, work, heard, objects } = scene();
    completion.turnedAway(writes, work());
    expect(heard).toEqual(['0 demo effect.retry by the plan also parked']);
    expect(objects.size).toBe(0);
  });
});

describe('A pause', () => {
  const rows: [string, Failure, boolean, boolean][] = [
    ['that grows', failure('SERVER_ERROR', 'backoff'), false, true],
    ['that the server asked for', failure('THROTTLED', 'backoff', 5_000), false, false],
    ['of what was refused', failure('INVALID', 'refused'), true, true],
    ['of what was refused for a time', failure('INVALID', 'refused', 5_000), true, false],
    ['that never ends', failure('ASSERTION', 'never'), true, true],
    ['that never ends, with a time', failure('ASSERTION', 'never', 5_000), true, true],
  ];
  it.each(rows)(
    '%s ends with the generation: %j, and with its actor',
    async (_what, why, ...ends) => {
      for (const mode of ['alive', 'ended'] as const) {
        const { clock, completion, demo, fail, heard, writes } = scene();
        fail(why);
        heard.splice(0);
        demo.mode = mode;
        completion.lift(setActor('other'));
        expect(heard).toEqual([]);
        completion.lift(demo);
        const isOver = mode === 'alive' ? ends[0] : ends[1];
        expect(writes.pause === undefined).toBe(isOver);
        expect(heard).toEqual(isOver ? ['0 demo effect.retry by the plan also parked'] : []);
        await clock.advance(100_000);
        const again = heard.filter((one) => one.includes('effect.retry'));
        expect(again.length).toBeLessThanOrEqual(1);
      }
    },
  );

  it('for want of a kind ends when that is served, and counts from the start', () => {
    const { completion, fail, heard, writes } = scene();
    for (let n = 0; n < 3; n++) fail(failure('NOT_FOUND', 'backoff'));
    heard.splice(0);
    completion.served('Service');
    expect(heard).toEqual([]);
    completion.served('Pod');
    expect(heard).toEqual(['0 demo effect.retry by the plan also parked']);
    expect([writes.failures, writes.pause]).toEqual([0, undefined]);
    expect(fail(failure('SERVER_ERROR', 'backoff'))).toBe(200);
    heard.splice(0);
    completion.served('Pod');
    expect(heard).toEqual([]);
  });

  it('says what was to be done', () => {
    const { fail, heard, work } = scene();
    fail(failure('CONFLICT', 'backoff'), work(undefined, patch));
    expect(heard).toEqual(['0 demo effect.failed patch by the write']);
  });
});
