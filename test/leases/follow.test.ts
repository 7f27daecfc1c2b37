// How leases are followed: what each event of a watch, and each end of a list, leads to, and when.
import { describe, expect, it } from 'vitest';
import type { LeaseRecord } from '#actors/shards/lease/records.ts';
import type { KubeResponse, WatchSink } from '#src/kube/transport/transport.ts';
import { Following } from '#src/leases/follow.ts';
import { leaseBody } from '#src/leases/objects.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const draft = { type: 'shard', shard: 3, holder: 'a-1', epoch: 1, written: {} } as const;
const lease = (version: string) => {
  const body = leaseBody(draft, { namespace: 'default', durationSeconds: 15, now: 0 });
  const { metadata, ...rest } = body as { metadata: object };
  return { ...rest, metadata: { ...metadata, uid: 'u', resourceVersion: version } };
};

const listOf = (version: string, ...items: readonly object[]): KubeResponse => ({
  status: 200,
  headers: {},
  body: { metadata: { resourceVersion: version }, items },
});
const failed: KubeResponse = { status: 500, headers: {}, body: {} };

interface Watch {
  readonly path: string;
  readonly sink: WatchSink;
  closes: number;
}

function scene(answers: (KubeResponse | Error)[] = [], endsAtOnce = false) {
  const clock = new VirtualClock();
  const lists: string[] = [];
  const watches: Watch[] = [];
  const heard: string[] = [];
  const note =
    (what: string) =>
    (record: LeaseRecord): void =>
      void heard.push(`${what} ${record.version}`);
  const following = new Following(
    '/leases?labels',
    {
      listed: (records, version) =>
        void heard.push(`listed ${records.map((one) => one.version).join()} at ${version}`),
      seen: note('seen'),
      gone: note('gone'),
    },
    {
      clock,
      transport: {
        request: () => Promise.reject(new Error('not this way')),
        watch: (path, sink) => {
          const watch: Watch = { path, sink, closes: 0 };
          watches.push(watch);
          if (endsAtOnce) sink.closed({ kind: 'ended' });
          return () => void watch.closes++;
        },
      },
      request: ({ method, path }) => {
        lists.push(`${method} ${path}`);
        const answer = answers.shift() ?? listOf('7', lease('5'));
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
  );
  const last = (): Watch => watches.at(-1) ?? expect.fail('no watch is open');
  return { clock, lists, watches, heard, following, last };
}

describe('Leases that are followed', () => {
  it('are listed, and watched from there', async () => {
    const { clock, lists, heard, last } = scene();
    await clock.drain();
    expect(lists).toEqual(['GET /leases?labels']);
    expect(heard).toEqual(['listed 5 at 7']);
    expect(last().path).toBe('/leases?labels&watch=true&resourceVersion=7&timeoutSeconds=290');
  });

  it.each([
    ['a status that is an error', failed],
    ['no version', { ...listOf('7'), body: { items: [] } }],
    ['no answer', new Error('reset')],
  ])('are listed again after 250 ms where a list has %s', async (_what, answer) => {
    const { clock, lists, heard } = scene([answer]);
    await clock.advance(249);
    expect([lists.length, heard]).toEqual([1, []]);
    await clock.advance(1);
    expect([lists.length, heard]).toEqual([2, ['listed 5 at 7']]);
  });

  it.each([
    ['ADDED', ['seen 8'], 10_000],
    ['MODIFIED', ['seen 8'], 10_000],
    ['DELETED', ['gone 8'], 10_000],
    ['BOOKMARK', [], 10_000],
    ['ERROR', [], 10_000],
  ])(
    'that a watch says are %s lead to %j, and the next list %i ms later',
    async (type, told, ms) => {
      const { clock, lists, heard, last } = scene();
      await clock.drain();
      await clock.advance(6_000);
      last().sink.event({ type, object: lease('8') });
      expect(heard.slice(1)).toEqual(told);
      await clock.advance(ms - 1);
      expect(lists).toHaveLength(1);
      await clock.advance(1);
      expect(lists).toHaveLength(2);
    },
  );

  it.each([
    ['an error', 'ERROR', 250],
    ['what is no lease of ours', 'MODIFIED', 10_000],
  ])('are listed anew after %s', async (_what, type, ms) => {
    const { clock, lists, heard, last } = scene();
    await clock.drain();
    last().sink.event({ type, object: { code: 410 } });
    expect(heard).toHaveLength(1);
    await clock.advance(ms - 1);
    expect(lists).toHaveLength(1);
    await clock.advance(1);
    expect(lists).toHaveLength(2);
  });

  it('close the watch before each list, once, and hear nothing of it any more', async () => {
    const { clock, lists, watches, heard, following } = scene();
    await clock.drain();
    for (let n = 1; n <= 3; n++) {
      following.refresh();
      following.refresh();
      await clock.drain();
      expect(lists).toHaveLength(n + 1);
      expect(watches.map(({ closes }) => closes)).toEqual([...Array(n).fill(1), 0]);
    }
    const before = [...heard];
    for (const { sink } of watches.slice(0, -1)) {
      sink.event({ type: 'MODIFIED', object: lease('9') });
      sink.closed({ kind: 'ended' });
    }
    expect(heard).toEqual(before);
    await clock.advance(9_999);
    expect(watches).toHaveLength(4);
  });

  it('are listed 250 ms after the end of their watch', async () => {
    const { clock, lists, last } = scene();
    await clock.drain();
    last().sink.closed({ kind: 'ended' });
    await clock.advance(249);
    expect(lists).toHaveLength(1);
    await clock.advance(1);
    expect(lists).toHaveLength(2);
  });

  it('are listed 250 ms after a watch that ends before it has begun', async () => {
    const { clock, lists } = scene([], true);
    await clock.advance(249);
    expect(lists).toHaveLength(1);
    await clock.advance(1);
    expect(lists).toHaveLength(2);
  });

  it('leave nothing behind when they are followed no longer', async () => {
    const { clock, lists, watches, heard, following, last } = scene();
    await clock.drain();
    following.stop();
    expect(last().closes).toBe(1);
    expect(clock.pending).toBe(0);
    following.refresh();
    last().sink.event({ type: 'MODIFIED', object: lease('9') });
    await clock.advance(60_000);
    expect([lists.length, watches.length, heard.length]).toEqual([1, 1, 1]);
  });

  it('close a watch once, also where they end while the next list is under way', async () => {
    const { clock, watches, following } = scene();
    await clock.drain();
    following.refresh();
    following.stop();
    await clock.advance(60_000);
    expect(watches.map(({ closes }) => closes)).toEqual([1]);
  });

  it('hear nothing of a list that ends after they are followed no longer', async () => {
    const { clock, watches, heard, following } = scene();
    following.stop();
    await clock.advance(60_000);
    expect([heard, watches]).toEqual([[], []]);
    expect(clock.pending).toBe(0);
  });
});
