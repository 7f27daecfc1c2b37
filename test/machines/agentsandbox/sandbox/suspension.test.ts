// A Sandbox that is suspended and resumed, and pods that end by themselves.
import { describe, expect, it } from 'vitest';
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { controllerOfKind, podRef } from '#test/support/agentsandbox/samples.ts';
import {
  conditions,
  dropPod,
  mapOf,
  ready,
  readyBox,
  readyOf,
  resume,
  statusOf,
  suspend,
  there,
  writesOf,
} from './kit.ts';

describe('A Sandbox that is suspended', () => {
  it('deletes its pod and says so until it is gone, and has another one when resumed (R54, R55, R72)', () => {
    const world = suspend(readyBox());
    expect(conditions(world)).toMatchObject({
      Ready: 'False SandboxSuspended: Sandbox is suspending',
      Suspended: 'False PodTerminating: Pod is terminating. Sandbox is suspending',
    });
    expect(there(world, 'Pod', 'box')?.metadata.deletionTimestamp).toBeDefined();
    const first = there(world, 'Pod', 'box')?.metadata.uid;
    dropPod(world);
    expect(conditions(world)).toEqual({
      Ready: 'False SandboxSuspended: Sandbox is suspended',
      Suspended: 'True PodTerminated: Pod has been terminated. Sandbox is suspended',
    });
    expect(statusOf(world)).not.toHaveProperty('podIPs');
    expect(statusOf(world)).toHaveProperty('selector');
    expect(mapOf(world, 'annotations', 'Sandbox', 'box')).toEqual({});
    expect(world.why('sandbox', 'box')).toEqual(['it is suspended, so it has no pod']);
    resume(world);
    expect(there(world, 'Pod', 'box')?.metadata.uid).not.toBe(first);
    expect(conditions(ready(world))).toMatchObject({
      Ready: 'True DependenciesReady: Pod is Ready',
      Suspended: 'False NotSuspended: Sandbox is not suspended',
    });
  });

  it('makes no second pod while the first terminates (R55)', () => {
    const world = resume(suspend(readyBox()));
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(1);
    expect(world.why('sandbox', 'box')).toEqual([
      'pod box terminates; another one is made once it is gone',
    ]);
    dropPod(world);
    expect(world.writes.filter((write) => write.startsWith('create'))).toHaveLength(2);
  });

  it('never deletes a pod that is not its own, and says that (R53)', () => {
    const world = suspend(readyBox());
    dropPod(world);
    const theirs = [
      controllerOfKind('Job', 'theirs', 'uid-x'),
      controllerOfKind('Sandbox', 'box', 'uid-of-an-earlier-one'),
    ];
    for (const owners of [[], ...theirs.map((owner) => [owner])]) {
      world.store.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'box',
          namespace: 'demo',
          labels: { [label.sandboxNameHash]: nameHash('box') },
          ownerReferences: owners,
        },
        spec: {},
      });
      world.comeToRest();
      expect(conditions(world)['Suspended']).toBe(
        'False PodNotOwned: Refused to delete pod because it is not owned by this sandbox',
      );
      expect(readyOf(world)).toBe('False SandboxSuspended: Sandbox is suspending');
      expect(world.why('sandbox', 'box').at(-1)).toMatch(/is not its own, so it is not deleted/);
      expect(there(world, 'Pod', 'box')?.metadata.deletionTimestamp).toBeUndefined();
      dropPod(world);
    }
    expect(conditions(world)['Suspended']).toMatch(/^True PodTerminated/);
  });
});

describe('A pod that has ended', () => {
  it.each([
    ['Succeeded', 'PodSucceeded', 'Pod completed successfully'],
    ['Failed', 'PodFailed', 'Pod failed'],
  ])('of phase %s is kept and told (G11)', (phase, reason, message) => {
    const world = readyBox();
    const writes = writesOf(world, () => {
      world.store.edit(podRef('box'), { status: { phase } });
      world.comeToRest();
    });
    expect(conditions(world)).toMatchObject({
      Ready: `False ${reason}: ${message}`,
      Finished: `True ${reason}: ${message}`,
    });
    expect(writes).toEqual(['status Sandbox box']);
    expect(world.why('sandbox', 'box')[0]).toMatch(/is kept: delete it, or suspend and resume/);
  });

  it('leaves no trace once there is another one', () => {
    const world = readyBox();
    world.store.edit(podRef('box'), { status: { phase: 'Failed' } });
    world.comeToRest();
    world.store.drop(podRef('box'));
    world.comeToRest();
    expect(conditions(ready(world))).not.toHaveProperty('Finished');
  });
});
