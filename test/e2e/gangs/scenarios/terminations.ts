// Gangs that lose pods for which there is no room any more: what is terminated after the delay, and
// what never is (spec controllers 4, 10.3).
import { expect } from 'vitest';
import { conditionOf } from '#src/bench/onlooker.ts';
import type { Scenario } from '../stage/scene.ts';
import { cliquesOf, pods, w1, w2 } from '../stage/workloads.ts';

/** Each was made again so often. */
const times = (names: readonly string[], often = 1): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, often]));

export const lostPod: Scenario = {
  title: 'W1 that lost a pod of any clique is recreated as a whole (10.3 scenario 4)',
  name: 'lost-pod',
  run: async (scene) => {
    await scene.addNode(2 * pods);
    await scene.create({ name: 'v', least: w1 });
    await scene.create({ name: 'w', least: w1 });
    await scene.settled('v', pods);
    await scene.settled('w', pods);
    await scene.cordon();
    await scene.kill('v-0-a');
    await scene.kill('w-0-x-0-c');
    await scene.recycled('v', times(cliquesOf('v')));
    await scene.recycled('w', times(cliquesOf('w')));
  },
};

export const lostClique: Scenario = {
  title: 'W2 bears the loss of one pod of a, and not of both (10.3 scenario 5)',
  name: 'lost-clique',
  run: async (scene) => {
    const witness = await scene.witness();
    await scene.addNode(pods);
    await scene.create({ name: 'w', least: w2 });
    await scene.settled('w', pods);
    await scene.cordon();
    await scene.kill('w-0-a');
    await witness();
    expect(scene.recycles('w')).toEqual({});
    await scene.kill('w-0-a');
    await scene.recycled('w', times(cliquesOf('w')));
  },
};

export const lostReplica: Scenario = {
  title:
    'W2 that lost the pods of one replica of x gets that one again, and of both is recreated as a whole (10.3 scenario 6)',
  name: 'lost-replica',
  run: async (scene) => {
    const witness = await scene.witness();
    await scene.addNode(pods);
    await scene.create({ name: 'w', least: { ...w2, c: 3 } });
    await scene.settled('w', pods);
    await scene.cordon();
    await scene.kill('w-0-x-1-c', 3);
    const one = times(['w-0-x-1-b', 'w-0-x-1-c']);
    await scene.recycled('w', one);
    await witness();
    expect(scene.recycles('w')).toEqual(one);
    await scene.kill('w-0-x-0-c', 3);
    await scene.recycled('w', { ...times(cliquesOf('w')), ...times(Object.keys(one), 2) });
  },
};

export const neverPlaced: Scenario = {
  title: 'W1 that finds no room from the start is in breach and never recycled (10.3 scenario 7)',
  name: 'never-placed',
  run: async (scene) => {
    const witness = await scene.witness();
    await scene.create({ name: 'w', least: w1 });
    const breach = (): string =>
      conditionOf(scene.one('podcliques', 'w-0-a'), 'MinAvailableBreached');
    await scene.until('a breach', () => breach() === 'True', breach);
    await witness();
    expect(scene.recycles('w')).toEqual({});
    expect(breach()).toBe('True');
    await scene.addNode(pods);
    await scene.ready('w', pods);
    expect(scene.recycles('w')).toEqual({});
  },
};

export const stillUnplaced: Scenario = {
  title:
    'W1 that finds no room after it was recycled is not recycled again until it was healthy once (10.3 scenario 8)',
  name: 'still-unplaced',
  run: async (scene) => {
    const witness = await scene.witness();
    await scene.addNode(pods);
    await scene.create({ name: 'w', least: w1 });
    await scene.settled('w', pods);
    await scene.cordon();
    await scene.kill('w-0-a');
    await scene.recycled('w', times(cliquesOf('w')));
    await witness();
    expect(scene.recycles('w')).toEqual(times(cliquesOf('w')));
    await scene.uncordon();
    await scene.settled('w', pods);
    await scene.cordon();
    await scene.kill('w-0-x-1-b');
    await scene.recycled('w', times(cliquesOf('w'), 2));
  },
};
