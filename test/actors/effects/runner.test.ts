// The effect runner: order, bounds, pauses, statuses, leases and the end. The failures of single
// writes are in failures.test.ts.
import { describe, expect, it } from 'vitest';
import type { ShardLease } from '#actors/ports.ts';
import { expectConverged, expectSafeWrites } from '../fixtures/checks.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { refusingFirstPod } from '../fixtures/refused.ts';
import { stage } from '../fixtures/stage.ts';

const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
const clique = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;

describe('The effect runner', () => {
  it('keeps one write in flight per object and the limits per kind and overall', async () => {
    const world = stage({ limits: { writesInFlight: 8, writesInFlightPerKind: 5 } });
    const perKind = { most: 0, now: 0 };
    world.cluster.fault = ({ ref }) => {
      if (ref.kind === 'Pod') {
        perKind.most = Math.max(perKind.most, ++perKind.now);
        world.clock.at(world.clock.now() + 1, () => perKind.now--);
      }
      return undefined;
    };
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 20, pods: 5 } });
    await world.reconciled();
    expect(world.cluster.mostInFlight).toBe(8);
    expect(perKind.most).toBeLessThanOrEqual(5);
    expectConverged(world.cluster, 20, 0 + 5);
    expectSafeWrites(world.cluster);
  });

  it('finishes what was begun first: pods of the first clique before the last clique', async () => {
    const world = stage({ limits: { writesInFlight: 2, writesInFlightPerKind: 2 } });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 30, pods: 1 } });
    await world.reconciled();
    const creates = world.cluster.log.filter(({ write }) => write.op === 'create');
    const at = (name: string) => creates.findIndex(({ write }) => write.ref.name === name);
    expect(at('demo-0-0')).toBeLessThan(at('demo-8'));
    expect(at('demo-20-0')).toBeLessThan(at('demo-29'));
  });

  it('slows a whole kind down after a 429 and leaves the other kinds alone', async () => {
    const world = refusingFirstPod();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.advance(100);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 40, pods: 1 } });
    await world.clock.advance(5_000);
    expect(world.cluster.list('PodClique')).toHaveLength(40);
    expect(world.cluster.list('Pod')).toHaveLength(0);
    await world.clock.advance(7_000);
    expectConverged(world.cluster, 40, 1);
  });

  it('backs off longer with every failure, and forgets that with a success', async () => {
    const world = stage();
    const attempts: number[] = [];
    world.cluster.fault = ({ op }) => {
      if (op !== 'create') return undefined;
      attempts.push(world.clock.now());
      return attempts.length < 8 ? { type: 'refuse', code: 'SERVER_ERROR' } : undefined;
    };
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 0 } });
    await world.clock.advance(120_000);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(attempts).toHaveLength(8);
    expect(pauses[0]).toBeLessThanOrEqual(202);
    pauses.forEach((pause, index) => {
      expect(pause).toBeGreaterThanOrEqual(100 * 2 ** index);
      expect(pause).toBeLessThanOrEqual(200 * 2 ** index + 3);
    });
    const failed = await world.view(setKey('demo'));
    expect(failed).toMatchObject({ state: { failures: Array(7).fill('create SERVER_ERROR') } });
  });
});

describe('A write that conflicts', () => {
  it('again and again backs off after the first time', async () => {
    const world = stage();
    world.cluster.fault = ({ op }) =>
      op === 'patch' ? { type: 'refuse', code: 'CONFLICT' } : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await world.clock.advance(10_000);
    const attempts = world.cluster.log.filter(({ write }) => write.op === 'patch').length;
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThan(12);
  });
});

describe('A status', () => {
  it('that is lazy is written at most once a second and overtaken by its successor', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 20 } });
    await world.reconciled();
    const before = world.cluster.log.length;
    const start = world.clock.now();
    for (const pod of world.cluster.list('Pod').slice(0, 19)) {
      const { name } = pod.metadata;
      world.cluster.setStatus({ kind: 'Pod', namespace: 'default', name }, { isReady: true });
      await world.clock.advance(100);
    }
    await world.reconciled();
    const seconds = (world.clock.now() - start) / 1_000;
    const writes = world.cluster.log
      .slice(before)
      .filter(({ write }) => write.ref.name === 'demo-0');
    expect(writes.length).toBeGreaterThan(1);
    expect(writes.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
    expect(world.cluster.get(clique)?.['status']).toMatchObject({ ready: 19 });
  });

  it('that others act on goes at once, also when a lazy one waits', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 2 } });
    await world.reconciled();
    world.cluster.setStatus(
      { kind: 'Pod', namespace: 'default', name: 'demo-0-0' },
      { isReady: true },
    );
    await world.clock.advance(5);
    world.cluster.setStatus(
      { kind: 'Pod', namespace: 'default', name: 'demo-0-1' },
      { isReady: true },
    );
    await world.clock.advance(5);
    expect(world.cluster.get(clique)?.['status']).toMatchObject({ ready: 2, isReady: true });
  });

  it('is written again when somebody else changed it', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    world.cluster.setStatus(clique, { ready: 99 });
    await world.reconciled();
    expect(world.cluster.get(clique)?.['status']).toMatchObject({ ready: 0 });
  });

  it('that conflicts is counted and written on the newest version (R23, C9)', async () => {
    const world = stage({ watch: () => undefined });
    world.cluster.apply(
      'PodCliqueSet',
      'demo',
      { spec: { replicas: 0 } },
      { finalizers: ['test/hold'] },
    );
    for (const each of world.cluster.observations()) world.system.observe(each);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } }, { labels: { a: 'b' } });
    world.system.synced();
    await world.reconciled();
    expect(world.cluster.get(demo)?.['status']).toMatchObject({ replicas: 0 });
    expect(world.telemetry.calls.statusConflict).toEqual([
      { controller: 'podcliqueset-controller', targetKind: 'PodCliqueSet' },
    ]);
    expect(world.cluster.log.map(({ outcome }) => outcome.ok)).toEqual([false, true]);
  });
});

