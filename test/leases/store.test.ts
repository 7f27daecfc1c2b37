// The store of the lease protocol on the embedded API server: what is written can be read by
// people, every write is refused when the lease has changed, and the watch misses nothing.
import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import type { Draft, LeaseRecord, LeaseStore, StoreOutcome } from '#actors/shards/lease/records.ts';
import { object } from '#machines/kubernetes/json.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest, KubeTransport } from '#src/kube/transport/transport.ts';
import { leaseStore } from '#src/leases/store.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

async function scene() {
  const clock = new VirtualClock();
  // Without the simulated controllers: their certificates take real time, and they begin, with
  // creates of what is there, at any moment of a test.
  const cluster = createCluster({ clock, random: seeded(1), controllers: false });
  await waited(clock, cluster.start());
  onTestFinished(() => waited(clock, cluster.stop()));
  const transport = cluster.transport();
  const open = (through: KubeTransport = transport): LeaseStore =>
    leaseStore({
      transport: through,
      clock,
      namespace: 'default',
      durationSeconds: 15,
      timeoutMs: 2_000,
    });
  const run = (work: Promise<StoreOutcome>): Promise<StoreOutcome> => waited(clock, work);
  return { clock, cluster, transport, open, run };
}

/** Lets time pass until the promise is settled. */
async function waited<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  void work.then(over, over);
  for (let n = 0; n < 1_000 && !state.isOver; n++) await clock.advance(10);
  return work;
}

const member: Draft = {
  type: 'member',
  member: 'a-1',
  joinedAt: 1_700_000_000_000_001,
  leaving: false,
};
const shard: Draft = { type: 'shard', shard: 3, holder: 'a-1', epoch: 1, written: {} };

const stored = (outcome: StoreOutcome): LeaseRecord => {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.record;
};

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

describe('A stored lease', () => {
  it('says for people who holds what since when', async () => {
    const { open, run, transport, clock } = await scene();
    await run(open().create(member));
    const record = stored(await run(open().create(shard)));
    await run(open().update({ ...shard, holder: 'b-1', epoch: 2, written: { Pod: '17' } }, record));
    const { body } = await waited(
      clock,
      transport.request({ method: 'GET', path: `${leases}/coppice-shard-3` }),
    );
    expect(object(body)).toMatchObject({
      metadata: { annotations: { 'coppice.dev/written': '{"Pod":"17"}' } },
      spec: { holderIdentity: 'b-1', leaseTransitions: 2, leaseDurationSeconds: 15 },
    });
  });

  it('comes back as it was written', async () => {
    const { open, run } = await scene();
    const created = stored(await run(open().create(member)));
    expect(created).toMatchObject(member);
    const leaving = stored(await run(open().update({ ...member, leaving: true }, created)));
    expect(leaving).toMatchObject({ ...member, leaving: true, uid: created.uid });
    expect(stored(await run(open().update(member, leaving)))).toMatchObject({ leaving: false });
    const here = { ...member, address: 'https://10.0.0.7:2754' };
    const found = stored(await run(open().readMember('a-1')));
    const published = stored(await run(open().update(here, found)));
    expect(published).toMatchObject(here);
    expect(stored(await run(open().update(member, published)))).not.toHaveProperty('address');
    const held = stored(await run(open().create({ ...shard, written: { Pod: '9' } })));
    const free = stored(await run(open().update({ ...shard, holder: '' }, held)));
    expect(free).toMatchObject({ holder: '', written: {}, epoch: 1 });
  });

  it.each([
    'http://10.0.0.7:2754',
    'https://10.0.0.7:2754/path',
    'https://user@10.0.0.7:2754',
    'https://10.0.0.7:99999',
    '10.0.0.7',
  ])('with %s as an address has none', async (address) => {
    const { open, run } = await scene();
    const record = stored(await run(open().create({ ...member, address })));
    expect(record).not.toHaveProperty('address');
  });

  it('that has changed meanwhile is not written', async () => {
    const { open, run } = await scene();
    const first = stored(await run(open().create(shard)));
    await run(open().update({ ...shard, epoch: 2 }, first));
    expect(await run(open().update({ ...shard, epoch: 3 }, first))).toMatchObject({
      why: 'changed',
    });
    expect(await run(open().create(shard))).toMatchObject({ ok: false, why: 'changed' });
  });

  it('that was deleted is not made anew by a renewal', async () => {
    const { open, run } = await scene();
    const record = stored(await run(open().create(member)));
    expect(await run(open().remove('a-1', record))).toMatchObject({ ok: true });
    expect(await run(open().update(member, record))).toMatchObject({ ok: false, why: 'gone' });
    expect(await run(open().readMember('a-1'))).toMatchObject({ ok: false, why: 'gone' });
    expect(await run(open().remove('a-1', record))).toMatchObject({ ok: false, why: 'gone' });
  });

  it('of a member that has renewed is not deleted by who took it for dead', async () => {
    const { open, run } = await scene();
    const record = stored(await run(open().create(member)));
    await run(open().update(member, record));
    expect(await run(open().remove('a-1', record))).toMatchObject({ ok: false, why: 'changed' });
  });
});

