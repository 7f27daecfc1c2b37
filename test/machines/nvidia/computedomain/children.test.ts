// What a ComputeDomain makes: the finalizer first, then its children, each as NVIDIA's kubelet
// plugin and daemons need it, and what it does where a name is another's.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import {
  childOf,
  domainKey,
  domainRef,
  labelOfDomain,
  labelsOf,
  mesh,
} from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import { deployed, domain } from './sample.ts';

const label = labelOfDomain;

const daemons = `computedomain-daemon-${domain}`;
const madeBy = (world: NvidiaWorld): readonly string[] =>
  world.writes.filter((write) => write.startsWith('create'));

const parametersOf = (world: NvidiaWorld, name: string, namespace?: string): unknown =>
  at(
    list(
      at(world.find('DomainClaimTemplate', name, namespace), 'spec', 'spec', 'devices', 'config'),
    )[0],
    'opaque',
    'parameters',
  );

describe('A new ComputeDomain', () => {
  it('Q-21: is held, has its children and its status, without a conflict', () => {
    const world = deployed();
    expect(world.writes).toEqual([
      'patch ComputeDomain mesh',
      `create DomainClaimTemplate ${daemons}`,
      'create DomainClaimTemplate channels',
      'status ComputeDomain mesh',
      `create DomainDaemonSet ${daemons}`,
    ]);
    expect(world.find('ComputeDomain', 'mesh', 'demo')?.metadata.finalizers).toEqual([label]);
    expect(world.events).toEqual([]);
    expect(world.why('computedomain', 'mesh')).toEqual([
      'ComputeDomain mesh is as it should be, with 0 nodes',
    ]);
  });

  it('keeps the finalizers of others', () => {
    const world = new NvidiaWorld();
    const { metadata, ...rest } = mesh();
    world.create({ ...rest, metadata: { ...metadata, finalizers: ['theirs'] } });
    world.stabilize();
    expect(world.find('ComputeDomain', 'mesh', 'demo')?.metadata.finalizers).toEqual([
      'theirs',
      label,
    ]);
  });

  it('has a claim template for its daemons, and one in its own namespace for its workload', () => {
    const world = deployed({}, { allocationMode: 'All' });
    const template = world.find('DomainClaimTemplate', daemons);
    expect(template?.metadata).toMatchObject({
      finalizers: [label],
      labels: { [label]: domain, [`${label}Target`]: 'Daemon' },
    });
    expect(at(template, 'spec', 'spec', 'devices')).toEqual({
      requests: [
        { name: 'daemon', exactly: { deviceClassName: 'compute-domain-daemon.nvidia.com' } },
      ],
      config: [
        {
          requests: ['daemon'],
          opaque: {
            driver: 'compute-domain.nvidia.com',
            parameters: {
              apiVersion: 'resource.nvidia.com/v1beta1',
              kind: 'ComputeDomainDaemonConfig',
              domainID: domain,
            },
          },
        },
      ],
    });
    const channels = world.find('DomainClaimTemplate', 'channels', 'demo');
    expect(channels?.metadata).toMatchObject({
      finalizers: [label],
      labels: { [label]: domain, [`${label}Target`]: 'Workload' },
    });
    expect(list(at(channels, 'spec', 'spec', 'devices', 'requests'))).toEqual([
      {
        name: 'channel',
        exactly: { deviceClassName: 'compute-domain-default-channel.nvidia.com' },
      },
    ]);
    expect(parametersOf(world, 'channels', 'demo')).toEqual({
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomainChannelConfig',
      domainID: domain,
      allocationMode: 'All',
    });
  });
});

