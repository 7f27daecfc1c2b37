// An update keeps the minimum of a PodClique served, and is not stopped by one that cannot be.
import { describe, expect, it } from 'vitest';
import { cliqueSet } from '#test/support/samples.ts';
import { deletedSince, deployed, expectDone, images, progressOf, setImage } from './stage.ts';

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;

describe('An update of a PodClique with a minimum', () => {
  it('counts no pod that has ended for the minimum, whatever its conditions say', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 3, minAvailable: 3 }]));
    const fail = (...names: readonly string[]): void => {
      for (const name of names) {
        world.edit({ kind: 'Pod', namespace: 'demo', name }, { status: { phase: 'Failed' } });
      }
      world.stabilize();
    };
    const namesOf = () => world.all('Pod').map(({ metadata }) => metadata.name);
    const [first = ''] = namesOf();
    fail(first);
    world.converge();
    // So soon after the first these are not replaced at once.
    const [kept = '', ...ended] = namesOf();
    fail(...ended);
    const since = world.writes.length;
    setImage(world, 'busybox:2');
    expect(deletedSince(world, since, 'Pod')).not.toContain(kept);
    expect(world.why({ ...clique, kind: 'podclique' }).join()).toContain(
      'at least 3 pods are ready',
    );
    expectDone(world, '2');
  });

  it('goes past a clique that was scaled below its minimum, which can have no more', () => {
    const world = deployed(cliqueSet(2, [{ name: 'worker', replicas: 3, minAvailable: 2 }]));
    world.edit(clique, { spec: { replicas: 1 } });
    world.converge();
    setImage(world, 'busybox:2');
    world.converge(60);
    expect(images(world)).toEqual([
      'demo-0-worker:2',
      'demo-1-worker:2',
      'demo-1-worker:2',
      'demo-1-worker:2',
    ]);
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toHaveProperty('updateEndedAt');
  });
});
