// Claims that start without a member: what is made for them, once, and what stands in its way.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { sandboxObject as sandbox } from './objects.ts';
import { World } from './world.ts';

/** Starts without a member. */
const cold = (): World => new World().template().pool().claim().rest();

describe('a cold start', () => {
  it('makes a Sandbox of the name of the claim (R8, 2.4.6)', () => {
    const trace = '{"traceparent":"00-1-2-01"}';
    const world = new World().template({ service: true }).pool();
    world.claim('claim', { annotations: { [annotation.traceContext]: trace } }).rest();
    const { uid } = world.get('SandboxClaim', 'claim')?.metadata ?? {};
    const made = world.get('Sandbox', 'claim');
    const shared = {
      [label.claimUid]: uid,
      [label.createdBy]: 'python-client',
      [label.templateRefHash]: nameHash('template'),
    };
    expect(made?.metadata).toMatchObject({
      labels: { ...shared, [label.launchType]: 'cold' },
      annotations: {
        [annotation.templateRef]: 'template',
        [annotation.pool]: 'pool',
        [annotation.traceContext]: trace,
      },
      ownerReferences: [{ kind: 'SandboxClaim', uid, controller: true }],
    });
    expect(made?.['spec']).toEqual({
      service: true,
      podTemplate: {
        metadata: { labels: shared, annotations: {} },
        spec: {
          automountServiceAccountToken: false,
          containers: [{ name: 'main', image: 'one' }],
          dnsConfig: { nameservers: ['8.8.8.8', '1.1.1.1'] },
          dnsPolicy: 'None',
        },
      },
    });
  });

  it('is stored in the place of an assignment first, so that no crash gives it a member too (C1)', () => {
    const world = new World().template().pool().claim().deliver();
    world.land('patch SandboxClaim claim');
    world.restart();
    world
      .edit(
        'SandboxWarmPool',
        'pool',
      )({ spec: { replicas: 1 } })
      .deliver();
    for (const { metadata } of world.sandboxes()) world.server.run(metadata.name, true);
    world.rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('whose reply is lost is done once, without an error (R6, R7)', () => {
    const world = new World().template().pool().claim().deliver();
    world.land('patch SandboxClaim claim');
    world.land('create Sandbox claim', 'lost reply');
    expect(world.inFlight).not.toContain('status SandboxClaim claim');
    world.pass(1_000).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
    expect(world.ready()).toBe('False SandboxNotReady');
  });

  it('never takes a Sandbox that is there and not its own (R8)', () => {
    const world = new World().template().pool();
    world.server.create(sandbox('claim'));
    world.claim().rest();
    expect(world.condition('Ready')).toMatchObject({
      reason: 'ReconcilerError',
      message:
        'Error seen: sandbox "claim" is not controlled by claim "claim". ' +
        'Please use a different claim name or delete the sandbox manually',
    });
    world.remove('Sandbox', 'claim').rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('that is refused says why, and keeps what the status named (R25)', () => {
    const world = new World().template().pool().claim().deliver();
    world.land('patch SandboxClaim claim').land('create Sandbox claim', 'forbidden');
    world.land('status SandboxClaim claim');
    expect(world.ready()).toBe('False ReconcilerError');
    expect(String(world.condition('Ready')?.['message'])).toMatch(/^Error seen: /);
    world.pass(60_000).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('becomes Ready with its Sandbox, in one write (K1)', () => {
    const world = cold();
    world.server.run('claim', true);
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.status()['sandbox']).toEqual({ name: 'claim', podIPs: ['10.0.0.5'] });
  });
});
