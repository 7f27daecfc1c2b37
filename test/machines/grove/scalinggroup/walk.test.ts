// Sets with scaling groups walked at random: whatever is scaled, deleted, damaged and restarted in
// whatever order, in the end there is exactly what the specs then ask for, as if they had been
// applied at once. And what no step may do: change the template's own objects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastTokenRepeatMs } from '#machines/grove/objects/limits.ts';
import { at, count, isObject, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import { World } from '#test/support/world.ts';

const groups = 'PodCliqueScalingGroup';

const step = fc.record({
  what: fc.constantFrom(
    'scaleSet',
    'scaleGroup',
    'scaleGroup',
    'delete',
    'restart',
    'live',
    'drop',
  ),
  many: fc.nat(4),
  pick: fc.nat(1_000),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function take(world: World, { what, many, pick }: Step): void {
  const all = world.all(groups);
  const group = all[pick % Math.max(1, all.length)];
  if (what === 'scaleSet') world.edit(demoSet, { spec: { replicas: many % 3 } });
  if (what === 'scaleGroup' && group !== undefined) {
    world.edit(refOf(group), { spec: { replicas: many } });
  }
  const victims = [...world.objects.values()].filter(({ kind }) => kind !== 'PodCliqueSet');
  const victim = victims[pick % Math.max(1, victims.length)];
  if (what === 'delete' && victim !== undefined) world.remove(refOf(victim));
  if (what === 'drop' && victim !== undefined) world.drop(refOf(victim));
  if (what === 'restart') world.restart();
  if (what === 'live') world.live();
  else world.stabilize();
}

/** Names of what must be there, from the set and the live groups alone (spec api 4.1). */
function expectedNames(world: World, minAvailable: number): readonly string[] {
  const set = world.get('PodCliqueSet', 'demo');
  const replicas = count(at(set, 'spec', 'replicas')) ?? 0;
  return Array.from({ length: replicas }, (_, i) => {
    const group = `demo-${i}-engine`;
    const many = count(at(world.get(groups, group), 'spec', 'replicas')) ?? 0;
    const members = Array.from({ length: many }, (__, j) => [
      `PodClique ${group}-${j}-leader`,
      `PodClique ${group}-${j}-hand`,
      ...(j < minAvailable ? [] : [`PodGang ${group}-${j - minAvailable}`]),
    ]);
    return [
      `${groups} ${group}`,
      `PodClique demo-${i}-worker`,
      `PodGang demo-${i}`,
      `Service demo-${i}`,
      ...members.flat(),
    ];
  })
    .flat()
    .toSorted();
}

const shown = [groups, 'PodClique', 'PodGang', 'Service'];
const thereNames = (world: World): readonly string[] =>
  [...world.objects.values()]
    .filter(({ kind }) => shown.includes(kind))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .toSorted();

/** Every live pod is listed by the gang that its label names, and by no other. */
function expectListed(world: World): void {
  const listed = world
    .all('PodGang')
    .flatMap((gang) =>
      list(at(gang, 'spec', 'podgroups')).flatMap((group) =>
        list(at(group, 'podReferences')).map(
          (one) => `${gang.metadata.name} ${text(at(one, 'name'))}`,
        ),
      ),
    );
  const pods = world
    .all('Pod')
    .map(({ metadata }) => `${metadata.labels?.['grove.io/podgang'] ?? ''} ${metadata.name}`);
  expect(listed.toSorted()).toEqual(pods.toSorted());
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
};

describe('a walk', () => {
  it('ends with exactly what the specs ask for, all ready, and reconciles to no more writes', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 10 }),
        fc.integer({ min: 1, max: 2 }),
        (steps, minAvailable) => {
          const world = new World();
          world.create(groupedSet(1, { minAvailable }));
          world.stabilize();
          for (const one of steps) take(world, one);
          world.converge();
          // A Secret that was deleted is missed by then.
          world.pass(lastTokenRepeatMs);
          world.converge();
          expect(thereNames(world)).toEqual(expectedNames(world, minAvailable));
          expectListed(world);
          for (const group of world.all(groups)) {
            const { replicas } = Object(group['spec']);
            expect(group['status']).toMatchObject({ replicas, availableReplicas: replicas });
          }
          world.writes.length = 0;
          world.restart();
          world.stabilize();
          expect(world.writes).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('changes nothing of the objects that it reads (10.1 rules 7, 8)', () => {
    const world = new World();
    const body: KubeObject = freeze(groupedSet(2));
    const before = structuredClone(body);
    world.create(body);
    world.converge();
    expect(body).toEqual(before);
    const set = world.get('PodCliqueSet', 'demo');
    const containers = list(at(set, 'spec', 'template', 'cliques')).flatMap((clique) =>
      list(at(clique, 'spec', 'podSpec', 'containers')),
    );
    expect(containers.filter((one) => isObject(one) && 'env' in one)).toEqual([]);
    const hash = text(at(set, 'status', 'currentGenerationHash'));
    expect(hash).not.toBe('');
    world.restart();
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'currentGenerationHash')).toBe(hash);
  });
});
