// Coppice takes over from Grove: no pod is touched, what was current stays current, an update goes
// on where it was, and Grove would find its own hashes again (spec controllers 5.1).
import { describe, expect, it } from 'vitest';
import { object } from '#machines/kubernetes/json.ts';
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { leftByGrove, rewrite, updatingByGrove } from './grove.ts';
import { deletedSince, deployed, images, progressOf, setImage, statusOf } from './stage.ts';

const hashLabel = 'grove.io/pod-template-hash';

const pods = (world: World): readonly string[] =>
  world.all('Pod').map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ''}`);

const writesTo = (world: World, since: number, kind: string): number =>
  world.writes.slice(since).filter(({ ref }) => ref.kind === kind).length;

function takenOver(world: World): number {
  leftByGrove(world);
  const since = world.writes.length;
  world.restart();
  return since;
}

describe('Coppice, where Grove was before', () => {
  it('touches no pod of a set at rest, and counts it as updated', () => {
    const world = deployed(groupedSet(3));
    leftByGrove(world);
    const before = pods(world);
    const since = world.writes.length;
    world.restart();
    world.converge();
    expect(pods(world)).toEqual(before);
    expect(writesTo(world, since, 'Pod')).toBe(0);
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      updatedReplicas: 3,
      availableReplicas: 3,
    });
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toEqual({});
    for (const { metadata } of world.all('PodClique')) {
      expect(metadata.labels?.[hashLabel]).toMatch(/^6f8d9c5b7/);
    }
  });

  it('makes new pods by its hash until the template changes, and nothing is replaced for that', () => {
    const world = deployed(cliqueSet(1));
    takenOver(world);
    world.converge();
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.edit(
      { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' },
      { spec: { replicas: 3 } },
    );
    const since = world.writes.length;
    world.converge();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    const hashes = world.all('Pod').map(({ metadata }) => metadata.labels?.[hashLabel]);
    expect(new Set(hashes).size).toBe(1);
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 2 });
  });

  it('updates by its own hashes, and knows the other ones when the template is changed back', () => {
    const world = deployed(cliqueSet(2));
    takenOver(world);
    world.converge();
    setImage(world, 'busybox:2');
    world.live();
    world.live();
    const since = world.writes.length;
    setImage(world, 'busybox:1');
    world.converge(60);
    expect(new Set(images(world))).toEqual(new Set(['demo-0-worker:1', 'demo-1-worker:1']));
    expect(deletedSince(world, since, 'Pod').filter((name) => name.startsWith('demo-1-'))).toEqual(
      [],
    );
    for (const { metadata } of world.all('Pod')) {
      expect(metadata.labels?.[hashLabel]).toMatch(/^6f8d9c5b7/);
    }
  });

  it('goes on with an update that is half done, from the pod that was chosen', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    world.live();
    world.live();
    const { readyPodsSelectedToUpdate: chosen } = progressOf(world, 'PodClique', 'demo-0-worker');
    const running = progressOf(world, 'PodCliqueSet', 'demo');
    leftByGrove(world);
    updatingByGrove(world);
    const since = world.writes.length;
    world.restart();
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      updateStartedAt: running['updateStartedAt'],
      currentlyUpdating: [{ replicaIndex: 0 }],
    });
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toMatchObject({
      readyPodsSelectedToUpdate: Object(chosen),
    });
    world.converge(60);
    expect(new Set(images(world))).toEqual(new Set(['demo-0-worker:2', 'demo-1-worker:2']));
    // Two of the second replica, and at most the one that was chosen.
    expect(deletedSince(world, since, 'Pod').length).toBeLessThanOrEqual(3);
  });

  it('begins the update that Grove had not seen yet', () => {
    const world = deployed(cliqueSet(2));
    leftByGrove(world);
    rewrite(world, 'PodCliqueSet', (one) => {
      const other = object(
        cliqueSet(2, [
          { name: 'worker', podSpec: { containers: [{ name: 'main', image: 'busybox:2' }] } },
        ])['spec'],
      );
      return { ...one, spec: other };
    });
    world.restart();
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      currentlyUpdating: [{ replicaIndex: 0 }],
    });
    world.converge(60);
    expect(new Set(images(world))).toEqual(new Set(['demo-0-worker:2', 'demo-1-worker:2']));
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 2 });
  });

  it('is asked again by a restart, and writes nothing more', () => {
    const world = deployed(groupedSet(2));
    takenOver(world);
    world.converge();
    const since = world.writes.length;
    world.restart();
    world.converge();
    world.pass(3_600_000);
    expect(world.writes.slice(since)).toEqual([]);
  });
});
