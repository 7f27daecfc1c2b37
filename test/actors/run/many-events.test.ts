// Ticks of the whole runtime under many events: a plan for each actor, not for each event.
import { describe, expect, it } from 'vitest';
import { cliqueKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

describe('A thousand pod events in one tick', () => {
  it('cost their owner one reconcile', async () => {
    const world = stage({ limits: { sliceSteps: 1e9 } });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1_000 } });
    await world.reconciled();
    const reconciles = () =>
      world.telemetry.calls.reconciled.filter(
        ({ controller }) => controller === 'podclique-controller',
      );
    const before = reconciles().length;
    const writes = world.cluster.log.length;
    world.readyPods();
    await world.clock.drain();
    expect(reconciles().length - before).toBe(1);
    await world.reconciled();
    const written = world.cluster.log
      .slice(writes)
      .map(({ write }) => `${write.op} ${write.ref.name}`);
    expect(written).toEqual(['status demo-0', 'status demo']);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mailbox: 0 });
  });

  it('for a deploy of 500 x 2, writes and reconciles stay near the number of objects', async () => {
    const world = stage({ bus: 'none' });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 500, pods: 2 } });
    await world.reconciled();
    world.readyPods();
    await world.reconciled();
    expect(world.cluster.list('Pod')).toHaveLength(1_000);
    expect(world.cluster.log.length).toBeLessThan(500 + 1_000 + 500 + 500 + 20);
    expect(world.telemetry.calls.reconciled.length).toBeLessThan(500 * 8);
  });
});
