// What an update tells in Events: its beginning, its end and, once for each PodClique, that pods of
// it are deleted.
import { describe, expect, it } from 'vitest';
import { cliqueSet } from '#test/support/samples.ts';
import { deletedSince, deployed, expectDone, liveWithoutRoom, setImage } from './stage.ts';

describe('An update of a PodCliqueSet', () => {
  it('says that it began and that it is over, and nothing of availability in between', () => {
    const world = deployed(cliqueSet(2));
    const told = world.events.length;
    setImage(world, 'busybox:2');
    world.converge(60);
    const reasons = world.events.slice(told).map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason.startsWith('PodCliqueSet'))).toEqual([
      'PodCliqueSetUpdateStarted',
      'PodCliqueSetUpdateCompleted',
    ]);
  });

  it('tells of the pods that it deletes once for each PodClique, whatever their number', () => {
    const world = deployed(cliqueSet(2, [{ name: 'worker', replicas: 4, minAvailable: 1 }]));
    const [first] = world.all('Pod').map(({ metadata }) => metadata.name);
    const [since, told] = [world.writes.length, world.events.length];
    setImage(world, 'busybox:2');
    expectDone(world, '2');
    expect(deletedSince(world, since, 'Pod')).toHaveLength(8);
    const deletions = world.events
      .slice(told)
      .filter(({ reason }) => reason === 'PodDeleteSuccessful');
    expect(deletions.map(({ regarding }) => regarding.name)).toEqual([
      'demo-0-worker',
      'demo-1-worker',
    ]);
    expect(deletions[0]?.note).toBe(
      `Deleting 4 pods of an older template, those that are ready one by one: first ${first}`,
    );
  });

  it('tells of a deletion once where the update does not go on', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 2, minAvailable: 2 }]));
    const [since, told] = [world.writes.length, world.events.length];
    setImage(world, 'busybox:broken');
    for (let round = 0; round < 10; round++) liveWithoutRoom(world);
    const deletions = world.events
      .slice(told)
      .filter(({ reason }) => reason === 'PodDeleteSuccessful');
    expect(deletedSince(world, since, 'Pod')).toHaveLength(1);
    expect(deletions).toHaveLength(1);
  });
});
