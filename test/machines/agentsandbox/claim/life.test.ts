// What a claim says and does besides being served by its pool.
import { describe, expect, it } from 'vitest';
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { at } from '#machines/kubernetes/json.ts';
import { sandboxObject as sandbox } from './objects.ts';
import { World } from './world.ts';

const ownerOf = (world: World, name = 'claim', version = 'v1beta1') => ({
  apiVersion: `extensions.agents.x-k8s.io/${version}`,
  kind: 'SandboxClaim',
  name,
  uid: world.get('SandboxClaim', name)?.metadata.uid ?? '',
  controller: true,
});

const podLabels = (world: World, name: string) =>
  at(world.get('Sandbox', name)?.['spec'], 'podTemplate', 'metadata', 'labels');

describe('a claim without a pool', () => {
  it('says WarmPoolNotFound only after a list has shown none (K2)', () => {
    const world = new World().claim().deliver();
    expect(world.inFlight).toEqual([]);
    expect(world.process.lists).toMatchObject([{ kind: 'SandboxWarmPool', namespaces: ['demo'] }]);
    world.rest();
    expect(world.ready()).toBe('False WarmPoolNotFound');
    expect(world.condition('Ready')?.['message']).toBe('SandboxWarmPool "pool" not found');
    expect(world.process.why('sandboxclaim', 'claim')).toEqual([
      'SandboxWarmPool "pool" not found',
    ]);
  });

  it('does not say so where the list shows one that the watch is late with (K2)', () => {
    const world = new World().template().claim().deliver().pool();
    world.process.list();
    world.rest();
    expect(world.done).not.toContain('WarmPoolNotFound');
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('says nothing as long as lists fail (K2)', () => {
    const world = new World().claim().deliver();
    world.process.list(true);
    expect(world.ready()).toBe('');
    expect(world.process.why('sandboxclaim', 'claim').join()).toContain('of the test');
  });

  it('gets its Sandbox as soon as there is one, without a timer (R13, C8)', () => {
    const world = new World().claim().rest().template().pool().rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
    expect(world.ready()).toBe('False SandboxNotReady');
  });

  it('gets it though no watch tells of the pool, once any list shows that (R13)', () => {
    const world = new World().template().claim().rest();
    expect(world.ready()).toBe('False WarmPoolNotFound');
    const watchers = [...world.server.watchers];
    world.server.watchers.clear();
    world.pool();
    for (const watcher of watchers) world.server.watchers.add(watcher);
    expect(world.rest().ready()).toBe('False WarmPoolNotFound');
    world.claim('other', { pool: 'nobody' }).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('says nothing of a pool that its watch has not shown yet (K3)', () => {
    const world = new World().template().pool().claim();
    const claimsNews = 2;
    world.process.deliver(claimsNews);
    expect(world.process.lists).toHaveLength(1);
    expect(world.inFlight).toEqual([]);
    world.process.list();
    expect(world.inFlight).not.toContain('status SandboxClaim claim');
    expect(world.rest().sandboxesOf('claim')).toEqual(['claim']);
  });

  it('says TemplateNotFound where that is missing, and recovers (R13, K2)', () => {
    const world = new World().pool().claim().rest();
    expect(world.ready()).toBe('False TemplateNotFound');
    expect(world.condition('Ready')?.['message']).toBe('SandboxTemplate "template" not found');
    world.template().rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });
});

describe('a claim that has its Sandbox', () => {
  it('keeps it Ready when pool and template go (G8, C8)', () => {
    const spec = { additionalPodMetadata: { labels: { 'sandbox.users.io/a': 'b' } } };
    const world = new World().warm(1).claim('claim', { spec }).rest();
    world.remove('SandboxWarmPool', 'pool').remove('SandboxTemplate', 'template').rest();
    world
      .edit(
        'SandboxClaim',
        'claim',
      )({ metadata: { labels: { a: 'b' } } })
      .rest();
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.sandboxesOf('claim')).toHaveLength(1);
  });

  it('is not woken by the status or the size of its pool, nor by a label of its template (R12)', () => {
    const world = new World().warm(1).claim().rest();
    const before = world.process.contextOf('sandboxclaim', 'claim');
    world
      .edit(
        'SandboxWarmPool',
        'pool',
      )({ status: { replicas: 7 } })
      .rest();
    world
      .edit(
        'SandboxWarmPool',
        'pool',
      )({ spec: { replicas: 2 } })
      .rest();
    expect(world.process.contextOf('sandboxclaim', 'claim')).toBe(before);
    world
      .edit(
        'SandboxTemplate',
        'template',
      )({ metadata: { labels: { a: 'b' } } })
      .rest();
    expect(world.process.contextOf('sandboxclaim', 'claim')).toBe(before);
  });

  it('says its own generation, and the time of its Sandbox (R24)', () => {
    const world = new World().warm(1).pass(60_000).claim().rest();
    world.edit('SandboxClaim', 'claim')({ spec: { lifecycle: { shutdownPolicy: 'Retain' } } });
    world.rest();
    const [name = ''] = world.sandboxesOf('claim');
    const ofSandbox = at(world.get('Sandbox', name)?.['status'], 'conditions', '0');
    expect(ofSandbox ?? {}).toBeDefined();
    expect(world.condition('Ready')).toMatchObject({ observedGeneration: 2 });
    expect(world.condition('Ready')?.['lastTransitionTime']).toBe('2026-01-01T00:00:00Z');
  });

  it('passes on what its template and its own labels say now, and never a spec (R19, R22)', () => {
    const world = new World().warm(1).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    const before = at(world.get('Sandbox', name)?.['spec'], 'podTemplate', 'spec');
    const metadata = { labels: { team: 'a' } };
    const spec = { containers: [{ name: 'main', image: 'two' }] };
    world.edit('SandboxTemplate', 'template')({ spec: { podTemplate: { metadata, spec } } });
    world.edit('SandboxClaim', 'claim')({ metadata: { labels: { [label.createdBy]: null } } });
    world.rest();
    expect(podLabels(world, name)).toMatchObject({ team: 'a' });
    expect(podLabels(world, name)).not.toHaveProperty([label.createdBy]);
    expect(world.get('Sandbox', name)?.metadata.labels).not.toHaveProperty([label.createdBy]);
    expect(at(world.get('Sandbox', name)?.['spec'], 'podTemplate', 'spec')).toEqual(before);
  });

  it('tells at once what its Sandbox comes to, and of mere progress when there is time (R61)', () => {
    const world = new World().template().pool({ replicas: 0 }).claim().rest();
    world.server.run('claim', false);
    world.deliver();
    const urgency = () => world.process.writes.inFlight.map((intent) => intent.urgency);
    expect(urgency()).toEqual(['now']);
    world.rest();
    const message = 'Pod exists with phase: Pending';
    const progress = { ...world.condition('Ready'), message };
    const status = { conditions: [progress] };
    world.edit('Sandbox', 'claim')({ status }).deliver();
    expect(urgency()).toEqual(['lazy']);
    world.rest();
    expect(world.condition('Ready')?.['message']).toBe(message);
    const other = { ...progress, reason: 'ReconcilerError' };
    world
      .edit(
        'Sandbox',
        'claim',
      )({ status: { conditions: [other] } })
      .deliver();
    expect(urgency()).toEqual(['now']);
  });

  it('mirrors Finished word for word, and forgets it with its Sandbox (1.7)', () => {
    const world = new World().warm(1).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    const finished = {
      type: 'Finished',
      status: 'True',
      reason: 'PodSucceeded',
      message: 'Pod completed successfully',
      observedGeneration: 77,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    world.server.run(name, false, { conditions: [finished] });
    world.rest();
    expect(world.condition('Finished')).toEqual(finished);
    expect(at(world.status(), 'conditions')).toMatchObject([
      { type: 'Finished' },
      { type: 'Ready' },
    ]);
    world.remove('Sandbox', name).rest();
    expect(world.condition('Finished')).toBeUndefined();
  });

  it('says where its Sandbox was shut down by itself (R61)', () => {
    const world = new World().warm(1).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    const ready = { type: 'Ready', status: 'False', reason: 'SandboxExpired', message: 'x' };
    world
      .edit(
        'Sandbox',
        name,
      )({ status: { conditions: [ready] } })
      .rest();
    expect(world.condition('Ready')).toMatchObject({
      reason: 'SandboxExpired',
      message: 'Underlying Sandbox resource has expired independently of the Claim.',
    });
  });

  it('keeps the name of its own while it says that something else is wrong (C2)', () => {
    const world = new World().warm(1).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    world.remove('Sandbox', name).deliver();
    world.edit(
      'SandboxClaim',
      'claim',
    )({
      spec: { additionalPodMetadata: { labels: { team: 'a' } } },
    });
    world.deliver().land('status SandboxClaim claim');
    expect(world.ready()).toBe('False InvalidMetadata');
    expect(world.bound()).toBe(name);
  });

  it('gets another one when its own is gone for sure, and not before (R25, C2)', () => {
    const world = new World().warm(2).claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    world.remove('Sandbox', name).deliver();
    expect(world.bound()).toBe(name);
    expect(world.process.lists.at(-1)).toMatchObject({ kind: 'Sandbox' });
    world.process.list();
    world.land('status SandboxClaim claim');
    expect(world.ready()).toBe('False SandboxMissing');
    expect(world.bound()).toBeUndefined();
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.sandboxesOf('claim')).not.toEqual([name]);
  });

  it('overwrites no status that is newer than what it has seen (R23, C9)', () => {
    const world = new World().warm(1).claim().deliver();
    world.land('patch SandboxClaim claim').process.land(0, 'answered');
    const newer = { type: 'Theirs', status: 'True', reason: 'Newer', message: '' };
    world.edit('SandboxClaim', 'claim')({ status: { conditions: [newer] } });
    world.land('status SandboxClaim claim');
    expect(world.server.conflicts).toBe(1);
    expect(world.ready()).toBe('');
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.condition('Theirs')).toEqual(newer);
  });

  it('gives up the one of two that is not its own', () => {
    const world = new World().warm(1).claim().rest();
    const own = world.sandboxesOf('claim');
    world.server.create(sandbox('stray', { ownerReferences: [ownerOf(world)] }));
    world.rest();
    expect(world.sandboxesOf('claim')).toEqual(own);
  });

  it('takes what older versions have left: reference, label, policy (R20, R17)', () => {
    const world = new World().template().pool({ replicas: 0 });
    world.claim('claim', { status: { sandbox: { name: 'adopted' }, conditions: [] } });
    const ownerReferences = [ownerOf(world, 'claim', 'v1alpha1')];
    world.server.create(sandbox('adopted', { ownerReferences }));
    world.server.create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'claim-network-policy', namespace: 'demo', ownerReferences },
      spec: {},
    });
    world.rest();
    expect(world.bound()).toBe('adopted');
    expect(world.sandboxesOf('claim')).toEqual(['adopted']);
    expect(world.get('Sandbox', 'adopted')?.metadata.labels?.[label.launchType]).toBe('warm');
    expect(world.done).toContain('delete TemplatePolicy claim-network-policy');
  });

  it('is not given a second one where an older version has made it one (R7, C1)', () => {
    const world = new World().warm(1);
    world.claim();
    world.server.create(sandbox('claim', { ownerReferences: [ownerOf(world)] }));
    world.rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
    expect(world.bound()).toBe('claim');
    expect(world.get('Sandbox', 'claim')?.metadata.labels?.[label.launchType]).toBe('cold');
  });
});
