// Assignments that are interrupted: by a crash, a lost reply, somebody else.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { maxInHand } from '#machines/agentsandbox/warmpool/assigning/assigning.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { claimObject } from '../../claim/objects.ts';
import { World } from '../../claim/world.ts';
import { PoolKit } from '../kit.ts';

const assigned = (world: World, name = 'claim') =>
  world.get('SandboxClaim', name)?.metadata.annotations?.[annotation.assigned];

const annotate = (world: World, name: string, sandbox: string) =>
  world.edit(
    'SandboxClaim',
    name,
  )({ metadata: { annotations: { [annotation.assigned]: sandbox } } });

describe('an assignment', () => {
  for (const fate of ['lost request', 'lost reply', 'refused'] as const satisfies Fate[]) {
    for (const place of [0, 1, 2]) {
      it(`ends with one Sandbox for one claim where write ${place + 1} has ${fate} (C6, R1, R2)`, () => {
        const world = new World().warm(2).claim().deliver();
        for (let before = 0; before < place; before++) world.process.land(0, 'answered');
        world.process.land(0, fate);
        const stored = assigned(world);
        world.finish();
        const own = world.sandboxesOf('claim');
        expect(own).toEqual([world.bound()]);
        if (stored !== undefined) expect(own).toEqual([stored]);
        expect(world.ready()).toBe('True DependenciesReady');
      });
    }
  }

  it('that meets a 409 goes to the same member, and nothing starts cold (R3)', () => {
    const world = new World().warm(3).claim().deliver();
    const [write] = world.process.writes.inFlight;
    const promised = at(write, 'patch', 'metadata', 'annotations', annotation.assigned);
    world.edit('SandboxClaim', 'claim')({ metadata: { labels: { a: 'b' } } });
    world.land('patch SandboxClaim claim').rest();
    expect(world.server.conflicts).toBe(1);
    expect(promised).toMatch(/^pool-/);
    expect(world.bound()).toBe(promised);
  });

  it('is finished after a restart by the objects alone (R5, Q17)', () => {
    const world = new World().warm(3).claim().deliver().land('patch SandboxClaim claim');
    const stored = assigned(world);
    world.restart();
    expect(world.inFlight).toContain(`patch Sandbox ${stored}`);
    world.rest();
    expect(world.bound()).toBe(stored);
  });

  it('is known after a restart where only the status was not written (R5, C1)', () => {
    const world = new World().warm(2).claim().deliver().land('patch SandboxClaim claim');
    world
      .land(`patch Sandbox ${assigned(world)}`)
      .restart()
      .rest();
    expect(world.sandboxesOf('claim')).toEqual([assigned(world)]);
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('to a Sandbox of another claim is taken off (R4, C5)', () => {
    const world = new World().warm(2).claim('first').rest();
    world.claim('second', { annotations: { [annotation.assigned]: String(world.bound('first')) } });
    world.rest();
    expect(world.bound('second')).not.toBe(world.bound('first'));
    expect(world.sandboxesOf('first')).toHaveLength(1);
    expect(world.sandboxesOf('second')).toHaveLength(1);
  });

  it('to a Sandbox of which the pool has read is taken off without a list (R4)', () => {
    const kit = PoolKit.with({ replicas: 1 }).rest().ready().rest();
    const [member = ''] = kit.names;
    const put = (name: string, status: JsonObject = {}): void => {
      const object = claimObject(kit.now, name, { annotations: { [annotation.assigned]: member } });
      kit.server.put({ ...object, metadata: { ...object.metadata, namespace: 'default' }, status });
    };
    put('first');
    kit.rest();
    expect(kit.members.map(({ metadata }) => metadata.name)).not.toContain(member);
    // Before the next reconcile who is served is heard of, and who comes late.
    put('first', { sandbox: { name: member } });
    put('second');
    const intents = kit.reconcile();
    expect(intents.filter(({ type }) => type === 'listObjects')).toEqual([]);
    expect(intents).toContainEqual(
      expect.objectContaining({ type: 'patchObject', reason: `it cannot have ${member}` }),
    );
  });

  it('to a Sandbox that is gone is taken off, after a list has shown none (R4)', () => {
    const world = new World().warm(1);
    world.claim('claim', { annotations: { [annotation.assigned]: 'gone' } }).deliver();
    expect(world.process.lists).toMatchObject([{ kind: 'Sandbox', namespaces: ['demo'] }]);
    expect(world.inFlight).toEqual([]);
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('is not taken off where a list shows the Sandbox that a watch has not told of (R2)', () => {
    const world = new World().warm(1);
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.claim('claim', { annotations: { [annotation.assigned]: member } }).rest();
    expect(world.sandboxesOf('claim')).toEqual([member]);
  });

  it('to a member that is no longer eligible is taken off (R4)', () => {
    const world = new World().warm(2);
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.edit('Sandbox', member)({ metadata: { labels: { [label.templateRefHash]: null } } });
    world.rest();
    world.claim('claim', { annotations: { [annotation.assigned]: member } }).rest();
    expect(world.bound()).not.toBe(member);
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('to another Sandbox of the same name is taken off', () => {
    const world = new World().warm(1);
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    const annotations = { [annotation.assigned]: member, [annotation.assignedUid]: 'of before' };
    world.claim('claim', { annotations }).deliver();
    expect(world.inFlight).toEqual(['patch SandboxClaim claim']);
    const [write] = world.process.writes.inFlight;
    const taken = { [annotation.assigned]: null, [annotation.assignedUid]: null };
    expect(at(write, 'patch', 'metadata', 'annotations')).toEqual(taken);
    world.rest();
    expect(world.sandboxesOf('claim')).toEqual([member]);
  });

  it('by the label of older versions is finished, and becomes an annotation (R17)', () => {
    const world = new World().warm(2);
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    world.claim('claim', { labels: { [annotation.assigned]: member } }).rest();
    expect(world.sandboxesOf('claim')).toEqual([member]);
    const { labels, annotations } = world.get('SandboxClaim', 'claim')?.metadata ?? {};
    expect(labels?.[annotation.assigned]).toBeUndefined();
    expect(annotations?.[annotation.assigned]).toBe(member);
  });

  it('that is forbidden for now leaves the member to others (Q23, Q28)', () => {
    const world = new World().warm(1).claim('first').deliver();
    world.land('patch SandboxClaim first', 'forbidden').claim('second').rest();
    expect(world.bound('second')).toMatch(/^pool-/);
    world.finish();
    expect(world.sandboxesOf('first')).toHaveLength(1);
  });

  it('whose take-over is refused keeps its member, and holds up no other claim (R2)', () => {
    const world = new World().warm(maxInHand + 2);
    const names = Array.from({ length: maxInHand }, (_, n) => `refused-${n}`);
    for (const name of names) world.claim(name);
    world.deliver();
    for (const name of names) world.land(`patch SandboxClaim ${name}`);
    for (const name of names) world.land(`patch Sandbox ${assigned(world, name)}`, 'forbidden');
    world.claim('other').rest();
    expect(world.ready('other')).toBe('True DependenciesReady');
    const promised = names.map((name) => assigned(world, name));
    // Claims say by now that it is refused, and there is news of their members.
    for (const name of promised) world.server.run(name ?? '', false);
    world.rest().claim('late').rest();
    expect(world.ready('late')).toBe('True DependenciesReady');
    world.finish().pass(600_000).rest();
    expect(names.flatMap((name) => world.sandboxesOf(name))).toEqual(promised);
  });

  it('that is refused holds up no other claim when there is news of its own (Q28)', () => {
    const world = new World().warm(maxInHand + 1);
    const names = Array.from({ length: maxInHand }, (_, n) => `refused-${n}`);
    for (const name of names) world.claim(name);
    world.deliver();
    for (const name of names) world.land(`patch SandboxClaim ${name}`, 'forbidden');
    for (const name of names) {
      world.edit('SandboxClaim', name)({ metadata: { labels: { edited: 'yes' } } });
    }
    world.rest().claim('other').rest();
    expect(world.ready('other')).toBe('True DependenciesReady');
    world.finish().pass(600_000).rest();
    for (const name of names) expect(world.sandboxesOf(name)).toHaveLength(1);
  });

  it('whose take-over is refused is told of by the claim until it succeeds', () => {
    const world = new World().warm(1).claim().deliver().land('patch SandboxClaim claim');
    const member = assigned(world);
    world.land(`patch Sandbox ${member}`, 'forbidden').rest();
    expect(world.ready()).toBe('False ReconcilerError');
    expect(world.condition('Ready')?.['message']).toMatch(
      new RegExp(`^Error seen: sandbox "${member}" could not be taken over \\(FORBIDDEN\\): `),
    );
    expect(world.process.why('sandboxclaim', 'claim').join()).toContain('could not be taken over');
    world.finish().pass(600_000).rest();
    expect(world.bound()).toBe(member);
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('that fails again and again holds up no other claim', () => {
    const kit = PoolKit.with({ replicas: maxInHand + 1 })
      .rest()
      .ready()
      .rest();
    const put = (name: string): void => {
      const object = claimObject(kit.now, name);
      kit.server.put({ ...object, metadata: { ...object.metadata, namespace: 'default' } });
    };
    for (let one = 0; one < maxInHand; one++) put(`failing-${one}`);
    kit.refuses = ({ ref }) => (ref.name.startsWith('failing') ? 'SERVER_ERROR' : undefined);
    kit.rest();
    put('other');
    kit.rest();
    const other = kit.server.objects.get('SandboxClaim/other');
    expect(other?.metadata.annotations?.[annotation.assigned]).toMatch(/^pool-/);
    expect(kit.intents).toContainEqual(
      expect.objectContaining({
        type: 'publish',
        item: expect.stringContaining('could not be written (SERVER_ERROR)'),
      }),
    );
  });

  it('of a claim that goes meanwhile leaves the member to others (Q23)', () => {
    const world = new World().warm(1).claim('first').deliver();
    world.remove('SandboxClaim', 'first').deliver().claim('second').rest();
    expect(world.bound('second')).toMatch(/^pool-/);
  });

  it('of a claim that has expired is taken off, and its member is free (R32)', () => {
    const world = new World().warm(1);
    const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
    const lifecycle: JsonObject = {
      shutdownTime: '2020-01-01T00:00:00Z',
      shutdownPolicy: 'Retain',
    };
    world.claim('old', { spec: { lifecycle } });
    annotate(world, 'old', member).rest();
    expect(assigned(world, 'old')).toBeUndefined();
    world.claim('new').rest();
    expect(world.bound('new')).toBe(member);
  });

  it('of a pool that is gone is finished all the same (C8)', () => {
    const world = new World().warm(1).claim().deliver().land('patch SandboxClaim claim');
    const member = assigned(world);
    world.server.drop({ kind: 'SandboxWarmPool', namespace: 'demo', name: 'pool' });
    world.restart();
    world.rest();
    expect(world.sandboxesOf('claim')).toEqual([member]);
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('waits for a list that fails, and for nobody else', () => {
    const world = new World().warm(1);
    world.claim('claim', { annotations: { [annotation.assigned]: 'gone' } }).deliver();
    world.process.list(true);
    expect(assigned(world)).toBe('gone');
    expect(world.process.why('sandboxwarmpool', 'pool').join()).toContain('of the test');
    world.claim('other').rest();
    expect(world.ready('other')).toBe('True DependenciesReady');
    expect(world.finish().sandboxesOf('claim')).toHaveLength(1);
  });

  it('of a Sandbox that goes when it is taken over leads to another one (R4, R25)', () => {
    const world = new World().warm(2).claim().deliver().land('patch SandboxClaim claim');
    world.land(`patch Sandbox ${assigned(world)}`);
    world.remove('Sandbox', String(assigned(world))).deliver();
    world.finish();
    expect(world.sandboxesOf('claim')).toEqual([world.bound()]);
    expect(world.ready()).toBe('True DependenciesReady');
  });
});
