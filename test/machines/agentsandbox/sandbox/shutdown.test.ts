// The end of a Sandbox's time: what is said before anything goes, what goes, and what stays.
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import {
  controllerOfKind,
  running,
  podRef,
  sandboxRef,
  serviceRef,
} from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import {
  begun,
  conditions,
  dropPod,
  edit,
  ready,
  readyOf,
  statusOf,
  suspend,
  there,
  writesOf,
} from './kit.ts';

const hour = 3_600_000;
const at = (world: AgentSandboxWorld, ms = hour): string => rfc3339(world.now + ms);
const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };

function timed(spec = {}): AgentSandboxWorld {
  const shutdownTime = at(new AgentSandboxWorld());
  return ready(begun({ spec: { service: true, shutdownTime, ...spec } }));
}

describe('A Sandbox whose time is over', () => {
  it('says so first, and has nothing but its PVCs then (R32, R33)', () => {
    const world = timed({ volumeClaimTemplates: [claim] });
    expect(world.why('sandbox', 'box')).toEqual([
      'it shuts down in 1h0m0s, at 2026-01-01T01:00:00Z',
    ]);
    expect(writesOf(world, () => world.pass(hour - 1).comeToRest())).toEqual([]);
    world.pass(1);
    expect(world.inFlight).toEqual([
      expect.objectContaining({ type: 'writeStatus', urgency: 'now' }),
    ]);
    expect(world.why('sandbox', 'box')).toEqual([
      'its time is over: its status says so before anything goes',
    ]);
    world.land(0, 'answered');
    expect(readyOf(world)).toBe('False SandboxExpired: Sandbox has expired');
    expect(statusOf(world)).toHaveProperty('podIPs');
    expect(conditions(world)).not.toHaveProperty('PodScheduled');
    expect(world.inFlight.map(({ type, ref }) => `${type} ${ref.kind}`).toSorted()).toEqual([
      'deleteObject SandboxPod',
      'deleteObject SandboxService',
    ]);
    dropPod(world.comeToRest());
    expect(Object.keys(Object(statusOf(world)))).toEqual(['conditions']);
    expect(conditions(world)).toEqual({
      Ready: 'False SandboxExpired: Sandbox has expired',
      Suspended: 'False NotSuspended: Sandbox is not suspended',
    });
    expect(there(world, 'SandboxVolume', 'data-box')).toBeDefined();
    expect(there(world, 'Service', 'box')).toBeUndefined();
    const later = writesOf(world, () => world.restart().comeToRest().pass(hour).comeToRest());
    expect(later).toEqual([]);
  });

  it('has no pod any more, whatever its mode, until it has time again (S7)', () => {
    const world = dropPod(timed().pass(hour).comeToRest());
    expect(
      writesOf(world, () => suspend(world)).filter((write) => !write.startsWith('status')),
    ).toEqual([]);
    edit(world, { spec: { operatingMode: 'Running' } });
    expect(there(world, 'Pod', 'box')).toBeUndefined();
    expect(readyOf(world)).toMatch(/^False SandboxExpired/);
    ready(edit(world, { spec: { shutdownTime: at(world) } }));
    expect(readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
    world.pass(hour).comeToRest();
    ready(edit(dropPod(world), { spec: { shutdownTime: null } }));
    expect(readyOf(world)).toMatch(/^True/);
  });

  it('goes with all that it has where its policy is Delete', () => {
    const world = timed({ shutdownPolicy: 'Delete' });
    const writes = writesOf(world, () => world.pass(hour).comeToRest());
    expect(writes.toSorted()).toEqual([
      'delete Sandbox box',
      'delete SandboxPod box',
      'delete SandboxService box',
      'status Sandbox box',
    ]);
    expect(there(world, 'Sandbox', 'box')).toBeUndefined();
  });

  it('keeps what is not its own (R53)', () => {
    const world = timed();
    const ownerReferences = [controllerOfKind('Job', 'theirs', 'uid-x')];
    world.store.edit(podRef('box'), { metadata: { ownerReferences } });
    world.store.edit(serviceRef('box'), { metadata: { ownerReferences } });
    world.comeToRest().pass(hour).comeToRest();
    expect(readyOf(world)).toMatch(/SandboxExpired/);
    expect(there(world, 'Pod', 'box')?.metadata.deletionTimestamp).toBeUndefined();
    expect(there(world, 'Service', 'box')).toBeDefined();
  });

  it('still says how it has finished (R33)', () => {
    const world = timed();
    world.store.edit(podRef('box'), { status: { ...running, phase: 'Succeeded' } });
    world.comeToRest().pass(hour).comeToRest();
    expect(conditions(dropPod(world))).toMatchObject({
      Finished: 'True PodSucceeded: Pod completed successfully',
      Ready: 'False SandboxExpired: Sandbox has expired',
    });
  });

  it('is expired at the very time, also where that was before it was made (R32)', () => {
    const world = begun({ spec: { shutdownTime: '2026-01-01T00:00:00Z' } });
    expect(readyOf(world)).toMatch(/SandboxExpired/);
    expect(world.writes).toEqual(['status Sandbox/demo/box']);
  });

  it('lives on where it is given time before anybody has seen the end (G12)', () => {
    const world = timed().pass(hour);
    world.store.edit(sandboxRef('box'), { spec: { shutdownTime: at(world) } });
    world.deliverAll();
    world.land(0, 'answered');
    world.comeToRest().pass(1_000).comeToRest();
    expect(readyOf(world)).toMatch(/^True/);
    expect(there(world, 'Pod', 'box')?.metadata.deletionTimestamp).toBeUndefined();
  });
});
