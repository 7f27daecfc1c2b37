// A set that shares claims, walked at random: whatever is scaled, deleted and restarted in whatever
// order, no pod ever lacks a claim that it names, and in the end exactly the claims are there that
// the live objects ask for.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import { demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import type { World } from '#test/support/world.ts';
import { claimsIn, worldOf } from './stage.ts';

const step = fc.record({
  what: fc.constantFrom('set', 'group', 'clique', 'claim', 'pod', 'restart', 'live'),
  many: fc.nat(3),
  pick: fc.nat(1_000),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const kindOf = {
  group: 'PodCliqueScalingGroup',
  clique: 'PodClique',
  claim: 'ResourceClaim',
  pod: 'Pod',
} as const;

function take(world: World, { what, many, pick }: Step): void {
  if (what === 'restart') return world.restart();
  if (what === 'live') return world.live();
  if (what === 'set') {
    world.edit(demoSet, { spec: { replicas: many % 3 } });
    return world.stabilize();
  }
  const all = world.all(kindOf[what]);
  const one = all[pick % Math.max(1, all.length)];
  if (one === undefined) return;
  if (what === 'claim' || what === 'pod') world.remove(refOf(one));
  else world.edit(refOf(one), { spec: { replicas: many } });
  world.stabilize();
}

const indexOf = (hostname: string): string => hostname.slice(hostname.lastIndexOf('-') + 1);
const range = (many: unknown): readonly number[] =>
  Array.from({ length: count(many) ?? 0 }, (_, index) => index);

/** By the live objects alone (spec controllers 8.2). */
function expectedClaims(world: World): readonly string[] {
  const replicas = range(at(world.get('PodCliqueSet', 'demo'), 'spec', 'replicas'));
  const ofReplicas = replicas.flatMap((i) => {
    const group = `demo-${i}-engine`;
    const worker = `demo-${i}-worker`;
    const hosts = world
      .all('Pod')
      .map((pod) => text(at(pod, 'spec', 'hostname')))
      .filter((host) => host.startsWith(`${worker}-`));
    const wanted = range(at(world.get('PodClique', worker), 'spec', 'replicas')).map(String);
    const indices = [...new Set([...wanted, ...hosts.map(indexOf)])];
    const places = range(at(world.get('PodCliqueScalingGroup', group), 'spec', 'replicas'));
    return [
      `demo-${i}-link`,
      `${group}-all-cache`,
      ...places.map((g) => `${group}-${g}-card`),
      `${worker}-all-disk`,
      ...indices.map((index) => `${worker}-${index}-card`),
    ];
  });
  return ['demo-all-card', ...ofReplicas].toSorted();
}

/** Of pods that live: others may go after their claims. */
function unmetPods(world: World): readonly string[] {
  const there = new Set(claimsIn(world));
  return world
    .all('Pod')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .flatMap((pod) => list(at(pod, 'spec', 'resourceClaims')))
    .map((claim) => text(at(claim, 'resourceClaimName')))
    .filter((name) => !there.has(name));
}

it('a set that shares claims ends with exactly those that its parts ask for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const world = worldOf(1);
      world.stabilize();
      for (const one of steps) {
        take(world, one);
        expect(unmetPods(world)).toEqual([]);
      }
      world.converge();
      world.pass(400_000);
      world.converge();
      expect(claimsIn(world)).toEqual(expectedClaims(world));
      world.writes.length = 0;
      world.restart();
      world.stabilize();
      expect(world.writes).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
