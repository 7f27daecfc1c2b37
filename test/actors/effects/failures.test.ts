// The failure matrix of writes: every kind of failure at every kind of write, once, on the way up
// and down of a set. Each row ends where it would have ended without the failure, at the time it
// should.
import { describe, expect, it } from 'vitest';
import type { Write } from '#actors/ports.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Fault } from '#test/support/fake-cluster.ts';
import { expectConverged, expectSafeWrites } from '../fixtures/checks.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

const spec = (replicas: number) => ({ spec: { replicas, pods: 2 } });

/** Runs a set up to two replicas and down to one, and lists anew at the end, as reflectors do; the
 *  first write of `op` meets the fault. */
async function run(op: Write['op'], fault: Fault) {
  const world = stage();
  let hits = 0;
  world.cluster.fault = (write) => (write.op === op && hits++ === 0 ? fault : undefined);
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', spec(2));
  await world.clock.advance(3_000);
  world.readyPods();
  await world.clock.advance(3_000);
  world.cluster.apply('PodCliqueSet', 'demo', spec(1));
  await world.clock.advance(3_000);
  for (const listed of world.cluster.observations()) world.system.observe(listed);
  await world.clock.advance(3_000);
  return { world, hits: () => hits };
}

const operations = ['create', 'patch', 'status', 'delete'] as const;
const quick: [string, Fault][] = [
  ['CONFLICT', { type: 'refuse', code: 'CONFLICT' }],
  ['NOT_FOUND that is not true', { type: 'refuse', code: 'NOT_FOUND' }],
  ['GONE', { type: 'refuse', code: 'GONE' }],
  ['THROTTLED', { type: 'refuse', code: 'THROTTLED', retryAfterMs: 1_000 }],
  ['SERVER_ERROR', { type: 'refuse', code: 'SERVER_ERROR' }],
  ['UNREACHABLE', { type: 'refuse', code: 'UNREACHABLE' }],
  ['UNAUTHORIZED', { type: 'refuse', code: 'UNAUTHORIZED' }],
  ['a lost reply', { type: 'lose' }],
  ['a late reply', { type: 'delay', ms: 900 }],
  ['a port that rejects', { type: 'reject' }],
];
const rows = operations.flatMap((op) => quick.map(([name, fault]) => ({ op, name, fault })));

describe('A write', () => {
  it.each(rows)('($op) that meets $name is made good within seconds', async ({ op, fault }) => {
    const { world, hits } = await run(op, fault);
    expect(hits()).toBeGreaterThan(0);
    expectConverged(world.cluster, 1, 2);
    expectSafeWrites(world.cluster);
  });

  it('tries again within five seconds however long nobody answered', async () => {
    const world = stage();
    let isAway = true;
    world.cluster.fault = () => (isAway ? { type: 'refuse', code: 'UNREACHABLE' } : undefined);
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 0 } });
    await world.clock.advance(600_000);
    isAway = false;
    await world.clock.advance(5_100);
    expect(world.cluster.list('PodClique')).toHaveLength(3);
  });

  it('that failed for want of its kind is tried at once when that is served', async () => {
    const world = stage();
    let isMissing = true;
    world.cluster.fault = ({ op }) =>
      isMissing && op === 'create' ? { type: 'refuse', code: 'NOT_FOUND' } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 0 } });
    await world.clock.advance(600_000);
    isMissing = false;
    world.system.served('Pod');
    await world.clock.advance(50);
    expect(world.cluster.list('PodClique')).toHaveLength(0);
    world.system.served('PodClique');
    await world.clock.advance(50);
    expect(world.cluster.list('PodClique')).toHaveLength(3);
  });

  it.each(operations)('(%s) whose reply is lost is not done twice', async (op) => {
    const { world } = await run(op, { type: 'lose' });
    const done = world.cluster.log.filter(
      ({ outcome, write }) => outcome.ok && write.op === 'create',
    );
    expect(done).toHaveLength(2 + 4);
    expectSafeWrites(world.cluster);
  });
});

