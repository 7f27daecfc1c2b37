// ComputeDomains under everything that may happen to a set: whatever the way there, they are in the
// end those of its groups and replicas, and all of them go with it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { enrolledSet, gpuContainer } from '#test/support/domains.ts';
import type { EnrolledClique } from '#test/support/domains.ts';
import { demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { domainRef, domainsIn } from './domains-sample.ts';

interface Shape {
  readonly onSet: string | undefined;
  readonly onPack: string | undefined;
  /** The first is in the scaling group. */
  readonly cliques: readonly { readonly group: string | undefined; readonly hasGpu: boolean }[];
}

type Act =
  | { readonly scaleTo: number }
  | { readonly deleted: number }
  | { readonly what: 'restart' | 'refuse' };

const group = fc.option(fc.constantFrom('none', 'a', 'b'), { nil: undefined });
const shapes: fc.Arbitrary<Shape> = fc.record({
  onSet: group,
  onPack: group,
  cliques: fc.array(fc.record({ group, hasGpu: fc.boolean() }), { minLength: 1, maxLength: 3 }),
});
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    fc.record({ scaleTo: fc.nat(3) }),
    fc.record({ deleted: fc.nat(9) }),
    fc.record({ what: fc.constantFrom('restart' as const, 'refuse' as const) }),
  ),
  { maxLength: 8 },
);

const named = (value: string | undefined): { group?: string } =>
  value === undefined ? {} : { group: value };

const setOf = ({ onSet, onPack, cliques }: Shape) =>
  enrolledSet(
    2,
    onSet,
    cliques.map((one, index): EnrolledClique => ({
      name: `c${index}`,
      ...named(one.group),
      podSpec: { containers: [gpuContainer(one.hasGpu ? 1 : 0)] },
    })),
    { cliqueNames: ['c0'], ...named(onPack) },
  );

/** Written from the specification. */
function wantedOf({ onSet, onPack, cliques }: Shape, replicas: number): string[] {
  const groups = cliques
    .filter(({ hasGpu }) => hasGpu)
    .map((one) => one.group ?? (one === cliques[0] ? onPack : undefined) ?? onSet ?? 'none')
    .filter((name) => name !== 'none');
  return Array.from({ length: replicas }, (_, index) =>
    [...new Set(groups)].map((name) => `demo-${index}-${name}`),
  )
    .flat()
    .toSorted();
}

function carryOut(world: World, act: Act): void {
  if ('scaleTo' in act) world.edit(demoSet, { spec: { replicas: act.scaleTo } });
  if ('deleted' in act) {
    const all = domainsIn(world);
    const name = all[act.deleted % Math.max(1, all.length)];
    if (name !== undefined) world.remove(domainRef(name));
  }
  if ('what' in act && act.what === 'restart') world.restart();
  const refuse = (): 'FORBIDDEN' => 'FORBIDDEN';
  const { isSlow = false } = world.options;
  world.options = { isSlow, ...('what' in act && act.what === 'refuse' ? { refuse } : {}) };
  world.stabilize();
  if (isSlow) world.land(0);
}

const writesOf = (world: World): number =>
  world.writes.filter(({ ref }) => ref.kind === 'ComputeDomain').length;

it('ComputeDomains are in the end those of groups and replicas, and go with the set (gap 11)', () => {
  fc.assert(
    fc.property(shapes, acts, fc.boolean(), (shape, things, isSlow) => {
      const world = new World({ isSlow });
      world.create(setOf(shape));
      world.stabilize();
      let replicas = 2;
      for (const act of things) {
        carryOut(world, act);
        if ('scaleTo' in act) replicas = act.scaleTo;
      }
      world.options = {};
      world.land();
      world.pass(600_000);
      world.converge();
      expect(domainsIn(world)).toEqual(wantedOf(shape, replicas));

      const writes = writesOf(world);
      world.pass(600_000);
      world.restart();
      world.converge();
      expect(writesOf(world)).toBe(writes);

      // What was refused to the new process is tried again.
      world.pass(1_000);
      world.remove(demoSet);
      world.converge();
      expect(world.objects.size).toBe(0);
    }),
    { numRuns: 40 },
  );
});