describe('A store', () => {
  const name = `${leases}/coppice-member-a-1`;
  const of = { uid: 'u', version: '7' };
  const options = { apiVersion: 'v1', kind: 'DeleteOptions' };
  it.each<[string, (store: LeaseStore) => Promise<StoreOutcome>, KubeRequest]>([
    ['reads', (store) => store.readMember('a-1'), { method: 'GET', path: name }],
    [
      'removes',
      (store) => store.remove('a-1', of),
      {
        ...{ method: 'DELETE', path: name },
        body: { ...options, preconditions: { uid: 'u', resourceVersion: '7' } },
      },
    ],
    [
      'removes whatever its version',
      (store) => store.remove('a-1', { uid: 'u' }),
      { method: 'DELETE', path: name, body: { ...options, preconditions: { uid: 'u' } } },
    ],
    [
      'patches',
      (store) => store.update({ ...shard, holder: '' }, of),
      {
        method: 'PATCH',
        path: `${leases}/coppice-shard-3`,
        contentType: 'application/merge-patch+json',
        body: {
          metadata: {
            ...{ uid: 'u', resourceVersion: '7' },
            annotations: { 'coppice.dev/written': null },
          },
          spec: {
            ...{ holderIdentity: null, leaseDurationSeconds: 15, leaseTransitions: 1 },
            acquireTime: '2026-01-01T00:00:00.000000Z',
          },
        },
      },
    ],
  ])('%s a lease with the one request that names it', async (_what, act, expected) => {
    const requests: KubeRequest[] = [];
    const through: KubeTransport = {
      request: ({ signal: _, ...request }) => {
        requests.push(request);
        return Promise.resolve({ status: 200, headers: {}, body: { kind: 'Status' } });
      },
      watch: () => () => {},
    };
    const times = { durationSeconds: 15, timeoutMs: 2_000 };
    const clock = new VirtualClock();
    await act(leaseStore({ transport: through, clock, namespace: 'default', ...times }));
    expect(requests).toEqual([expected]);
    expect(clock.pending).toBe(0);
  });

  it('knows of a lease that it removed what it was told of it', async () => {
    const { open, run } = await scene();
    const { uid, version } = stored(await run(open().create(member)));
    expect(await run(open().remove('a-1', { uid: 'another', version }))).toMatchObject({
      why: 'changed',
    });
    expect(await run(open().remove('a-1', { uid, version }))).toEqual({
      ok: true,
      record: { type: 'member', member: 'a-1', uid, version, joinedAt: 0, leaving: true },
    });
  });
});

