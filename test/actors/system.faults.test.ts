// Property: whatever goes wrong on the way - lost, late, duplicate and reordered observations, lost
// and late replies, 409, 429, 5xx, crashes of machines, a restart of the process - the fixture
// system ends where it should, writes nothing without a precondition and never makes a pod twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Observation, Random } from '#actors/ports.ts';
import type { Fault } from '#test/support/fake-cluster.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { expectSafeWrites } from './fixtures/checks.ts';
import { recordOf } from './fixtures/facts.ts';
import type { Stage } from './fixtures/stage.ts';
import { stage } from './fixtures/stage.ts';

interface Weather {
  readonly seed: number;
  readonly delivery: 'direct' | 'nats';
  /** Share of writes that fail in some way, and of observations that are late or doubled. */
  readonly faults: number;
  readonly disorder: number;
  readonly edits: readonly { readonly replicas: number; readonly pods: number }[];
  readonly restartAt: number;
}

const weather: fc.Arbitrary<Weather> = fc.record({
  seed: fc.integer(),
  delivery: fc.constantFrom('direct' as const, 'nats' as const),
  faults: fc.constantFrom(0.05, 0.2, 0.5),
  disorder: fc.constantFrom(0, 0.2, 0.6),
  edits: fc.array(fc.record({ replicas: fc.nat({ max: 4 }), pods: fc.nat({ max: 3 }) }), {
    minLength: 1,
    maxLength: 5,
  }),
  restartAt: fc.integer({ min: -1, max: 4 }),
});

const faults: readonly Fault[] = [
  { type: 'lose' },
  { type: 'lose' },
  { type: 'delay', ms: 700 },
  { type: 'reject' },
  { type: 'refuse', code: 'CONFLICT' },
  { type: 'refuse', code: 'SERVER_ERROR' },
  { type: 'refuse', code: 'UNREACHABLE' },
  { type: 'refuse', code: 'THROTTLED', retryAfterMs: 300 },
  { type: 'refuse', code: 'FORBIDDEN' },
];

const pick = <T>(random: Random, list: readonly T[]): T | undefined =>
  list[Math.floor(random.next() * list.length)];

function stormy({ seed, delivery, faults: share, disorder }: Weather): Stage {
  const random = seeded(seed);
  const world = stage({
    seed,
    delivery,
    watch: (observation: Observation, deliver: (late: Observation) => void) => {
      // Late events of one object may overtake each other, and come twice.
      const times = random.next() < disorder ? 2 : 1;
      for (let n = 0; n < times; n++) {
        const delay = random.next() < disorder ? Math.floor(random.next() * 400) : 0;
        world.clock.at(world.clock.now() + delay, () => deliver(observation));
      }
    },
  });
  world.cluster.fault = () => (random.next() < share ? pick(random, faults) : undefined);
  return world;
}

/** The weather clears; what was refused is tried again after a minute. Nothing is listed anew. */
async function clear(world: Stage): Promise<void> {
  world.cluster.fault = () => undefined;
  await world.clock.advance(200_000);
  await world.reconciled();
}

describe('The fixture system under random faults', () => {
  it('ends where it should, with safe writes only', async () => {
    await fc.assert(
      fc.asyncProperty(weather, async (its) => {
        const world = stormy(its);
        world.system.synced();
        for (const [at, { replicas, pods }] of its.edits.entries()) {
          const poison = at % 3 === 1 ? 'reconcile' : '';
          world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas, pods, poison } });
          await world.clock.advance(350);
          world.readyPods();
          await world.clock.advance(150);
          if (at === its.restartAt) {
            await Promise.all([world.system.stop(), world.clock.advance(6_000)]);
            world.restart();
          }
        }
        const last = its.edits.at(-1) ?? { replicas: 1, pods: 1 };
        world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...last, poison: '' } });
        await clear(world);
        expectSafeWrites(world.cluster);
        expectSetConverged(world, last);
        const made = world.cluster.log.filter(
          ({ write, outcome }) => write.op === 'create' && outcome.ok,
        );
        const uids = made.map(({ outcome }) => (outcome.ok ? outcome.object?.metadata.uid : ''));
        expect(new Set(uids).size).toBe(made.length);
      }),
      { numRuns: 60 },
    );
  });
});

/** Cliques keep the number of pods that they were made with; the set asks for cliques only. */
function expectSetConverged(world: Stage, { replicas }: { replicas: number }): void {
  const cliques = world.cluster.list('PodClique');
  expect(cliques).toHaveLength(replicas);
  for (const clique of cliques) {
    const { pods } = recordOf(clique['spec']);
    const mine = world.cluster
      .list('Pod')
      .filter(({ metadata }) => metadata.name.startsWith(`${clique.metadata.name}-`));
    expect(mine).toHaveLength(Number(pods));
  }
}
