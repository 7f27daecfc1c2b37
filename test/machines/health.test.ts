// The two Events that tell how a PodCliqueSet as a whole stands: all its replicas are available,
// and some no longer are although nobody changed the spec. On change only, also over a restart.
import { describe, expect, it } from 'vitest';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import { deployed } from './written.ts';

const told = (world: World): readonly string[] =>
  world.events
    .filter(({ regarding }) => regarding.kind === 'PodCliqueSet')
    .map(({ severity, reason, note }) => `${severity} ${reason}: ${note}`);

const all = (replicas: number): string =>
  `Normal PodCliqueSetAvailable: all ${replicas} replicas are available: ` +
  `${replicas} PodGangs, ${2 * replicas} pods ready`;

/** The pods of a replica lose their readiness, until the kubelets come by again. */
function lose(world: World, ...replicas: readonly number[]): void {
  const gangs = new Set(replicas.map((index) => `demo-${index}`));
  for (const pod of world.all('Pod')) {
    if (!gangs.has(pod.metadata.labels?.['grove.io/podgang'] ?? '')) continue;
    world.setPodStatus(pod.metadata.name, {
      conditions: [{ type: 'PodScheduled', status: 'True' }],
    });
  }
  world.stabilize();
}

describe('a PodCliqueSet', () => {
  it('says once that all its replicas are available', () => {
    const world = deployed(3);
    expect(told(world)).toEqual([all(3)]);
    world.pass(700_000);
    world.restart();
    world.converge();
    expect(told(world)).toEqual([all(3)]);
  });

  it('says that a replica is lost, why, and that it is back', () => {
    const world = deployed(3);
    lose(world, 1);
    world.stabilize();
    expect(told(world).slice(1)).toEqual([
      'Warning PodCliqueSetDegraded: 1 of 3 replicas are not available: ' +
        'replica 1: PodClique demo-1-worker: 0 of at least 2 pods ready, 2 scheduled',
    ]);
    world.converge();
    expect(told(world).slice(2)).toEqual([all(3)]);
  });

  it('names three lost replicas at most, and says nothing of those that follow', () => {
    const world = deployed(8);
    world.options = { isSlow: true };
    lose(world, 0, 2, 3, 5, 7);
    world.land();
    world.options = {};
    const [, warning = ''] = told(world);
    expect(warning).toMatch(/^Warning PodCliqueSetDegraded: \d of 8 replicas are not available: /);
    expect(warning.match(/replica \d:/g)?.length ?? 0).toBeLessThanOrEqual(3);
    expect(told(world)).toHaveLength(2);
  });

  it('does not repeat a warning after a restart, nor miss what happened meanwhile', () => {
    const world = deployed(3);
    lose(world, 1);
    world.restart();
    lose(world, 2);
    world.restart();
    expect(told(world)).toHaveLength(2);
    world.converge();
    expect(told(world)).toHaveLength(3);
    world.restart();
    expect(told(world)).toHaveLength(3);
  });

  it('does not warn of what its own spec asks for', () => {
    const world = deployed(2);
    world.edit(demoSet, { spec: { replicas: 4 } });
    world.converge();
    expect(told(world)).toEqual([all(2), all(4)]);
    world.edit(demoSet, { spec: { replicas: 1 } });
    world.converge();
    world.edit(demoSet, { spec: { replicas: 0 } });
    world.converge();
    expect(told(world).filter((event) => !event.includes('Scale-in'))).toEqual([all(2), all(4)]);
  });

  it('does not warn of a scale-out that a restart interrupts', () => {
    const world = deployed(2);
    world.edit(demoSet, { spec: { replicas: 4 } });
    world.restart();
    world.converge();
    expect(told(world)).toEqual([all(2), all(4)]);
  });

  it('of nothing has nothing to say', () => {
    const world = deployed(0);
    expect(told(world)).toEqual([]);
  });

  it('that is deleted and created again speaks for itself', () => {
    const world = deployed(1);
    world.remove(demoSet);
    world.converge();
    world.create(cliqueSet(2));
    world.converge();
    expect(told(world)).toEqual([all(1), all(2)]);
  });
});
