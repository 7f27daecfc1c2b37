// What is told of each reconcile: how it ended, how long it waited, which one it was, and what was
// decided in it.
import { describe, expect, it } from 'vitest';
import type { ReconcileListener } from '#actors/run/reconciles.ts';
import { list } from '#machines/kubernetes/json.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage, type Stage } from '../fixtures/stage.ts';

const about = setKey('demo');
const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;

async function withSpec(spec: object, options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const world = stage(options);
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, ...spec } });
  await world.clock.advance(100);
  return world;
}

describe('A reconcile', () => {
  it.each([
    ['that waits for nothing', {}, 'success'],
    ['that has a time to look again', { poison: 'wake' }, 'requeue_after'],
    ['that throws', { poison: 'reconcile' }, 'error'],
  ])('%s is counted as such', async (_what, spec, result) => {
    const { telemetry } = await withSpec(spec);
    const results = telemetry.calls.reconciled.map((one) => [one.controller, one.result]);
    expect(new Set(results.map((one) => one.join(' ')))).toEqual(
      new Set([`podcliqueset-controller ${result}`]),
    );
    expect(telemetry.calls.reconciled.every(({ seconds }) => seconds === 0)).toBe(true);
  });

  it('is told of from its beginning to its end, by the id that its writes name', async () => {
    const told: string[] = [];
    const reconciles: ReconcileListener = {
      began: ({ name }, controller) => void told.push(`${controller} began ${name}`),
      ended: (id) => void told.push(`ended ${id === '' ? 'without intents' : 'with'}`),
    };
    const world = await withSpec({ replicas: 1, pods: 0 }, { reconciles });
    expect(told.slice(0, 2)).toEqual(['podcliqueset-controller began demo', 'ended with']);
    expect(told.length % 2).toBe(0);
    expect(told.filter((_, index) => index % 2 === 0).every((one) => one.includes('began'))).toBe(
      true,
    );
    const ids = world.facts.flatMap(({ what, data }) => (what === 'wrote' ? [data] : []));
    expect(ids.every(({ reconcileId }) => String(reconcileId).startsWith('i'))).toBe(true);
  });

  it('leaves the last few of its decisions, each with its reason', async () => {
    const world = await withSpec({ replicas: 3, pods: 1 }, { limits: { decisionsKept: 2 } });
    await world.reconciled();
    world.cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    world.cluster.delete(demo);
    await world.clock.advance(10_000);
    const decided = world.facts.filter(({ what }) => what === 'decided');
    expect(decided.length).toBeGreaterThan(2);
    expect(decided[0]).toMatchObject({
      about,
      data: { what: 'drain', why: 'it is being deleted' },
    });
    const why = await world.system.ask({ about, question: 'why', payload: {} });
    expect(why.ok && list(why.data['decisions'])).toEqual(
      Array.from({ length: 2 }, () => ({
        ...{ at: expect.any(Number), what: 'drain' },
        why: 'it is being deleted',
      })),
    );
  });
});