describe('A ComputeDomain', () => {
  it('HC-16: makes nothing twice, whatever is restarted', () => {
    const world = deployed();
    const writes = world.writes.length;
    world.restart().pass(600_000);
    expect(world.writes).toHaveLength(writes);
  });

  it('makes its claim template again that is gone', () => {
    const world = deployed();
    world.drop({ kind: 'ResourceClaimTemplate', namespace: 'demo', name: 'channels' });
    world.stabilize();
    expect(world.find('DomainClaimTemplate', 'channels', 'demo')).toBeDefined();
  });

  it('makes the one that pods name, also where a copy of it has the label', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    const copy = { namespace: 'demo', name: 'copied' };
    world.create(childOf('ResourceClaimTemplate', copy, labelsOf(domain, 'Workload')));
    world.stabilize();
    expect(world.find('DomainClaimTemplate', 'channels', 'demo')).toBeDefined();
  });

  it('Q-18: says once that the name is held by another template, and has its status', () => {
    const world = new NvidiaWorld();
    world.create(childOf('ResourceClaimTemplate', { namespace: 'demo', name: 'channels' }, {}));
    world.create(mesh());
    world.stabilize();
    for (let attempt = 0; attempt < 5; attempt++) world.pass(1_000);
    expect(world.find('ComputeDomain', 'mesh', 'demo')?.['status']).toEqual({ status: 'Ready' });
    expect(world.events.map(({ reason, note }) => [reason, note])).toEqual([
      [
        'ComputeDomainChildFailed',
        'ResourceClaimTemplate channels: create failed (ALREADY_EXISTS): exists; ' +
          'the name is held by an object that is not ours: delete or rename it',
      ],
    ]);
    expect(world.why('computedomain', 'mesh')).toEqual([world.events[0]?.note]);
    world.edit(
      { kind: 'ResourceClaimTemplate', namespace: 'demo', name: 'channels' },
      { metadata: { finalizers: [] } },
    );
    world.drop({ kind: 'ResourceClaimTemplate', namespace: 'demo', name: 'channels' });
    world.pass(1_000);
    expect(world.find('DomainClaimTemplate', 'channels', 'demo')?.metadata.labels).toEqual(
      labelsOf('uid-2', 'Workload'),
    );
    expect(world.events).toHaveLength(1);
  });

  it('has one Event for the children that failed, and no DaemonSet without its template', () => {
    const world = deployed({
      refuse: (op, { kind }) =>
        op === 'create' && kind === 'DomainClaimTemplate' ? 'FORBIDDEN' : undefined,
    });
    const failed = [`ResourceClaimTemplate ${daemons}`, 'ResourceClaimTemplate channels'];
    expect(world.events).toEqual([
      expect.objectContaining({
        note: expect.stringMatching(new RegExp(`^${failed[0]}: .* \\(and 1 more\\)$`)),
      }),
    ]);
    expect(madeBy(world)).toEqual([]);
    const why = world.why('computedomain', 'mesh');
    expect(why.slice(0, 2).map((one) => one.split(':')[0])).toEqual(failed);
    expect(why.at(-1)).toBe(
      'the DaemonSet is made once the claim template of the daemons is there',
    );
  });

  it('says that its finalizer is refused, and makes nothing without it', () => {
    const world = deployed({ refuse: (op) => (op === 'patch' ? 'FORBIDDEN' : undefined) });
    expect(world.events.map(({ reason }) => reason)).toEqual(['ComputeDomainFinalizerFailed']);
    expect(world.writes).toEqual([]);
  });

  it('says nothing of an earlier attempt of its own that it hears of late', () => {
    const world = new NvidiaWorld({ hides: ({ kind }) => kind === 'ResourceClaimTemplate' });
    world.create(mesh());
    const own = { namespace: 'demo', name: 'channels' };
    world.create(childOf('ResourceClaimTemplate', own, labelsOf(domain, 'Workload')));
    world.options = { ...world.options, isSlow: true };
    world.stabilize().land();
    world.options = {};
    const ref = { kind: 'ResourceClaimTemplate', ...own } as const;
    world.edit(ref, { metadata: { annotations: { seen: 'now' } } });
    world.land();
    expect(world.events).toEqual([]);
  });
});

describe('A ComputeDomain whose daemons the host runs', () => {
  it('HC-2: has a claim template with one channel, and is Ready for ever', () => {
    const world = deployed(
      { settings: { mode: 'hostManaged' } },
      { allocationMode: 'All', numNodes: 4 },
    );
    expect(madeBy(world)).toEqual(['create DomainClaimTemplate channels']);
    expect(parametersOf(world, 'channels', 'demo')).toMatchObject({ allocationMode: 'Single' });
    expect(world.find('ComputeDomain', 'mesh', 'demo')?.['status']).toEqual({ status: 'Ready' });
    expect(world.why('computedomain', 'mesh')).toEqual([
      'ComputeDomain mesh has its claim template; IMEX is up to the host',
    ]);
    world.remove(domainRef);
    world.stabilize();
    expect(world.find('DomainClaimTemplate', 'channels', 'demo')).toBeUndefined();
    expect(world.find('ComputeDomain', 'mesh', 'demo')).toBeUndefined();
    expect(world.snapshotOf(domainKey)).toBeUndefined();
  });
});
