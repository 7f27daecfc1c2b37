// Revisions that wake at once, on a virtual clock: requests wait for pods that come up together,
// and probes have their usual limits.
import { describe, expect, it } from 'vitest';
import { questionsBy } from '#src/activator/sources/configured.ts';
import { podProbe } from '#src/activator/sources/probe.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { configured, namespace, sliceOfPods, sourcesWorld } from './support.ts';

/** From when the pod answers a probe with success to when the request has it, in milliseconds:
 *  of each of so many revisions whose pods come up in one moment. */
async function waits(count: number): Promise<readonly number[]> {
  const names = Array.from({ length: count }, (_, at) => `web-${at}`);
  const activator = { revisions: names.map((name) => ({ name, probePath: '/up' })) };
  const pods: { clock?: VirtualClock; areUp: boolean } = { areUp: false };
  const probe = podProbe({
    questionOf: questionsBy(configured(activator).revisions),
    asker: {
      probe: () =>
        new Promise((resolve) => {
          const answer = { status: pods.areUp ? 200 : 503, body: '', headers: {} };
          pods.clock?.at(pods.clock.now() + answerMs, () => resolve(answer));
        }),
    },
  });
  const world = await sourcesWorld({ activator, probe });
  const { clock } = world;
  pods.clock = clock;
  world.start();
  await clock.advance(1_000);
  const granted: number[] = [];
  for (const name of names) {
    world.plane.find(namespace, name)?.wait({
      granted: () => void granted.push(clock.now()),
      refused: (why) => {
        throw new Error(why);
      },
    });
  }
  await Promise.all(
    names.map((name, at) => world.putSlice(sliceOfPods(name, [`10.0.${at}.1`], { ready: false }))),
  );
  await clock.advance(1_050);
  expect(granted).toEqual([]);
  pods.areUp = true;
  const upAt = clock.now();
  await clock.advance(5_000);
  expect(granted).toHaveLength(count);
  return granted.map((at) => at - upAt);
}

/** How long a pod takes for a probe. */
const answerMs = 5;

describe('A revision that wakes', () => {
  it('waits no longer than a probe and its pause once its pod is there (1.14)', async () => {
    expect(Math.max(...(await waits(1)))).toBeLessThanOrEqual(200 + 2 * answerMs);
  });

  it.each([5, 25, 100])(
    'beside others, %i in all, waits at most twice as long as alone (B-22)',
    async (count) => {
      const [alone = 0] = await waits(1);
      expect(Math.max(...(await waits(count)))).toBeLessThanOrEqual(2 * alone);
    },
  );
});
