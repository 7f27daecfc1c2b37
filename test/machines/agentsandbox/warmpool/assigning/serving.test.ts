// Claims that a pool serves, on the paths where nothing fails.
import { describe, expect, it } from 'vitest';
import { World } from '../../claim/world.ts';

describe('a claim on a warm pool', () => {
  it('gets a member in three writes, with name, IPs and Ready in the last one (K1, C3, G5)', () => {
    const world = new World().warm(2);
    world.done.length = 0;
    world.claim().deliver();
    expect(world.inFlight).toEqual(['patch SandboxClaim claim']);
    world.land('patch SandboxClaim claim').deliver();
    world.settle();
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.done).toEqual([]);
  });
});
