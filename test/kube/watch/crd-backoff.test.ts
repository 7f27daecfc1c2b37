// How often a CRD is looked for that is not installed: seldom, but often while a write waits for
// it.
import { expect, it } from 'vitest';
import { missingKindRetryMs, wantedKindMs, wantedKindRetryMs } from '#src/kube/limits.ts';
import { CrdBackoff } from '#src/kube/watch/crd-backoff.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

function scene() {
  const clock = new VirtualClock();
  const backoff = new CrdBackoff(clock);
  let ends = 0;
  return { clock, backoff, pause: () => backoff.pausing(() => ends++), ends: () => ends };
}

it('A CRD that is missing is looked for seldom, and the first write that wants it ends the pause', () => {
  const { backoff, pause, ends } = scene();
  expect(backoff.missing()).toBe(missingKindRetryMs);
  pause();
  backoff.wanted();
  expect(ends()).toBe(1);
  backoff.pausing();
  backoff.wanted();
  expect(ends()).toBe(1);
});

it('A CRD that a write wants is looked for often, for a while, and no pause is ended early', async () => {
  const { clock, backoff, pause, ends } = scene();
  backoff.missing();
  backoff.wanted();
  expect(backoff.missing()).toBe(wantedKindRetryMs);
  pause();
  backoff.wanted();
  expect(ends()).toBe(0);
  await clock.advance(wantedKindMs);
  expect(backoff.missing()).toBe(wantedKindRetryMs);
  await clock.advance(1);
  expect(backoff.missing()).toBe(missingKindRetryMs);
  pause();
  backoff.wanted();
  expect(ends()).toBe(1);
});

it('A CRD that is there is wanted by nobody, and said to be found once', () => {
  const { backoff, pause, ends } = scene();
  expect(backoff.found()).toBe(false);
  backoff.wanted();
  expect(backoff.missing()).toBe(missingKindRetryMs);
  expect([backoff.found(), backoff.found()]).toEqual([true, false]);
  pause();
  backoff.wanted();
  expect(ends()).toBe(0);
});

it('A pause that the server asked for is not ended early', () => {
  const { backoff, pause, ends } = scene();
  backoff.missing();
  backoff.looking();
  pause();
  backoff.wanted();
  expect(ends()).toBe(0);
});
