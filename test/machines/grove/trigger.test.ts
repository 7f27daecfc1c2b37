// What follows when somebody changes `grove.io/reconcile-trigger` of a PodCliqueSet (spec
// controllers 1.1.1): the whole tree plans, and writes what is not as it should be, nothing else.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { refOf } from '#test/support/world-store.ts';

/** By what their actors are called; and some of what the status of each says. */
const tree = {
  podcliqueset: { kind: 'PodCliqueSet', damaged: { availableReplicas: 77 } },
  scalinggroup: { kind: 'PodCliqueScalingGroup', damaged: { scheduledReplicas: 77 } },
  podclique: { kind: 'PodClique', damaged: { scheduledReplicas: 77 } },
  podgang: { kind: 'PodGang', damaged: {} },
} as const;
const actors = Object.keys(tree) as (keyof typeof tree)[];

/** At rest, with those kinds of actors that have moved since. */
function deployed(): { world: World; planned: Map<string, number> } {
  const planned = new Map<string, number>();
  const trace = (kind: string): void => void planned.set(kind, (planned.get(kind) ?? 0) + 1);
  const world = new World({ trace });
  world.create(groupedSet(2));
  world.converge();
  world.pass(3_600_000);
  planned.clear();
  world.writes.length = 0;
  return { world, planned };
}

function trigger(world: World, value: string | null): void {
  world.edit(demoSet, { metadata: { annotations: { 'grove.io/reconcile-trigger': value } } });
  world.converge();
}

/** Without the times, which are those of the repair. */
const statusOf = (one: KubeObject | undefined): unknown =>
  JSON.parse(
    JSON.stringify(one?.['status'], (key, value: unknown) =>
      key === 'lastTransitionTime' ? undefined : value,
    ),
  );

describe('A change of the reconcile trigger', () => {
  it.each([
    ['that is added', [] as const, 'now'],
    ['to another value', ['before'] as const, 'now'],
    ['that takes it away', ['before'] as const, null],
  ])('%s has every actor of the tree plan, and writes nothing', (_, before, value) => {
    const { world, planned } = deployed();
    for (const one of before) trigger(world, one);
    planned.clear();
    world.writes.length = 0;
    trigger(world, value);
    for (const actor of actors) {
      const count = world.all(tree[actor].kind).length;
      expect([actor, count > 0 && (planned.get(actor) ?? 0) >= count]).toEqual([actor, true]);
    }
    expect(world.writes).toEqual([]);
  });

  it('is no other annotation: of that no PodClique hears', () => {
    const { world, planned } = deployed();
    trigger(world, 'now');
    planned.clear();
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/mine': 'x' } } });
    world.converge();
    expect(planned.get('podclique') ?? 0).toBe(0);
  });

  it.each(actors)('leaves a %s with its status as it was before somebody damaged it', (actor) => {
    const { world } = deployed();
    const { kind, damaged } = tree[actor];
    const [one] = world.all(kind);
    if (one === undefined) throw new Error(`there is no ${kind}`);
    const ref = refOf(one);
    world.edit(ref, { status: { conditions: null, ...damaged } });
    trigger(world, 'now');
    expect(statusOf(world.get(kind, ref.name))).toEqual(statusOf(one));
    expect(world.writes).toContainEqual({ op: 'status', ref });
    expect(world.writes.filter(({ op }) => op !== 'status')).toEqual([]);
  });
});
