// The simulated controllers must come to the same end through every fault of the transport: one
// test per kind of fault and seed, and one that a seed decides the whole run.
import { describe, expect, test } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import type { FaultRule } from '#src/devcluster/faults.ts';
import { withWorld } from './support.ts';
import type { World } from './support.ts';

const often = { times: 1_000_000, rate: 0.15 } as const;
const half = { times: 30, rate: 0.5 } as const;
const kinds: [string, FaultRule][] = [
  ['delays', { ...often, fault: { kind: 'delay', ms: 300 } }],
  ['errors', { ...often, fault: { kind: 'error', code: 500 } }],
  [
    'conflicts',
    { verb: 'create', subresource: 'binding', ...often, fault: { kind: 'error', code: 409 } },
  ],
  ['throttling', { ...often, fault: { kind: 'error', code: 429, retryAfterSeconds: 1 } }],
  ['lost requests', { ...often, fault: { kind: 'dropRequest' } }],
  ['lost replies', { ...often, fault: { kind: 'dropReply' } }],
  ['broken watches', { verb: 'watch', times: 40, fault: { kind: 'dropWatch', afterEvents: 7 } }],
  ['late watches', { verb: 'watch', times: 40, fault: { kind: 'lagWatch', ms: 400 } }],
  ['expired versions', { verb: 'watch', ...half, fault: { kind: 'expire' } }],
  ['stale lists', { verb: 'list', ...half, fault: { kind: 'stale', versions: 20 } }],
  ['expired lists', { verb: 'list', ...half, fault: { kind: 'expire' } }],
];

/** Creates pods, waits until they are ready, deletes them. */
async function lifeOfPods(world: World): Promise<void> {
  const count = 30;
  for (let n = 0; n < count; n++) await world.createPod(`p-${n}`);
  await world.until('all pods are ready', () => world.readyPods() === count, 600_000);
  const nodes = world.stored('/pods').map((pod) => textAt(objectAt(pod, 'spec'), 'nodeName'));
  expect(nodes.every((node) => node !== '')).toBe(true);
  for (let n = 0; n < count; n++) {
    await world.client.send({ method: 'DELETE', path: `/api/v1/namespaces/default/pods/p-${n}` });
  }
  await world.until('all pods are gone', () => world.stored('/pods').length === 0, 600_000);
}

describe('the simulated controllers under faults', () => {
  describe.each(kinds)('%s', (_name, rule) => {
    test.each([1, 2, 3])('pods live and die through them, seed %d', async (seed) => {
      const faults = new FaultPlan();
      const { fired } = faults.add({ ...rule, user: 'system:kube-controller-manager' });
      await withWorld({ seed, faults }, lifeOfPods);
      expect(fired()).toBeGreaterThan(1);
    });
  });

  test('the same seed gives the same run', async () => {
    const run = async (): Promise<string[]> => {
      const log: string[] = [];
      await withWorld({ seed: 9 }, async (world) => {
        for (let n = 0; n < 20; n++) await world.createPod(`p-${n}`);
        await world.until('all pods are ready', () => world.readyPods() === 20);
        for (const pod of world.stored('/pods')) {
          log.push(
            JSON.stringify([pod.metadata['uid'], pod.metadata['resourceVersion'], pod['status']]),
          );
        }
      });
      return log;
    };
    expect(await run()).toEqual(await run());
  });
});
