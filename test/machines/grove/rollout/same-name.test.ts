// An update whose process was killed between the deletion of a pod and the creation of the next:
// names are computed, so that one may have the same.
import { describe, expect, it } from 'vitest';
import { cliqueSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import { deployed, expectDone, setImage } from './stage.ts';

describe('An update', () => {
  it('goes on where a restart gives the next pod the name of the one that went', () => {
    let isDying = false;
    const world = deployed(cliqueSet(1), {
      refuse: (op, { kind }) =>
        isDying && (kind === 'PodGang' || (kind === 'Pod' && op === 'create'))
          ? 'UNREACHABLE'
          : undefined,
    });
    const [first] = world.all('Pod');
    if (first === undefined) throw new Error('there is no pod');
    isDying = true;
    setImage(world, 'busybox:2');
    world.drop(refOf(first));
    isDying = false;
    // Nothing but the PodGang says which name is the next.
    world.restart();
    const next = world.get('Pod', first.metadata.name);
    expect([next?.metadata.uid === first.metadata.uid, next !== undefined]).toEqual([false, true]);
    expectDone(world, '2');
  });
});
