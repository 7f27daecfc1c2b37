// Workers as real threads on real sockets: a pod never has more requests than its limit, whichever
// of them the requests come to, and a thread that dies takes no others' requests with it.
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { RequestPathOptions } from '#src/activator/proxy/options.ts';
import { startWorkers } from '#src/activator/workers/pool.ts';
import { systemClock } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { podOf } from '#test/activator/proxy/support/backends.ts';
import { TestPath } from '#test/activator/proxy/support/path.ts';

const file = new URL('../../../src/activator/workers/thread.ts', import.meta.url);
/** It throws where nobody catches. */
const unreadable = null;
const after = (ms: number, run: () => void) => systemClock.at(systemClock.now() + ms, run);

async function stage(count: number, limit: number, workMs = 5, port = 0) {
  const threads: Worker[] = [];
  const pods = await Promise.all(
    [1, 2].map(() => podOf((_, response) => void after(workMs, () => response.end('hello')))),
  );
  const startPath = ({ pods: _, rules, requestLog: __, ...options }: RequestPathOptions & Parts) =>
    startWorkers({
      podNameOf: () => '',
      limits: {},
      requestLogTemplate: undefined,
      ...options,
      count,
      rules: { find: rules, onChange: () => {} },
      spawn: (setup) => {
        const thread = new Worker(file, { workerData: setup });
        threads.push(thread);
        return thread;
      },
      times: { firstMs: 1 },
    });
  const path = await TestPath.start({
    limit,
    startPath,
    listen: { host: '127.0.0.1', http: port },
  });
  for (const pod of pods) await path.add(pod);
  const isKnown = async () => (await path.ask()).status === 200;
  for (let row = 0; row < 20;) row = (await isKnown()) ? row + 1 : 0;
  return { threads, pods, path };
}

type Parts = Pick<Parameters<typeof startWorkers>[0], 'plane' | 'figures'>;

describe('Requests that come to several threads', () => {
  it.each([
    { count: 2, limit: 1 },
    { count: 3, limit: 4 },
  ])('with $count of them never give a pod more than $limit at once', async ({ count, limit }) => {
    const { path, pods } = await stage(count, limit);
    const answers = await Promise.all(Array.from({ length: 200 }, () => path.ask()));
    expect(answers.filter(({ status, isWhole }) => status !== 200 || !isWhole)).toEqual([]);
    expect(pods.map(({ most }) => most)).toEqual([limit, limit]);
    const seen = pods.reduce((sum, pod) => sum + pod.seen, 0);
    await eventually(
      'all counted',
      () => path.counted.endings.answered,
      (answered) => answered === seen,
    );
  });

  it('are lost with a thread that dies, and no others are; then it is there again', async () => {
    const { path, threads } = await stage(2, 1, 20);
    const { answered } = path.counted.endings;
    const asked = Array.from({ length: 100 }, () =>
      path.ask().then(
        ({ status }) => status,
        () => 'lost',
      ),
    );
    await eventually(
      'on the way',
      () => path.counted.endings.answered - answered,
      (more) => more >= 10,
    );
    threads[0]?.postMessage([unreadable]);
    const outcomes = await Promise.all(asked);
    const [served, lost] = [200, 'lost'].map((what) => outcomes.filter((one) => one === what));
    expect((served?.length ?? 0) + (lost?.length ?? 0)).toBe(100);
    expect(lost?.length).toBeGreaterThan(0);
    expect(served?.length).toBeGreaterThan(30);
    await eventually(
      'nothing held',
      () => path.requests.admission.table.figures.active + path.counted.underWay,
      (held) => held === 0,
    );
    const { received, endings } = path.counted;
    const ended = Object.values(endings).reduce((sum, one) => sum + one, 0);
    expect(ended).toBe(received);
    await eventually(
      'a third thread',
      () => threads.length,
      (count) => count === 3,
    );
    for (let row = 0; row < 20;) row = (await path.ask()).status === 200 ? row + 1 : 0;
  });

  it('do not share their port with another activator that has workers too', async () => {
    const { path } = await stage(2, 1);
    const { http } = path.path.ports;
    await expect(stage(2, 1, 5, http)).rejects.toThrow(`port ${http} of 127.0.0.1 (http) is taken`);
  });
});
