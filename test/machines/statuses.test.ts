// Every field and condition of every status, recomputed from specs and pods after random histories:
// whatever was scaled, edited, deleted and lost, once all is quiet each status says what the pods
// show. More of them: COPPICE_HISTORIES=20000 npm test -- statuses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, count } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { LateWorld } from '#test/support/late-world.ts';
import { amountOf } from '#test/support/optional.mjs';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { statusMismatches } from '#test/support/statuses/mismatches.ts';
import { StatusJudge } from '#test/support/statuses/status-judge.ts';
import { readyStatus } from '#test/support/world-life.ts';
import { refOf } from '#test/support/world-store.ts';

const histories = Number(process.env['COPPICE_HISTORIES'] ?? amountOf('random histories'));

type Act = (world: LateWorld) => void;

const some = <T>(items: readonly T[], at: number): T | undefined =>
  items[at % Math.max(1, items.length)];

/** For who reads a shrunk history. */
const act = (name: string, run: (world: LateWorld) => void): Act =>
  Object.assign(run, { [fc.toStringMethod]: () => name });

const pick = fc.nat({ max: 1_000 });
const upTo = (max: number) => fc.integer({ min: 0, max });

const condition = (type: string, status: string, reason: string): JsonObject => ({
  type,
  status,
  reason,
});
const scheduled = condition('PodScheduled', 'True', 'Scheduled');

const podStatuses: Readonly<Record<string, JsonObject>> = {
  ready: readyStatus,
  gated: { phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] },
  unschedulable: {
    phase: 'Pending',
    conditions: [condition('PodScheduled', 'False', 'Unschedulable')],
  },
  starting: { phase: 'Pending', conditions: [scheduled] },
  unready: {
    phase: 'Running',
    conditions: [scheduled, condition('Ready', 'False', 'ContainersNotReady')],
    containerStatuses: [{ name: 'main', started: true, ready: false }],
  },
  crashed: {
    phase: 'Running',
    conditions: [scheduled],
    containerStatuses: [
      { name: 'main', started: false, ready: false, lastState: { terminated: { exitCode: 1 } } },
    ],
  },
  failed: { phase: 'Failed', conditions: [scheduled] },
};

const pods = fc.constantFrom(...Object.keys(podStatuses));
const fate = fc.constantFrom('answered', 'lost request', 'lost reply', 'refused');
const scaled = fc.constantFrom('PodClique' as const, 'PodCliqueScalingGroup' as const);

/** Never below the minimum, as an autoscaler does: else a gang waits for ever. */
function scale(one: KubeObject | undefined, to: number, { store }: LateWorld): void {
  const replicas = Math.max(to, count(at(one, 'spec', 'minAvailable')) ?? 1);
  if (one !== undefined) store.edit(refOf(one), { spec: { replicas } });
}

/** Another template, in place: pods stay until somebody deletes them. */
const template = (version: number): Act =>
  act(`template ${version}`, ({ store }) =>
    store.edit(demoSet, {
      spec: {
        updateStrategy: { type: 'OnDelete' },
        template: { priorityClassName: `class-${version}` },
      },
    }),
  );

const step = fc.oneof(
  fc.tuple(pick, fc.boolean()).map(([which, isWhole]) =>
    act(`deliver ${which}`, (world) => {
      for (let time = 0; time < 8; time++) world.deliver(which, isWhole);
    }),
  ),
  fc.tuple(pick, fate).map(([which, how]) =>
    act(`land ${which}: ${how}`, (world) => {
      for (let time = 0; time < 4; time++) world.land(which, how);
    }),
  ),
  fc.constantFrom(1, 5_000).map((ms) => act(`pass ${ms}`, (world) => world.pass(ms))),
  fc.constant(act('live', (world) => world.live())),
  fc.constant(act('rest', (world) => world.comeToRest())),
  pick.map((which) => act(`restart ${which}`, (world) => world.restart(which, (all) => all))),
  fc.tuple(pick, pods).map(([which, how]) =>
    act(`pod ${which} is ${how}`, ({ store }) => {
      const pod = some(store.all('Pod'), which);
      if (pod !== undefined) store.setPodStatus(pod.metadata.name, podStatuses[how] ?? {});
    }),
  ),
  pick.map((which) =>
    act(`delete pod ${which}`, ({ store }) => {
      const pod = some(store.all('Pod'), which);
      if (pod !== undefined) store.remove(refOf(pod));
    }),
  ),
  fc
    .tuple(scaled, pick, upTo(4))
    .map(([kind, which, to]) =>
      act(`scale ${kind} ${which} to ${to}`, (world) =>
        scale(some(world.store.all(kind), which), to, world),
      ),
    ),
  upTo(2).map((replicas) =>
    act(`scale the set to ${replicas}`, ({ store }) => store.edit(demoSet, { spec: { replicas } })),
  ),
  upTo(2).map(template),
  fc.tuple(scaled, pick).map(([kind, which]) =>
    act(`delete ${kind} ${which}`, ({ store }) => {
      const one = some(store.all(kind), which);
      if (one !== undefined) store.remove(refOf(one));
    }),
  ),
);

/** What is known is acted upon until nothing changes; pods do as they did. */
function calm(world: LateWorld, live: () => void): void {
  let quiet = 0;
  for (let round = 0; round < 60 && quiet < 2; round++) {
    const before = world.store.version;
    expect(world.comeToRest()).toBe(true);
    live();
    world.pass(700_000);
    expect(world.comeToRest()).toBe(true);
    quiet = world.store.version === before ? quiet + 1 : 0;
  }
  expect(quiet, 'rounds in which nothing changed').toBe(2);
}

describe('The statuses of a set and its children', () => {
  it('are those of their specs and pods once all is quiet, whatever happened (10.1 rules 17, 39, 40, 45, 46; 10.2 gaps 13, 15, 17, 27)', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const judge = new StatusJudge();
        const world = new LateWorld(judge);
        world.store.create(groupedSet(1));
        calm(world, () => world.live());
        expect([...statusMismatches(world.store, true)]).toEqual([]);
        // A deploy costs no write for it.
        expect(judge.forReady).toBe(0);
        for (const one of steps) one(world);
        calm(world, () => {});
        expect([...statusMismatches(world.store, false)]).toEqual([]);
        calm(world, () => world.live());
        expect([...statusMismatches(world.store, true)]).toEqual([]);
        expect(judge.violations).toEqual([]);
      }),
      { numRuns: histories },
    );
  }, 600_000);
});
