// Many requests while pods come and go and clients give up at random: no pod ever has more than its
// limit, and every request that was sent is answered, refused with an error, or was cancelled.
import { describe, expect, it } from 'vitest';
import { seeded } from '#test/support/virtual-clock.ts';
import { type Pod, podOf } from './support/backends.ts';
import { every, until } from './support/client.ts';
import { TestPath } from './support/path.ts';

interface Tally {
  sent: number;
  ok: number;
  refused: number;
  cancelled: number;
}

const isWhole = ({ status, body }: { readonly status: number; readonly body: string }): boolean =>
  status === 200 && body === 'whole';

/** Sends one; its client gives up at random, in the queue or in the middle of the answer. */
async function send(path: TestPath, tally: Tally, chance: () => number): Promise<void> {
  const abort = new AbortController();
  const givesUp = chance() < 0.3;
  tally.sent += 1;
  const asked = path.ask({
    signal: abort.signal,
    ...(chance() < 0.3 && { method: 'POST', body: 'x'.repeat(Math.floor(chance() * 100_000)) }),
  });
  if (givesUp) {
    const stop = every(Math.ceil(chance() * 20), () => {
      stop();
      abort.abort();
    });
  }
  try {
    const got = await asked;
    if (isWhole(got) && got.isWhole) tally.ok += 1;
    else if (got.status >= 500) tally.refused += 1;
    else if (abort.signal.aborted) tally.cancelled += 1;
  } catch {
    if (abort.signal.aborted) tally.cancelled += 1;
  }
}

function busyPod(chance: () => number): Promise<Pod> {
  return podOf((request, response) => {
    request.resume();
    const stop = every(Math.ceil(chance() * 5), () => {
      stop();
      response.end('whole');
    });
    response.once('close', stop);
  });
}

describe('Requests under churn', () => {
  it.each([1, 3, 10])('of a revision with a limit of %i', async (limit) => {
    const random = seeded(limit);
    const chance = (): number => random.next();
    const path = await TestPath.with(busyPod(chance), { limit });
    const pods: Pod[] = [];
    const all: Pod[] = [];
    const tally: Tally = { sent: 0, ok: 0, refused: 0, cancelled: 0 };
    const running = new Set<Promise<void>>();
    for (let round = 0; round < 400; round++) {
      const one = send(path, tally, chance);
      running.add(one);
      void one.finally(() => running.delete(one));
      if (round % 40 === 0) {
        const pod = await busyPod(chance);
        pods.push(pod);
        all.push(pod);
        await path.add(pod);
      }
      // It goes when the platform lets it, without those that it has.
      if (round % 40 === 20) {
        const pod = pods.shift();
        if (pod !== undefined) await path.remove(pod);
      }
      if (running.size > 30) await Promise.race(running);
    }
    await Promise.all(running);
    await until(() => path.counted.underWay === 0);
    const { sent, ok, refused, cancelled } = tally;
    expect(sent).toBe(400);
    expect({ refused, sum: ok + refused + cancelled }).toEqual({ refused: 0, sum: sent });
    expect(ok).toBeGreaterThan(sent / 2);
    expect(Math.max(...all.map(({ most }) => most))).toBeLessThanOrEqual(limit);
    expect(path.counted.received).toBeLessThanOrEqual(sent);
    const { endings } = path.counted;
    const ended = Object.values(endings).reduce((sum, count) => sum + count, 0);
    expect(ended).toBe(path.counted.received);
  });

  it('that lose pods with all they have hear of it, each once', async () => {
    const random = seeded(7);
    const chance = (): number => random.next();
    const path = await TestPath.with(busyPod(chance), { limit: 2 });
    const tally: Tally = { sent: 0, ok: 0, refused: 0, cancelled: 0 };
    const running = new Set<Promise<void>>();
    for (let round = 0; round < 200; round++) {
      const one = send(path, tally, chance);
      running.add(one);
      void one.finally(() => running.delete(one));
      if (round % 50 === 10) {
        const pod = await busyPod(chance);
        await path.add(pod);
        path.silence(pod);
        await pod.kill();
      }
      if (running.size > 20) await Promise.race(running);
    }
    await Promise.all(running);
    const { sent, ok, refused, cancelled } = tally;
    expect(ok + refused + cancelled).toBe(sent);
    await until(() => path.counted.underWay === 0);
    expect(path.counted.queued).toBe(0);
  });
});
