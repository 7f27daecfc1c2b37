// What an update tells in Events: its beginning and its end.
import { describe, expect, it } from 'vitest';
import { cliqueSet } from '#test/support/samples.ts';
import { deletedSince, deployed, expectDone, setImage } from './stage.ts';

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

  it('tells nothing of the single pods that it replaces, whatever their number', () => {
    const world = deployed(cliqueSet(2, [{ name: 'worker', replicas: 4, minAvailable: 1 }]));
    const [since, told] = [world.writes.length, world.events.length];
    setImage(world, 'busybox:2');
    expectDone(world, '2');
    expect(deletedSince(world, since, 'Pod')).toHaveLength(8);
    expect(world.events.slice(told).map(({ regarding }) => regarding.kind)).toEqual([
      'PodCliqueSet',
      'PodCliqueSet',
    ]);
  });
});
