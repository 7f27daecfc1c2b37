// What an actor says when it is asked for its state, whole, in each mode; and what of that outlives
// the mode it was said in.
import { describe, expect, it } from 'vitest';
import { defaultStrategy } from '#actors/supervision/strategy.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage, type Stage } from '../fixtures/stage.ts';

const about = setKey('demo');
const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
/** Pauses of ten seconds, to the millisecond. */
const supervision = { ...defaultStrategy, backoff: { minMs: 10_000, maxMs: 10_000, jitter: 0 } };

async function waiting(): Promise<Stage> {
  const world = stage({ supervision });
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'wake' } });
  await world.reconciled();
  return world;
}

async function saidBy(world: Stage): Promise<JsonObject> {
  const { state: _, ...said } = await world.view(about);
  return said;
}

const alive = (world: Stage): JsonObject => ({
  key: 'podcliqueset/default/demo',
  machine: 'podcliqueset',
  mode: 'alive',
  value: 'active',
  uid: world.cluster.get(demo)?.metadata.uid ?? 'none',
  generation: world.cluster.get(demo)?.metadata.generation ?? 'none',
  ...{ restarts: 0, parked: false, error: '', mailbox: 0 },
  wakesAt: null,
});

describe('An actor that is asked for its state', () => {
  it('says whose it is, how it goes and when it looks again', async () => {
    const world = await waiting();
    const said = await saidBy(world);
    expect(said).toEqual({ ...alive(world), wakesAt: expect.any(Number) });
    expect(Number(said['wakesAt']) - world.clock.now()).toBeGreaterThan(4_000);
  });

  it('says of a generation of its object that it has seen', async () => {
    const world = await waiting();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1 } });
    await world.reconciled();
    expect(world.cluster.get(demo)?.metadata.generation).toBe(2);
    expect(await saidBy(world)).toEqual(alive(world));
  });

  it('says that it is parked and why, and waits for nothing', async () => {
    const world = await waiting();
    const payload = { reason: 'I look at it' };
    await world.system.ask({ about, question: 'park', payload });
    await world.clock.advance(20_000);
    expect(await saidBy(world)).toEqual({
      ...alive(world),
      ...{ mode: 'parked', value: null, parked: true, error: 'I look at it' },
    });
  });

  it('says when it starts again after a crash, also past the time that it waited for', async () => {
    const world = await waiting();
    await world.clock.advance(1_000);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'reconcile' } });
    await world.clock.advance(100);
    const crashed = await saidBy(world);
    expect(crashed).toEqual({
      ...alive(world),
      ...{ mode: 'waiting', value: null, restarts: 1, wakesAt: expect.any(Number) },
    });
    await world.clock.advance(6_000);
    expect(await saidBy(world)).toEqual(crashed);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await world.clock.advance(5_000);
    expect(await saidBy(world)).toEqual({ ...alive(world), restarts: 1 });
  });
});
