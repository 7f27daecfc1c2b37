// The end of a ComputeDomain: in an order that leaves nothing behind, from wherever it was left,
// and saying what it waits for.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import {
  childOf,
  domainKey,
  domainRef,
  labelledNode,
  labelOfDomain,
  labelsOf,
  mesh,
} from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';

const uid = 'uid-1';
const daemons = `computedomain-daemon-${uid}`;
const template = (namespace: string, name: string) =>
  ({ kind: 'ResourceClaimTemplate', namespace, name }) as const;
const set = { kind: 'DomainDaemonSet', namespace: 'driver', name: daemons } as const;
const node = (name: string) => ({ kind: 'DomainNode', namespace: '', name }) as const;

function deployed(nodes: readonly string[] = ['a', 'b']): NvidiaWorld {
  const world = new NvidiaWorld();
  world.create(mesh());
  for (const name of nodes) world.create(labelledNode(name, uid));
  return world.stabilize();
}

/** The writes of a deletion. */
function deletion(world: NvidiaWorld): readonly string[] {
  const before = world.writes.length;
  world.remove(domainRef);
  world.stabilize();
  return world.writes.slice(before);
}

const left = (world: NvidiaWorld): readonly string[] =>
  [...world.objects.values()]
    .filter(({ metadata }) => metadata.labels?.[labelOfDomain] !== undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const whyOf = (world: NvidiaWorld): readonly string[] => world.why('computedomain', 'mesh');
const isThere = (world: NvidiaWorld): boolean =>
  world.find('ComputeDomain', 'mesh', 'demo') !== undefined;

describe('A ComputeDomain that is deleted', () => {
  it('HC-57: goes after its children, its labels and its workload, in that order', () => {
    const world = deployed();
    expect(deletion(world)).toEqual([
      'delete DomainClaimTemplate channels',
      `delete DomainClaimTemplate ${daemons}`,
      `delete DomainDaemonSet ${daemons}`,
      'patch DomainNode a',
      'patch DomainNode b',
      'patch DomainClaimTemplate channels',
      `patch DomainClaimTemplate ${daemons}`,
      `patch DomainDaemonSet ${daemons}`,
      'patch ComputeDomain mesh',
    ]);
    expect(left(world)).toEqual([]);
    expect(isThere(world)).toBe(false);
    expect(world.snapshotOf(domainKey)).toBeUndefined();
    expect(world.events).toEqual([]);
  });

  it('HC-54: leaves the other labels of a node, and the label of another domain', () => {
    const world = deployed(['a']);
    const { metadata, ...rest } = mesh();
    const other = world.create({ ...rest, metadata: { ...metadata, namespace: 'elsewhere' } });
    const theirs = other.metadata.uid ?? '';
    world.create(labelledNode('theirs', theirs));
    world.stabilize();
    world.options = { hides: ({ kind }) => kind === 'Node' };
    world.edit(node('a'), { metadata: { labels: { [labelOfDomain]: theirs } } });
    deletion(world);
    expect(world.find('DomainNode', 'a')?.metadata.labels).toEqual({
      [labelOfDomain]: theirs,
      'kubernetes.io/hostname': 'a',
    });
    expect(whyOf(world)).toEqual([
      '1 nodes have its label, which ends their daemons when it goes: a',
    ]);
    world.options = {};
    world.edit(node('a'), { metadata: { annotations: { seen: 'now' } } });
    world.stabilize();
    expect(isThere(world)).toBe(false);
    expect(world.find('DomainNode', 'theirs')?.metadata.labels?.[labelOfDomain]).toBe(theirs);
  });

  it('Q-4: takes the claim template of its daemons away also where no DaemonSet was made', () => {
    const world = deployed([]);
    world.edit(set, { metadata: { finalizers: [] } });
    world.remove(domainRef);
    world.drop(set);
    world.stabilize();
    expect(left(world)).toEqual([]);
    expect(isThere(world)).toBe(false);
  });

  it('HC-56: takes away what older installations made in other namespaces of the driver', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    const old = { namespace: 'older', name: 'daemon-x7k2' };
    world.create(childOf('DaemonSet', old, labelsOf(uid)));
    world.create(childOf('ResourceClaimTemplate', old, labelsOf(uid, 'Daemon')));
    const foreign = { namespace: 'demo', name: 'copied' };
    world.create(childOf('DaemonSet', foreign, labelsOf(uid)));
    world.stabilize();
    deletion(world);
    expect(left(world)).toEqual(['DaemonSet copied']);
    expect(isThere(world)).toBe(false);
  });

  it('takes the label off nodes that get it late', () => {
    const world = deployed();
    world.edit(set, { metadata: { finalizers: [labelOfDomain, 'theirs'] } });
    deletion(world);
    expect(isThere(world)).toBe(true);
    world.create(labelledNode('late', uid));
    world.stabilize();
    expect(world.find('DomainNode', 'late')?.metadata.labels?.[labelOfDomain]).toBeUndefined();
  });

  it('Q-7: says what it waits for, step by step', () => {
    const world = deployed(['a']);
    for (const ref of [template('demo', 'channels'), template('driver', daemons), set]) {
      world.edit(ref, { metadata: { finalizers: [labelOfDomain, 'theirs'] } });
    }
    world.edit(domainRef, { metadata: { finalizers: [labelOfDomain, 'theirs'] } });
    world.options = { refuse: (op) => (op === 'delete' ? 'FORBIDDEN' : undefined) };
    deletion(world);
    expect(whyOf(world).at(-1)).toBe(`DaemonSet driver/${daemons} is about to be deleted`);
    expect(world.events.map(({ reason, note }) => [reason, note.slice(-12)])).toEqual([
      ['ComputeDomainChildFailed', '(and 2 more)'],
    ]);
    world.options = {};
    world.pass(1_000);
    const held =
      'is being deleted; it is held by finalizer theirs (whoever set it must take it off)';
    expect(whyOf(world)).toEqual([`ResourceClaimTemplate demo/channels ${held}`]);
    world.edit(template('demo', 'channels'), { metadata: { finalizers: [] } });
    world.stabilize();
    expect(whyOf(world)).toEqual([
      `ResourceClaimTemplate driver/${daemons} ${held}`,
      `DaemonSet driver/${daemons} ${held}`,
    ]);
    world.edit(template('driver', daemons), { metadata: { finalizers: [] } });
    world.edit(set, { metadata: { finalizers: [] } });
    world.stabilize();
    expect(world.find('ComputeDomain', 'mesh', 'demo')?.metadata.finalizers).toEqual(['theirs']);
    expect(whyOf(world)).toEqual([`ComputeDomain mesh ${held}`]);
  });

  it('takes no finalizer off what is not being deleted', () => {
    const world = deployed([]);
    world.options = { isSlow: true };
    world.remove(domainRef);
    world.stabilize();
    expect(world.inFlight.map(({ type }) => type)).toEqual([
      'deleteObject',
      'deleteObject',
      'deleteObject',
    ]);
    for (let round = 0; round < 10; round++) world.land();
    expect(isThere(world)).toBe(false);
  });

  it('takes many nodes in parts, and those that fail last', () => {
    const names = Array.from({ length: 250 }, (_, index) => `n${index}`);
    const world = deployed(names);
    const isBad = (name: string): boolean => name === 'n0' || name === 'n249';
    world.options = {
      refuse: (op, { kind, name }) =>
        op === 'patch' && kind === 'DomainNode' && isBad(name) ? 'FORBIDDEN' : undefined,
    };
    deletion(world);
    expect(left(world).filter((one) => one.startsWith('Node'))).toEqual(['Node n0', 'Node n249']);
    expect(world.events.map(({ note }) => note.split(':')[0])).toEqual(['Node n0', 'Node n249']);
    world.options = {};
    world.pass(1_000);
    expect(isThere(world)).toBe(false);
  });

  it('has one Event for all nodes that cannot be unlabelled', () => {
    const world = deployed(Array.from({ length: 16 }, (_, index) => `n${index}`));
    world.options = { refuse: (_, { kind }) => (kind === 'DomainNode' ? 'FORBIDDEN' : undefined) };
    deletion(world);
    const notes = world.events.map(({ note }) => note);
    expect(notes).toEqual([expect.stringMatching(/^Node n0: .* \(and 15 more\)$/)]);
  });

  it('Q-27, HC-31: ends whatever is restarted, refused or made by hand meanwhile', () => {
    const act = fc.constantFrom('restart', 'conflict', 'label', 'child', 'pass', 'land', 'slow');
    fc.assert(
      fc.property(fc.array(act, { maxLength: 12 }), fc.nat(12), (acts, deletedAt) => {
        const world = new NvidiaWorld();
        world.create(mesh());
        acts.forEach((each, index) => {
          if (index === deletedAt) world.remove(domainRef);
          perform(world, each, index);
        });
        world.remove(domainRef);
        world.options = {};
        for (let round = 0; round < 20; round++) world.land().pass(60_000);
        expect(left(world)).toEqual([]);
        expect(isThere(world)).toBe(false);
      }),
      { numRuns: 200, examples: [[['restart', 'slow', 'restart', 'conflict', 'land'], 1]] },
    );
  });
});

function perform(world: NvidiaWorld, act: string, index: number): void {
  let refusals = 1;
  const body: KubeObject = childOf(
    'ResourceClaimTemplate',
    { namespace: 'driver', name: `by-hand-${index}` },
    labelsOf(uid, 'Daemon'),
  );
  if (act === 'restart') world.land().restart();
  if (act === 'conflict')
    world.options = { refuse: () => (refusals-- > 0 ? 'CONFLICT' : undefined) };
  if (act === 'label') world.create(labelledNode(`node-${index}`, uid));
  if (act === 'child') world.create(body);
  if (act === 'pass') world.pass(2_000);
  if (act === 'land') world.land();
  if (act === 'slow') world.options = { isSlow: true };
  world.stabilize();
}
