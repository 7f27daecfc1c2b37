// Assignments while another pool takes the name of the one that made them.
import { describe, expect, it } from 'vitest';
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { World } from '../../claim/world.ts';

/** A claim that has been assigned the only member or one of two, which is not taken over yet. */
const promised = (replicas: number) => {
  const world = new World().warm(replicas).claim().deliver().land('patch SandboxClaim claim');
  const member = world.get('SandboxClaim', 'claim')?.metadata.annotations?.[annotation.assigned];
  return { world, member: String(member) };
};

describe('an assignment', () => {
  it('of a Sandbox of another pool of that name is taken off when it is gone (S-18)', () => {
    const { world, member } = promised(2);
    const [owner] = world.get('Sandbox', member)?.metadata.ownerReferences ?? [];
    const ownerReferences = [{ ...owner, uid: 'of-another' }] as unknown as JsonObject[];
    world.edit('Sandbox', member)({ metadata: { ownerReferences } });
    world.restart();
    world.finish();
    expect(world.sandboxesOf('claim')).toEqual([]);
    expect(world.process.why('sandboxwarmpool', 'pool')).toContain(
      'claims whose Sandbox is of another pool of this name, until the garbage collector deletes ' +
        'it: claim',
    );
    world.claim('other');
    expect(world.finish().ready('other')).toBe('True DependenciesReady');
    world.server.collect();
    world.finish();
    expect(world.sandboxesOf('claim')).toEqual([world.bound()]);
    expect(world.bound()).not.toBe(member);
  });

  it('is kept while its take-over is on its way and another pool takes the name (R1)', () => {
    const { world, member } = promised(1);
    world.server.drop({ kind: 'SandboxWarmPool', namespace: 'demo', name: 'pool' });
    world.pool({ replicas: 1 }).deliver();
    expect(world.inFlight).toContain(`patch Sandbox ${member}`);
    expect(world.inFlight).not.toContain('patch SandboxClaim claim');
    world.finish();
    expect(world.sandboxesOf('claim')).toEqual([member]);
    expect(world.ready()).toBe('True DependenciesReady');
  });
});