describe('A request', () => {
  it('without an answer in time is given up as unknown', async () => {
    const { open, clock } = await scene();
    const silent: KubeTransport = { request: () => new Promise(() => {}), watch: () => () => {} };
    const outcome = open(silent).create(member);
    await clock.advance(2_000);
    expect(await outcome).toMatchObject({ ok: false, why: 'unknown' });
  });

  it.each([
    [403, 'refused'],
    [429, 'refused'],
    [500, 'unknown'],
    [504, 'unknown'],
  ])('answered with %i is %s', async (status, why) => {
    const { open, run } = await scene();
    const answering: KubeTransport = {
      request: () => Promise.resolve({ status, headers: {}, body: {} }),
      watch: () => () => {},
    };
    expect(await run(open(answering).create(member))).toMatchObject({ ok: false, why });
  });
});

describe('Whoever follows the leases', () => {
  it('is told what there is, and then every change in order', async () => {
    const { open, run, clock } = await scene();
    const record = stored(await run(open().create(member)));
    const told: string[] = [];
    const followed = open().follow({
      listed: (records) => told.push(`listed ${records.length}`),
      seen: (seen) => told.push(`seen ${seen.type}`),
      gone: (seen) => told.push(`gone ${seen.type}`),
    });
    await clock.advance(100);
    await run(open().create(shard));
    await run(open().remove('a-1', record));
    await clock.advance(100);
    expect(told).toEqual(['listed 1', 'seen shard', 'gone member']);
    followed.stop();
    await run(open().create(member));
    expect(told).toHaveLength(3);
  });

  it('lists again when the watch ends, and when it has been silent for long', async () => {
    const { open, transport, clock } = await scene();
    let watches = 0;
    const breaking: KubeTransport = {
      request: (request) => transport.request(request),
      watch: (path, sink) => {
        watches++;
        if (watches > 1) return () => undefined; // half open
        return transport.watch(path, { ...sink, event: () => sink.closed({ kind: 'ended' }) });
      },
    };
    let lists = 0;
    const ignore = (): void => undefined;
    const sink = { listed: () => void lists++, seen: ignore, gone: ignore };
    const followed = open(breaking).follow(sink);
    await clock.advance(100);
    await open().create(shard);
    await clock.advance(1_000);
    expect([lists, watches]).toEqual([2, 2]);
    await clock.advance(11_000);
    expect([lists, watches]).toEqual([3, 3]);
    followed.stop();
    await clock.advance(60_000);
    expect(lists).toBe(3);
  });
});

describe('Processes on one API server', () => {
  it('share, hand over and take over without one answer of 409', async () => {
    const { open, clock, cluster } = await scene();
    const codes = new Map<number, number>();
    cluster.requests.onRequest(({ code, resource }) => {
      if (resource === 'leases') codes.set(code, (codes.get(code) ?? 0) + 1);
    });
    const terms = { shards: 6, durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
    const start = (name: string): LeaseKeeper => {
      let lives = 0;
      const newMember = (): string => `${name}-${++lives}`;
      const log = (): void => undefined;
      const keeper = new LeaseKeeper(terms, { store: open(), clock, log, newMember });
      keeper.start();
      return keeper;
    };
    const held = (...keepers: LeaseKeeper[]): number[] => keepers.map((each) => each.state().held);
    const [a, b] = [start('a'), start('b')];
    await clock.advance(5_000);
    expect(held(a, b)).toEqual([3, 3]);
    const c = start('c');
    await clock.advance(5_000);
    expect(held(a, b, c)).toEqual([2, 2, 2]);
    await waited(clock, a.leave());
    await clock.advance(1_000);
    expect(held(a, b, c)).toEqual([0, 3, 3]);
    await clock.advance(30_000);
    expect(codes.get(201)).toBeGreaterThan(6);
    expect(codes.get(409)).toBeUndefined();
    await waited(clock, Promise.all([b.leave(), c.leave()]));
  });
});
