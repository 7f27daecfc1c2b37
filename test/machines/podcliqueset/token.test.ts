// The token Secret of a set, where sets without a start-up order are to have none.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/json.ts';
import type { KubeObject } from '#machines/objects.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const inOrder = cliqueSet(1, [{ name: 'worker' }, { name: 'second' }], {
  cliqueStartupType: 'CliqueStartupTypeInOrder',
});

const strangers: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'demo-ic-sat', namespace: 'demo' },
};

function deployed(set: KubeObject, sparesTokens: boolean, ...before: KubeObject[]): World {
  const world = new World({ settings: { sparesTokens } });
  for (const one of [...before, set]) world.create(one);
  world.converge();
  return world;
}

const summary = (world: World) => ({
  secrets: world.all('Secret').map(({ metadata }) => metadata.name),
  accounts: world.all('ServiceAccount').length,
  pods: world.all('Pod').length,
  observed: at(world.get('PodCliqueSet', 'demo'), 'status', 'observedGeneration'),
});

describe('A token Secret', () => {
  it('is there for every set by default', () => {
    const wanted = { secrets: ['demo-ic-sat'], accounts: 1, pods: 2, observed: 1 };
    expect(summary(deployed(cliqueSet(1), false))).toEqual(wanted);
  });

  it('is left away from a set without order, which is whole without it', () => {
    const world = deployed(cliqueSet(1), true);
    expect(summary(world)).toEqual({ secrets: [], accounts: 1, pods: 2, observed: 1 });
    world.remove(demoSet);
    world.converge();
    expect([...world.objects.keys()]).toEqual([]);
  });

  it('is there for a set whose cliques wait for each other', () => {
    const wanted = { secrets: ['demo-ic-sat'], accounts: 1, pods: 4, observed: 1 };
    expect(summary(deployed(inOrder, true))).toEqual(wanted);
  });

  it('of a stranger keeps no set back that needs none', () => {
    expect(summary(deployed(cliqueSet(1), true, strangers)).pods).toBe(2);
    expect(summary(deployed(cliqueSet(1), false, strangers)).pods).toBe(0);
    expect(summary(deployed(inOrder, true, strangers)).pods).toBe(0);
  });
});