describe('A reply', () => {
  it('is observed before the actor hears that its write is done', async () => {
    const world = stage({ watch: () => undefined });
    world.cluster.apply(
      'PodCliqueSet',
      'demo',
      { spec: { replicas: 1 } },
      { finalizers: ['test/hold'] },
    );
    for (const each of world.cluster.observations()) world.system.observe(each);
    world.system.synced();
    await world.reconciled();
    const { state } = await world.view(setKey('demo'));
    expect(state).toMatchObject({ children: ['demo-0'] });
    const creates = world.cluster.log.filter(({ write }) => write.op === 'create');
    expect(creates.map(({ write }) => write.ref.name)).toEqual(['demo-0', 'demo-0-0']);
  });
});

describe('Without the lease', () => {
  const lease = (): ShardLease & { held: boolean; era: number; tell: (held: boolean) => void } => {
    const listeners: ((shard: number, held: boolean) => void)[] = [];
    const self = {
      shards: 1,
      held: true,
      era: 1,
      holds: () => self.held,
      epoch: () => self.era,
      onChange: (listener: (shard: number, held: boolean) => void) => {
        listeners.push(listener);
        return () => undefined;
      },
      tell: (held: boolean) => {
        self.held = held;
        for (const listener of listeners) listener(0, held);
      },
    };
    return self;
  };

  it('a write is refused with NOT_OWNER and sent when the lease is held again', async () => {
    const shard = lease();
    const world = stage({ lease: shard });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    const writes = world.cluster.log.length;
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.clock.drain();
    shard.held = false;
    world.cluster.delete({ kind: 'Pod', namespace: 'default', name: 'demo-0-0' });
    await world.clock.advance(10_000);
    const sent = world.cluster.log.slice(writes).map(({ write }) => write.ref.name);
    expect(sent).not.toContain('demo-0-0');
    shard.held = true;
    for (const each of world.cluster.observations()) world.system.observe(each);
    await world.clock.advance(60_000);
    expect(world.cluster.list('PodClique')).toHaveLength(2);
    expectSafeWrites(world.cluster);
  });

  it('the actors of a shard end, and start from the cache when it comes back', async () => {
    const shard = lease();
    const world = stage({ lease: shard });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    shard.tell(false);
    expect(world.system.tree()).toMatchObject({ actors: 0 });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 1 } });
    await world.reconciled();
    expect(world.cluster.list('PodClique')).toHaveLength(2);
    shard.era = 2;
    shard.tell(true);
    await world.reconciled();
    expectConverged(world.cluster, 3, 1);
  });

  it('a write that waited over a change of epoch is not sent as it was', async () => {
    const shard = lease();
    const world = stage({ lease: shard, limits: { writesInFlight: 1, writesInFlightPerKind: 1 } });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    world.cluster.latencyMs = 50;
    await world.clock.drain();
    shard.era = 2;
    await world.clock.advance(60_000);
    expectConverged(world.cluster, 2, 1);
    expect(world.telemetry.calls.reconcileError).toEqual([]);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mode: 'alive' });
    expect(await world.view(setKey('demo'))).toMatchObject({
      state: { failures: expect.arrayContaining(['create NOT_OWNER']) },
    });
  });
});

describe('Stopping', () => {
  it('sends nothing more and waits for what is in flight', async () => {
    const world = stage({ limits: { writesInFlight: 4 } });
    world.cluster.latencyMs = 50;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 20, pods: 1 } });
    await world.clock.drain();
    expect(world.cluster.inFlight).toBe(4);
    let stopped = false;
    const stopping = world.system.stop().then(() => (stopped = true));
    await world.clock.advance(40);
    expect(stopped).toBe(false);
    await world.clock.advance(20);
    await stopping;
    await world.clock.advance(120_000);
    expect(world.cluster.log).toHaveLength(4);
    const { pending } = world.clock;
    expect(pending).toBe(0);
  });

  it('does not wait for ever', async () => {
    const world = stage({ limits: { stopMs: 2_000 } });
    world.cluster.latencyMs = 1e9;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.drain();
    const stopping = world.system.stop();
    await world.clock.advance(2_000);
    await stopping;
    const answer = await world.system.ask({ about: setKey('demo'), question: 'why', payload: {} });
    expect(answer).toMatchObject({ ok: false, code: 'STOPPING' });
  });
});
