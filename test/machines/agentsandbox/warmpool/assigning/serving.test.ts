// Claims that a pool serves, on the paths where nothing fails.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { at } from '#machines/kubernetes/json.ts';
import { World } from '../../claim/world.ts';

const metadataOf = (world: World, name: string) => world.get('Sandbox', name)?.metadata;
const podMetadata = (world: World, name: string) =>
  at(world.get('Sandbox', name)?.['spec'], 'podTemplate', 'metadata');
/** Without what the pool writes. */
const ofClaims = (world: World): readonly string[] =>
  world.done.filter((one) => !/Pool|create Sandbox pool/.test(one));

describe('the path of a warm claim', () => {
  it('has three writes, the last one with name, IPs and Ready (K1, C3, G5)', () => {
    const world = new World().warm(2);
    world.done.length = 0;
    world.claim().deliver();
    expect(world.inFlight).toEqual(['patch SandboxClaim claim']);
    world.land('patch SandboxClaim claim');
    const member = world.get('SandboxClaim', 'claim')?.metadata.annotations?.[annotation.assigned];
    expect(world.inFlight).toEqual([`patch Sandbox ${member}`]);
    world.land(`patch Sandbox ${member}`);
    expect(world.inFlight).toContain('status SandboxClaim claim');
    expect(world.process.events).toEqual([]);
    world.land('status SandboxClaim claim');
    expect(world.ready()).toBe('True DependenciesReady');
    expect(world.status()['sandbox']).toEqual({ name: member, podIPs: ['10.0.0.10'] });
    expect(ofClaims(world)).toHaveLength(3);
    world.rest();
    expect(ofClaims(world)).toHaveLength(4);
    expect(world.server.conflicts).toBe(0);
  });

  it('says in the assignment when the claim was seen first (2.5)', () => {
    const world = new World().warm(1).claim().deliver();
    world.land('patch SandboxClaim claim');
    const { annotations = {} } = world.get('SandboxClaim', 'claim')?.metadata ?? {};
    expect(annotations[annotation.firstObservedAt]).toBe(new Date(world.now).toISOString());
    expect(annotations[annotation.assignedUid]).toBe(
      metadataOf(world, annotations[annotation.assigned] ?? '')?.uid,
    );
  });

  it('has three writes in all without observability', () => {
    const world = new World({ claims: { hasObservability: false } }).warm(1);
    world.done.length = 0;
    world.claim().rest();
    expect(ofClaims(world)).toHaveLength(3);
    const { annotations = {} } = world.get('SandboxClaim', 'claim')?.metadata ?? {};
    expect(Object.keys(annotations)).toEqual([
      annotation.clientFirstRequestedAt,
      annotation.assigned,
      annotation.assignedUid,
    ]);
  });

  it('makes the member a Sandbox of the claim (R18, R19, R20, R21, R22, H1)', () => {
    const world = new World().warm(1);
    const trace = '{"traceparent":"00-1-2-01"}';
    world
      .claim('claim', {
        annotations: { [annotation.traceContext]: trace },
        spec: { additionalPodMetadata: { labels: { 'sandbox.users.io/a': 'b' } } },
      })
      .rest();
    const [name = ''] = world.sandboxesOf('claim');
    const { uid } = world.get('SandboxClaim', 'claim')?.metadata ?? {};
    const { labels, annotations = {}, ownerReferences = [] } = metadataOf(world, name) ?? {};
    expect(ownerReferences).toMatchObject([{ kind: 'SandboxClaim', uid, controller: true }]);
    expect(labels).toEqual({
      [label.launchType]: 'warm',
      [label.claimUid]: uid,
      [label.createdBy]: 'python-client',
      [label.templateRefHash]: nameHash('template'),
    });
    expect(annotations[annotation.podName]).toBe(name);
    expect(annotations[annotation.pool]).toBe('pool');
    expect(annotations[annotation.traceContext]).toBe(trace);
    expect(podMetadata(world, name)).toEqual({
      labels: {
        [label.claimUid]: uid,
        [label.createdBy]: 'python-client',
        [label.templateRefHash]: nameHash('template'),
        'sandbox.users.io/a': 'b',
      },
      annotations: {},
    });
  });

  it('keeps what it has where the template cannot be read, less what the pool added (R21)', () => {
    const world = new World().warm(1);
    world.remove('SandboxTemplate', 'template').rest();
    world.claim().rest();
    const [name = ''] = world.sandboxesOf('claim');
    expect(world.ready()).toBe('True DependenciesReady');
    expect(podMetadata(world, name)).toMatchObject({ annotations: {} });
    expect(at(podMetadata(world, name), 'labels', label.warmPool)).toBeUndefined();
  });
});

