// When the writes of a tick are sent: in a chain of answers each at once, else all at its end.
import { describe, expect, it } from 'vitest';
import type { ReconcileListener } from '#actors/run/reconciles.ts';
import { stage } from '../fixtures/stage.ts';

/** How many writes were under way when the second of two new sets came to reconcile. */
async function sentBeforeSecond(replicas: number): Promise<number | undefined> {
  const sent = new Map<string, number>();
  const reconciles: ReconcileListener = {
    began: ({ kind, name }) => {
      if (kind === 'podcliqueset' && !sent.has(name)) sent.set(name, world.cluster.mostInFlight);
    },
    ended: () => {},
  };
  const world = stage({ reconciles });
  for (const name of ['first', 'second']) {
    world.cluster.apply('PodCliqueSet', name, { spec: { replicas, pods: 1 } });
  }
  world.system.synced();
  await world.reconciled();
  expect(sent.get('first')).toBe(0);
  return sent.get('second');
}

describe('A write', () => {
  it('is sent before the next actor of its tick has its turn', async () => {
    expect(await sentBeforeSecond(1)).toBeGreaterThan(0);
  });

  it('waits for the end of the tick where many are asked for, and goes by its rank', async () => {
    expect(await sentBeforeSecond(20)).toBe(0);
  });
});
