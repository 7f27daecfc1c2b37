// The end of claims: by time, or some time after their work is done.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { World } from './world.ts';

const at = (world: World, ms: number): string =>
  new Date(world.now + ms).toISOString().replace('.000Z', 'Z');

const bound = (lifecycle: (world: World) => JsonObject): World => {
  const world = new World().warm(1);
  return world.claim('claim', { spec: { lifecycle: lifecycle(world) } }).rest();
};

describe('a claim whose time is over', () => {
  it('says so first, and ends when that is stored; at the very time (R32)', () => {
    const world = bound((one) => ({ shutdownTime: at(one, 10_000), shutdownPolicy: 'Delete' }));
    world.pass(9_999).rest();
    expect(world.ready()).toBe('True DependenciesReady');
    world.pass(1);
    expect(world.inFlight).toEqual(['status SandboxClaim claim']);
    world.land('status SandboxClaim claim');
    expect(world.ready()).toBe('False ClaimExpired');
    expect(world.condition('Ready')?.['message']).toBe('Claim expired. Sandbox cleanup initiated.');
    expect(world.inFlight).toEqual(['delete SandboxClaim claim']);
    world.rest();
    expect(world.get('SandboxClaim', 'claim')).toBeUndefined();
    expect(world.process.events.map(({ note }) => note)).toEqual([
      expect.stringContaining('Adopted'),
      'Claim expired',
      'Deleting Claim (ShutdownPolicy=Delete)',
    ]);
  });

  it('lives on where it is given more time between the two (G12)', () => {
    const world = bound((one) => ({ shutdownTime: at(one, 10_000), shutdownPolicy: 'Delete' }));
    world.pass(10_000);
    world.edit(
      'SandboxClaim',
      'claim',
    )({ spec: { lifecycle: { shutdownTime: at(world, 60_000) } } });
    world.land('status SandboxClaim claim').rest();
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('waits for its Sandbox under DeleteForeground', () => {
    const lifecycle = (one: World) => ({
      shutdownTime: at(one, 1_000),
      shutdownPolicy: 'DeleteForeground',
    });
    const world = bound(lifecycle).pass(1_000).rest();
    const { metadata } = world.get('SandboxClaim', 'claim') ?? {};
    expect(metadata?.finalizers).toEqual(['foregroundDeletion']);
  });

  it('that is retained deletes its Sandbox by name and owner, once, and keeps Finished (R31, R33)', () => {
    const world = bound(() => ({ ttlSecondsAfterFinished: 5 }));
    const [name = ''] = world.sandboxesOf('claim');
    const lastTransitionTime = at(world, 0);
    const finished = {
      type: 'Finished',
      status: 'True',
      reason: 'PodFailed',
      message: 'Pod failed',
    };
    world.server.run(name, false, { conditions: [{ ...finished, lastTransitionTime }] });
    world.rest().pass(4_999).rest();
    expect(world.ready()).toBe('False DependenciesNotReady');
    world.pass(1).rest();
    expect(world.ready()).toBe('False ClaimExpired');
    expect(world.get('Sandbox', name)).toBeUndefined();
    expect(world.bound()).toBeUndefined();
    expect(world.condition('Finished')).toMatchObject({ reason: 'PodFailed' });
    world.done.length = 0;
    world.pass(600_000).rest().restart().rest();
    expect(world.done.filter((one) => one.includes('Claim') || one.includes(name))).toEqual([]);
    expect(world.sandboxesOf('claim')).toEqual([]);
  });

  it("leaves a Sandbox alone that is somebody else's (R31)", () => {
    const world = new World().template().pool();
    world.server.create({
      apiVersion: 'agents.x-k8s.io/v1beta1',
      kind: 'Sandbox',
      metadata: { name: 'foreign', namespace: 'demo' },
      spec: { podTemplate: { spec: { containers: [] } } },
    });
    world.claim('claim', {
      spec: { lifecycle: { shutdownTime: '2020-01-01T00:00:00Z' } },
      status: { sandbox: { name: 'foreign' } },
    });
    world.rest();
    expect(world.condition('Ready')).toMatchObject({
      reason: 'ClaimExpired',
      message: expect.stringMatching(
        /^Claim expired. sandbox "foreign" is not .*; deletion skipped.$/,
      ),
    });
    expect(world.bound()).toBeUndefined();
    expect(world.get('Sandbox', 'foreign')).toBeDefined();
  });

  it('gets no Sandbox any more', () => {
    const world = new World().warm(1);
    world.claim('claim', { spec: { lifecycle: { shutdownTime: '2020-01-01T00:00:00Z' } } }).rest();
    expect(world.ready()).toBe('False ClaimExpired');
    expect(world.sandboxesOf('claim')).toEqual([]);
    expect(world.sandboxes()).toHaveLength(1);
  });

  it('says nothing by Events where they are turned off', () => {
    const world = new World({ claims: { hasEvents: false } }).warm(1);
    world.claim('claim', { spec: { lifecycle: { shutdownTime: at(world, 1_000) } } }).rest();
    world.pass(1_000).rest();
    expect(
      world.process.events.filter(({ regarding }) => regarding.kind === 'SandboxClaim'),
    ).toEqual([]);
  });
});