describe('members', () => {
  it('go to as many claims as there are, and the others start cold (C4, Q6)', () => {
    const world = new World().warm(2);
    for (const name of ['a', 'b', 'c', 'd']) world.claim(name);
    world.rest().pass(2_000).rest();
    const own = ['a', 'b', 'c', 'd'].map((name) => world.sandboxesOf(name));
    expect(own.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(own.slice(2)).toEqual([['c'], ['d']]);
    expect(own.filter(([name = '']) => name.startsWith('pool-'))).toHaveLength(2);
  });

  it('go to who came first', () => {
    const world = new World().warm(1).claim('late').claim('early').deliver().rest();
    expect(world.sandboxesOf('late')).not.toEqual(['late']);
  });

  it('that are ready come before any that is not (Q20, R16)', () => {
    const world = new World().template().pool({ replicas: 3 }).rest();
    const [first, second, third] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.server.run(first ?? '', false);
    world.server.run(second ?? '', false);
    world.server.run(third ?? '', true);
    world.rest().claim().rest();
    expect(world.bound()).toBe(third);
  });

  it('without an address are waited for, for two seconds, and nothing is written (Q22, R9)', () => {
    const world = new World().template().pool({ replicas: 1 }).rest();
    world.done.length = 0;
    world.claim().rest().pass(1_900).rest();
    expect(world.done).toEqual([]);
    expect(world.process.why('sandboxwarmpool', 'pool').join()).toContain('1 claims wait');
    world.pass(100).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('are waited for no longer where the clock of the server is ahead', () => {
    const world = new World().template().pool({ replicas: 1 }).rest();
    world.server.now += 900_000;
    world.claim();
    world.server.now -= 900_000;
    world.rest().pass(1_900).rest();
    expect(world.sandboxesOf('claim')).toEqual([]);
    world.pass(100).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('that become ready serve a claim that waits at once (G2)', () => {
    const world = new World().template().pool({ replicas: 1 }).rest().claim().rest();
    const [member] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.server.run(member ?? '', true);
    world.rest();
    expect(world.bound()).toBe(member);
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('that are ready first serve a claim, whichever was there first (G4)', () => {
    const world = new World().template().pool({ replicas: 2 }).rest();
    const [slow, quick] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.server.run(slow ?? '', false);
    world.claim().rest();
    world.server.run(quick ?? '', true);
    world.rest();
    expect(world.bound()).toBe(quick);
  });

  it('with an address and not ready are given after that time (Q21)', () => {
    const world = new World().template().pool({ replicas: 1 }).rest();
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.server.run(member, false);
    world.claim().rest().pass(2_000).rest();
    expect(world.bound()).toBe(member);
    expect(world.ready()).toBe('False DependenciesNotReady');
    world.server.run(member, true);
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('that are not ready are given by node too (Q13, Q21)', () => {
    const world = new World().template().pool({ replicas: 3 }).rest();
    const [alone = '', first = '', second = ''] = world.sandboxes().map((one) => one.metadata.name);
    world.server.run(alone, false, { nodeName: 'n1' });
    for (const name of [first, second]) world.server.run(name, false, { nodeName: 'n2' });
    world.rest().claim().rest().pass(2_000).rest();
    expect(world.bound()).toBe(first);
  });

  it('are never given to a claim with variables or volumes of its own (Q29)', () => {
    const world = new World();
    world.template({ envVarsInjectionPolicy: 'Allowed' }).pool({ replicas: 1 }).rest();
    for (const { metadata } of world.sandboxes()) world.server.run(metadata.name, true);
    world
      .rest()
      .claim('claim', { spec: { env: [{ name: 'A', value: '1' }] } })
      .rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });

  it('of an older template are not given under Recreate, and are under OnReplenish (Q26, R10)', () => {
    const image = (name: string) => ({
      spec: { podTemplate: { spec: { containers: [{ name: 'main', image: name }] } } },
    });
    for (const strategy of ['Recreate', 'OnReplenish']) {
      const world = new World().warm(1, { strategy });
      const [old] = world.sandboxes().map(({ metadata }) => metadata.name);
      world.edit('SandboxTemplate', 'template')(image('two')).claim().deliver();
      world.rest().pass(2_000).rest();
      const isOld = world.bound() === old;
      expect(isOld).toBe(strategy === 'OnReplenish');
    }
  });

  it('are not given under Recreate while the template is not known (Q27)', () => {
    const world = new World().warm(1, { strategy: 'Recreate' });
    world.remove('SandboxTemplate', 'template').claim().rest().pass(2_000).rest();
    expect(world.sandboxes().filter(({ metadata }) => metadata.name !== 'claim')).toHaveLength(1);
    expect(world.ready()).toBe('False TemplateNotFound');
  });

  it('are those that the pool controls, of its namespace and its own (R11, R14, R15, C7)', () => {
    const world = new World().template().pool({ replicas: 1 });
    const labels = {
      [label.warmPool]: nameHash('pool'),
      [label.templateRefHash]: nameHash('template'),
    };
    const spec = { podTemplate: { spec: { containers: [{ name: 'main', image: 'one' }] } } };
    const base = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox', spec };
    const ref = { apiVersion: 'extensions.agents.x-k8s.io/v1alpha1', kind: 'SandboxWarmPool' };
    const owner = { ...ref, name: 'other', uid: 'uid-other', controller: true };
    world.server.create({
      ...base,
      metadata: {
        name: 'unowned',
        namespace: 'demo',
        labels: { ...labels, [label.templateRefHash]: 'other' },
      },
    });
    world.server.create({
      ...base,
      metadata: { name: 'others', namespace: 'demo', labels, ownerReferences: [owner] },
    });
    const uid = world.get('SandboxWarmPool', 'pool')?.metadata.uid ?? '';
    const away = { ...owner, name: 'pool', uid };
    world.server.create({
      ...base,
      metadata: { name: 'away', namespace: 'away', labels, ownerReferences: [away] },
    });
    for (const name of ['unowned', 'others']) world.server.run(name, true);
    world.server.run('away', true, {}, 'away');
    world.restart().rest().claim().rest().pass(2_000).rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });
});

describe('a burst', () => {
  it('costs each claim its own writes, 409 never, and work that does not grow with those that wait (G3)', () => {
    const world = new World().warm(200);
    world.done.length = 0;
    for (let index = 0; index < 200; index++) world.claim(`claim-${index}`);
    world.deliver();
    expect(world.inFlight.filter((one) => one.startsWith('patch SandboxClaim'))).toHaveLength(64);
    world.rest();
    for (let index = 0; index < 200; index++) {
      expect(world.ready(`claim-${index}`)).toBe('True DependenciesReady');
    }
    expect(world.server.conflicts).toBe(0);
    expect(ofClaims(world).filter((one) => one.startsWith('create'))).toEqual([]);
    expect(ofClaims(world)).toHaveLength(4 * 200);
  });
});