describe('A create that is refused', () => {
  const terminal: [ErrorCode, number][] = [
    ['FORBIDDEN', 2_000],
    ['INVALID', 60_000],
  ];
  it('with FORBIDDEN again and again is in the end tried once a minute', async () => {
    const world = stage();
    world.cluster.fault = ({ op }) =>
      op === 'create' ? { type: 'refuse', code: 'FORBIDDEN' } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(10 * 60_000);
    const asked = world.cluster.log.filter(({ write }) => write.op === 'create').length;
    expect(asked).toBe([0, 2, 6, 14, 30, 62].length + 8);
  });

  it('with FORBIDDEN by a server that was away before is tried again as soon', async () => {
    const world = stage();
    let hits = 0;
    world.cluster.fault = ({ op }) => {
      if (op !== 'create' || hits > 2) return undefined;
      return { type: 'refuse', code: hits++ < 2 ? 'UNREACHABLE' : 'FORBIDDEN' };
    };
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(10_000);
    expect(hits).toBe(3);
    expect(world.cluster.list('PodClique')).toHaveLength(1);
  });

  it('with FORBIDDEN and a time to wait is tried again at that time', async () => {
    const world = stage();
    world.cluster.fault = ({ op }) =>
      op === 'create' ? { type: 'refuse', code: 'FORBIDDEN', retryAfterMs: 5_000 } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(59_000);
    const asked = world.cluster.log.filter(({ write }) => write.op === 'create').length;
    expect(asked).toBe(12);
  });

  it.each(terminal)('with %s is tried again after %i ms', async (code, ms) => {
    const world = stage();
    let hits = 0;
    world.cluster.fault = ({ op }) =>
      op === 'create' && hits++ === 0 ? { type: 'refuse', code } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(ms - 500);
    expect(world.cluster.list('PodClique')).toHaveLength(0);
    await world.clock.advance(1_000);
    expect(world.cluster.list('PodClique')).toHaveLength(1);
  });

  it.each(['TOO_LARGE', 'FORBIDDEN'] as const)(
    'with %s is tried again with a new generation of the own object',
    async (code) => {
      const world = stage();
      let isRefusing = true;
      world.cluster.fault = ({ op }) =>
        op === 'create' && isRefusing ? { type: 'refuse', code } : undefined;
      world.system.synced();
      world.cluster.apply('PodCliqueSet', 'demo', spec(1));
      await world.clock.advance(30_000);
      expect(world.cluster.list('PodClique')).toHaveLength(0);
      isRefusing = false;
      world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 3 } });
      await world.clock.advance(1_000);
      expectConverged(world.cluster, 1, 3);
    },
  );

  it('of an actor that has ended holds up no successor of its object', async () => {
    const world = stage();
    world.cluster.fault = ({ op, ref }) =>
      op === 'status' && ref.kind === 'PodClique'
        ? { type: 'refuse', code: 'SERVER_ERROR' }
        : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    // By then each pause is half a minute.
    await world.clock.advance(200_000);
    const [old] = world.cluster.list('PodClique');
    world.cluster.delete({ kind: 'PodClique', namespace: 'default', name: 'demo-0' });
    await world.clock.advance(1_000);
    const [next] = world.cluster.list('PodClique');
    expect(next?.metadata.uid).toBeDefined();
    expect(next?.metadata.uid).not.toBe(old?.metadata.uid);
  });

  it('with TOO_LARGE is not tried again by time alone', async () => {
    const world = stage();
    world.cluster.fault = ({ op }) =>
      op === 'create' ? { type: 'refuse', code: 'TOO_LARGE' } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(600_000);
    expect(world.cluster.log.filter(({ write }) => write.op === 'create')).toHaveLength(1);
    const why = await world.system.ask({ about: setKey('demo'), question: 'why', payload: {} });
    expect(why).toMatchObject({ data: { blocked: [{ code: 'TOO_LARGE', retryAt: null }] } });
  });

  it('is said with the time of the first failure in a row, until a success', async () => {
    const world = stage();
    let isRefused = true;
    world.cluster.fault = ({ op }) =>
      isRefused && op === 'create' ? { type: 'refuse', code: 'FORBIDDEN' } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', spec(1));
    await world.clock.advance(1_000);
    const [first] = world.system.blocked();
    await world.clock.advance(600_000);
    const creates = world.cluster.log.filter(({ write }) => write.op === 'create');
    expect(creates.length).toBeGreaterThan(2);
    const [still] = world.system.blocked();
    expect(first?.since).toBeDefined();
    expect(still?.since).toBe(first?.since);
    isRefused = false;
    await world.clock.advance(900_000);
    expect([...world.system.blocked()]).toEqual([]);
  });
});

describe('A create that finds the name taken', () => {
  it('by an object of another owner fails, backs off and succeeds when the name is free', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('Pod', 'demo-0-0', { spec: { foreign: true } });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.advance(5_000);
    const { state } = await world.view(cliqueKey('demo-0'));
    expect(state).toMatchObject({ failures: expect.arrayContaining(['create ALREADY_EXISTS']) });
    world.cluster.delete({ kind: 'Pod', namespace: 'default', name: 'demo-0-0' });
    await world.clock.advance(60_000);
    expect(world.cluster.list('Pod')[0]?.metadata.ownerReferences).toHaveLength(1);
  });

  it('by its own earlier attempt succeeds and observes the object', async () => {
    const world = stage({ watch: () => undefined });
    world.cluster.fault = ({ ref }) => (ref.kind === 'Pod' ? { type: 'lose' } : undefined);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    for (const each of world.cluster.observations()) world.system.observe(each);
    world.system.synced();
    await world.clock.advance(100);
    world.cluster.fault = () => undefined;
    await world.clock.advance(5_000);
    const view = await world.view(cliqueKey('demo-0'));
    const failures = ['create UNREACHABLE'];
    expect(view).toMatchObject({ state: { children: ['demo-0-0'], failures } });
    expect(world.cluster.list('Pod')).toHaveLength(1);
  });
});
