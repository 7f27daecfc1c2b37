// Profiles of a running process: taken for real, on a virtual clock.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { profilingRoutes } from '#src/http/profiling.ts';
import type { Reply } from '#src/http/server.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const clock = new VirtualClock();
const routes = profilingRoutes(clock);
const ask = (path: string, query = ''): Promise<Reply> =>
  Promise.resolve(routes[path]?.(new URLSearchParams(query), path) ?? notThere);
const notThere: Reply = { status: 404, type: '', body: '' };

/** Lets time pass once the profiler has started and asked for it. */
async function whole(reply: Promise<Reply>): Promise<Reply> {
  while (clock.pending === 0) await clock.drain();
  await clock.advance(30_000);
  return reply;
}

describe('A profile', () => {
  it('of CPU time is one that V8 writes', async () => {
    const { status, body } = await whole(ask('/debug/pprof/profile', 'seconds=2'));
    expect(status).toBe(200);
    expect(list(at(JSON.parse(body), 'nodes')).length).toBeGreaterThan(0);
  });

  it('of memory too', async () => {
    const { status, body } = await whole(ask('/debug/pprof/heap', 'seconds=2'));
    expect(status).toBe(200);
    expect(at(JSON.parse(body), 'head')).toBeDefined();
  });

  it('is taken one at a time (R71)', async () => {
    const first = ask('/debug/pprof/profile');
    expect(await ask('/debug/pprof/heap')).toMatchObject({ status: 409 });
    expect(await whole(first)).toMatchObject({ status: 200 });
  });

  it.each(['seconds=0', 'seconds=301', 'seconds=x', 'seconds=1.5'])(
    'with %s is refused with what would be right',
    async (query) => {
      const { status, body } = await ask('/debug/pprof/profile', query);
      expect(status).toBe(400);
      expect(body).toContain('must be a whole number from 1 to 300');
    },
  );

  it('is found from an index', async () => {
    expect((await ask('/debug/pprof/')).body).toContain('/debug/pprof/heap');
  });
});
