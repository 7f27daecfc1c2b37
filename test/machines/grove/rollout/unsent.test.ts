// Deletions that an update has asked for and that wait, e.g. as the server is busy: each goes only
// while there is a reason for it (spec controllers 5.7, decision 0030).
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import {
  annotate,
  deletedSince,
  deployed,
  expectDone,
  images,
  liveWithoutRoom,
  progressOf,
  setImage,
} from './stage.ts';

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const key = { ...clique, kind: 'podclique' } as const;
const workers = (replicas: number, minAvailable: number) => ({
  name: 'worker',
  replicas,
  minAvailable,
});

const refuseDeletions = (op: Operation, { kind }: ObjectRef) =>
  op === 'delete' && kind === 'Pod' ? 'THROTTLED' : undefined;

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

/** The one that its status names. */
function chosen(world: World): string {
  const { readyPodsSelectedToUpdate: selected } = progressOf(world, 'PodClique', clique.name);
  return String(Object(selected).current);
}

/** The server takes deletions again. */
function takeDeletions(world: World): void {
  world.options = {};
  world.pass(1_000);
}

describe('An update whose deletion of a pod waits to be sent', () => {
  it('keeps the pod where more are wanted meanwhile, until the minimum is ready', () => {
    const world = deployed(cliqueSet(1, [workers(2, 2)]));
    world.edit(clique, { spec: { replicas: 1 } });
    world.converge();
    world.options = { refuse: refuseDeletions };
    setImage(world, 'busybox:2');
    const first = chosen(world);
    const since = world.writes.length;
    world.edit(clique, { spec: { replicas: 2 } });
    world.stabilize();
    takeDeletions(world);
    for (let round = 0; round < 3; round++) {
      liveWithoutRoom(world);
      expect(deletedSince(world, since, 'Pod').filter((name) => name === first)).toEqual([]);
    }
    expect(chosen(world)).toBe(first);
    expect(world.why(key).join()).toContain('the next one goes when at least 2 pods are ready');
    expectDone(world, '2');
  });

  it('keeps the pod where the template is changed back', () => {
    const world = deployed(cliqueSet(1, [workers(2, 1)]));
    world.options = { refuse: refuseDeletions };
    setImage(world, 'busybox:2');
    setImage(world, 'busybox:1');
    const since = world.writes.length;
    takeDeletions(world);
    expectDone(world, '1');
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
  });

  it('takes no other one where it begins anew', () => {
    const world = deployed(cliqueSet(1, [workers(3, 1), { name: 'router' }]));
    world.options = { refuse: refuseDeletions };
    setImage(world, 'busybox:2', 'worker');
    const first = chosen(world);
    setImage(world, 'busybox:2', 'router');
    const since = world.writes.length;
    takeDeletions(world);
    const gone = deletedSince(world, since, 'Pod').filter((name) => name.includes('worker'));
    expect(gone).toEqual([first]);
    expectDone(world, '2');
  });

  it('keeps the pod where it is paused', () => {
    const world = deployed(cliqueSet(1, [workers(1, 1)]));
    world.options = { refuse: refuseDeletions };
    setImage(world, 'busybox:2');
    annotate(world, { 'grove.io/pause-update': 'true' });
    const since = world.writes.length;
    takeDeletions(world);
    for (let round = 0; round < 3; round++) world.live();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    expect(images(world)).toEqual(['demo-0-worker:1']);
    annotate(world, { 'grove.io/pause-update': null });
    expectDone(world, '2');
  });

  it('leaves the pod its index and its place until the deletion is seen', () => {
    const world = deployed(cliqueSet(1, [workers(3, 1)]));
    const before = world.all('Pod').map(nameOf);
    world.options = { refuse: refuseDeletions };
    setImage(world, 'busybox:2');
    expect(world.all('Pod').map(nameOf)).toEqual(before);
    expect(before).toContain(chosen(world));
    for (let round = 0; round < 3; round++) world.live();
    expect(world.all('Pod').map(nameOf)).toEqual(before);
    takeDeletions(world);
    expectDone(world, '2');
  });

  it('counts the pod as lost until it is known that nothing was sent', () => {
    const world = deployed(cliqueSet(1, [workers(3, 3)]));
    setImage(world, 'busybox:2');
    world.options = { refuse: refuseDeletions };
    world.live();
    world.live();
    const second = chosen(world);
    setImage(world, 'busybox:1');
    const since = world.writes.length;
    world.options = {};
    world.stabilize();
    for (let round = 0; round < 3; round++) world.live();
    expect(images(world)).toHaveLength(3);
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    world.pass(1_000);
    expectDone(world, '1');
    expect(deletedSince(world, since, 'Pod')).toHaveLength(1);
    expect(deletedSince(world, since, 'Pod')).not.toContain(second);
  });
});
