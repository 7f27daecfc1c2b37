// What is told and counted of a claim, and that it is once.
import { describe, expect, it } from 'vitest';
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { World } from './world.ts';

const stamp = (world: World) =>
  world.get('SandboxClaim', 'claim')?.metadata.annotations?.[annotation.firstReadyAt];

const families = (world: World): readonly string[] =>
  world.process.measured.map(({ family }) => family.replace('agent_sandbox_', ''));

const startUp = [
  'claim_controller_startup_latency_ms',
  'creation_latency_ms',
  'client_claim_startup_latency_ms',
];

describe('the first readiness of a claim', () => {
  it('is stamped and then recorded, behind the status (R26, 2.6.2)', () => {
    const world = new World().warm(1).claim().deliver();
    world.land('patch SandboxClaim claim').process.land(0, 'answered');
    expect(families(world)).toEqual([]);
    world.land('status SandboxClaim claim');
    expect(stamp(world)).toBeUndefined();
    expect(families(world)).toEqual(['claim_creation_total']);
    world.rest();
    expect(stamp(world)).toBe(new Date(world.now).toISOString());
    expect(families(world)).toEqual(['claim_creation_total', ...startUp]);
  });

  it('is recorded once, whatever becomes of it (R26, C10)', () => {
    const world = new World().warm(1).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    const before = families(world);
    world.server.run(name, false);
    world.rest();
    world.server.run(name, true);
    world.rest();
    expect(families(world)).toEqual(before);
    world.restart();
    world.server.run(name, false);
    world.rest();
    world.server.run(name, true);
    world.rest();
    expect(families(world)).toEqual([]);
  });

  it('is unknown where nobody was there (R26)', () => {
    const world = new World().warm(1).claim().deliver();
    world.land('patch SandboxClaim claim').process.land(0, 'answered');
    world.land('status SandboxClaim claim').restart().rest();
    expect(stamp(world)).toBe('unknown');
    expect(families(world)).toEqual([]);
  });

  it('is recorded without a stamp where observability is off', () => {
    const world = new World({ claims: { hasObservability: false } }).warm(1).claim().rest();
    expect(stamp(world)).toBeUndefined();
    expect(families(world)).toEqual(['claim_creation_total', ...startUp]);
  });

  it('of a claim of a former name counts for itself (R27, M2)', () => {
    const world = new World().warm(1).claim().rest().pass(60_000);
    world.remove('SandboxClaim', 'claim').rest();
    for (const { metadata } of world.sandboxes()) world.server.run(metadata.name, true);
    world.rest().claim().rest();
    const last = world.process.measured.findLast(({ family }) => family.includes('controller'));
    expect(last?.value).toBe(0);
  });
});

describe('the Sandbox of a claim', () => {
  it('is told by one Event, warm or cold (1.8)', () => {
    const world = new World().warm(1).claim('warm').rest();
    const [member] = world.sandboxesOf('warm');
    world.claim('cold').rest().pass(2_000).rest();
    const told = world.process.events.filter(({ regarding }) => regarding.kind === 'SandboxClaim');
    expect(told).toMatchObject([
      {
        reason: 'SandboxAdopted',
        note: `Adopted warm pool Sandbox "${member}"`,
        reporter: 'sandboxclaim-controller',
      },
      { reason: 'SandboxProvisioned', note: 'Created Sandbox "cold"' },
    ]);
    world.restart().rest();
    expect(world.process.events).toEqual([]);
  });
});
