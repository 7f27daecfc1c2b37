// Pods that should be gone and are not: they count as gone, hold nothing up, and are deleted by
// force where their set says when.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { all, delayMs, podsOf, ready, renewed, uids, w1, workload } from '#test/support/gangs.ts';
import { demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import type { World } from '#test/support/world.ts';

const key = { kind: 'podclique', namespace: 'demo', name: 'demo-0-a' } as const;
const forceAfter = 'grove.io/force-delete-after';

/** Its node is lost: nobody ends it. */
function strand(world: World): string {
  const [pod] = podsOf(world, 'demo-0-a');
  if (pod === undefined) throw new Error('no pod');
  world.remove(refOf(pod));
  world.stabilize();
  return pod.metadata.name;
}

const breach = (world: World): unknown =>
  at(world.get('PodClique', 'demo-0-a'), 'status', 'scheduledReplicas');

describe('A pod that is stuck terminating', () => {
  it('counts as gone five minutes after it should be, so its gang is terminated', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    strand(world);
    world.pass(299_000);
    expect(breach(world)).toBe(2);
    world.pass(1_000);
    expect(breach(world)).toBe(1);
    world.pass(delayMs - 1_000);
    expect(renewed(world, before)).toEqual([]);
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('is left to people without the annotation, and `why` says since when', () => {
    const world = ready(workload(w1));
    const name = strand(world);
    world.pass(310_000);
    world.restart();
    expect(world.why(key).join('\n')).toContain(
      `pod ${name} is terminating on node node-1; it should be gone since 2026-01-01T00:01:00Z ` +
        `and counts as gone: its node may be gone; delete it by force, or see annotation ${forceAfter}`,
    );
    world.pass(10 * delayMs);
    expect(world.get('Pod', name)).toBeDefined();
  });

  it('does not keep the gang from being ready again after a termination', () => {
    const world = ready(workload(w1));
    const name = strand(world);
    const stuck = world.get('Pod', name);
    world.pass(300_000);
    world.pass(delayMs);
    const finalizers = ['a-node'];
    world.edit({ kind: 'Pod', namespace: 'demo', name }, { metadata: { finalizers } });
    for (let round = 0; round < 10; round++) {
      world.live();
      if (stuck !== undefined && world.get('Pod', name) === undefined) world.create(stuck);
    }
    expect(at(world.get('PodClique', 'demo-0-a'), 'status', 'readyReplicas')).toBe(2);
  });

  it.each([false, true])(
    'is deleted by force when the annotation says, once, after a restart too (restart: %s)',
    (restarts) => {
      const world = ready(workload(w1));
      world.edit(demoSet, { metadata: { annotations: { [forceAfter]: '5m' } } });
      const name = strand(world);
      world.writes.length = 0;
      world.pass(299_000);
      if (restarts) world.restart();
      expect(world.get('Pod', name)).toBeDefined();
      world.pass(1_000);
      expect(world.get('Pod', name)).toBeUndefined();
      world.pass(delayMs / 2);
      const forced = world.writes.filter(({ op, ref }) => op === 'delete' && ref.name === name);
      expect(forced).toHaveLength(1);
    },
  );

  it('of a PodClique that was made again is deleted by force as well', () => {
    const world = ready(workload(w1));
    world.edit(demoSet, { metadata: { annotations: { [forceAfter]: '30m' } } });
    const name = strand(world);
    world.pass(300_000);
    world.pass(delayMs);
    expect(world.get('Pod', name)).toBeDefined();
    world.pass(1_800_000);
    expect(world.get('Pod', name)).toBeUndefined();
  });

  it('is not deleted for an annotation that is no duration, and the set says what is wrong', () => {
    const world = ready(workload(w1));
    world.edit(demoSet, { metadata: { annotations: { [forceAfter]: 'soon' } } });
    const name = strand(world);
    world.pass(10 * delayMs);
    expect(world.get('Pod', name)).toBeDefined();
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors')).toMatchObject([
      { description: expect.stringContaining(`metadata.annotations["${forceAfter}"] is "soon"`) },
    ]);
  });
});
