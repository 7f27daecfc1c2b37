// The work queue of a simulated daemon: its back-off, its one worker, and which failures are tried
// again.
import { describe, expect, test } from 'vitest';
import { backoffMs, WorkQueue } from './work-queue.ts';

const middle = { next: () => 0.5 };

/** Keeps what is delayed until it is let go. */
function held() {
  const waiting: { ms: number; run: () => void }[] = [];
  const go = async (): Promise<number[]> => {
    const these = waiting.splice(0);
    for (const { run } of these) run();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return these.map(({ ms }) => ms);
  };
  return { delay: (ms: number, run: () => void) => void waiting.push({ ms, run }), go };
}

test('The back-off doubles from 5 ms to 6 s, give or take a quarter', () => {
  expect([0, 1, 2, 10, 11, 40].map((failures) => backoffMs(failures, middle))).toEqual([
    5, 10, 20, 5120, 6000, 6000,
  ]);
  expect(backoffMs(0, { next: () => 0 })).toBe(3.75);
  expect(backoffMs(0, { next: () => 1 })).toBe(6.25);
});

describe('A work queue', () => {
  test('tries a failed item again, and later each time', async () => {
    const { delay, go } = held();
    const queue = new WorkQueue(middle, delay);
    let runs = 0;
    queue.add('key', () =>
      ++runs < 3 ? Promise.reject(new Error('conflict')) : Promise.resolve(),
    );
    const delays = [await go(), await go(), await go(), await go()];
    expect(delays).toEqual([[5], [10], [20], []]);
    expect(runs).toBe(3);
  });

  test('drops a failed item that a newer one of its key follows, and runs both once', async () => {
    const { delay, go } = held();
    const queue = new WorkQueue(middle, delay);
    const ran: string[] = [];
    const failing = (name: string) => () => {
      ran.push(name);
      return Promise.reject(new Error('conflict'));
    };
    queue.add('clique', failing('old'));
    queue.add('clique', failing('new'));
    queue.add('pod', failing('pod'));
    await go();
    expect(ran).toEqual(['old', 'new', 'pod']);
    expect(await go()).toEqual([10, 10]);
    expect(ran).toEqual(['old', 'new', 'pod', 'new', 'pod']);
  });

  test('runs nothing after its end', async () => {
    const { delay, go } = held();
    const queue = new WorkQueue(middle, delay);
    let runs = 0;
    queue.add('key', () => Promise.resolve(void runs++));
    queue.close();
    await go();
    expect(runs).toBe(0);
  });
});
