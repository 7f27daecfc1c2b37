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
import type { NvidiaOptions } from '#test/support/nvidia-world.ts';

const label = labelOfDomain;

function deployed(options: NvidiaOptions = {}, spec = {}): NvidiaWorld {
  const world = new NvidiaWorld(options);
  world.create(mesh(spec));
  return world.stabilize();
}

const uid = 'uid-1';
const daemons = `computedomain-daemon-${uid}`;
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
      labels: { [label]: uid, [`${label}Target`]: 'Daemon' },
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
              domainID: uid,
            },
          },
        },
      ],
    });
    const channels = world.find('DomainClaimTemplate', 'channels', 'demo');
    expect(channels?.metadata).toMatchObject({
      finalizers: [label],
      labels: { [label]: uid, [`${label}Target`]: 'Workload' },
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
      domainID: uid,
      allocationMode: 'All',
    });
  });
});

describe('The DaemonSet of a ComputeDomain', () => {
  const specOf = (world: NvidiaWorld): unknown =>
    at(world.find('DomainDaemonSet', daemons), 'spec', 'template', 'spec');
  const containerOf = (world: NvidiaWorld): unknown => list(at(specOf(world), 'containers'))[0];

  it('HC-58: selects the nodes of the domain, has no owner, and bears with every taint', () => {
    const world = deployed();
    const set = world.find('DomainDaemonSet', daemons);
    expect(set?.metadata).toMatchObject({
      namespace: 'driver',
      finalizers: [label],
      labels: { [label]: uid },
    });
    expect(set?.metadata.ownerReferences).toBeUndefined();
    expect(at(set, 'spec', 'selector')).toEqual({ matchLabels: { [label]: uid } });
    expect(at(set, 'spec', 'template', 'metadata')).toEqual({ labels: { [label]: uid } });
    const { containers: _, ...pod } = Object(specOf(world));
    expect(pod).toEqual({
      serviceAccountName: 'compute-domain-daemon-service-account',
      nodeSelector: { [label]: uid },
      tolerations: [
        { operator: 'Exists', effect: 'NoSchedule' },
        { operator: 'Exists', effect: 'NoExecute' },
        { operator: 'Exists', effect: 'PreferNoSchedule' },
      ],
      resourceClaims: [{ name: 'compute-domain-daemon', resourceClaimTemplateName: daemons }],
    });
  });

  it('HC-51: runs the daemon with what it needs to know, and probes it', () => {
    const container = containerOf(deployed());
    const check = { exec: { command: ['compute-domain-daemon', 'check'] }, timeoutSeconds: 10 };
    const ofPod = (name: string, fieldPath: string) => ({
      name,
      valueFrom: { fieldRef: { fieldPath } },
    });
    expect(container).toEqual({
      name: 'compute-domain-daemon',
      image: 'nvcr.io/driver:test',
      command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
      env: [
        { name: 'LOG_VERBOSITY', value: '4' },
        { name: 'MAX_NODES_PER_IMEX_DOMAIN', value: '18' },
        ofPod('NODE_NAME', 'spec.nodeName'),
        ofPod('POD_IP', 'status.podIP'),
        ofPod('POD_UID', 'metadata.uid'),
        ofPod('POD_NAME', 'metadata.name'),
        ofPod('POD_NAMESPACE', 'metadata.namespace'),
        { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
        { name: 'FEATURE_GATES', value: 'ComputeDomainCliques=true,IMEXDaemonsWithDNSNames=true,' },
      ],
      resources: { claims: [{ name: 'compute-domain-daemon' }] },
      startupProbe: { ...check, periodSeconds: 1, failureThreshold: 1200 },
      livenessProbe: { ...check, periodSeconds: 60, failureThreshold: 20 },
      readinessProbe: { ...check, periodSeconds: 10, failureThreshold: 1 },
    });
  });

  it('HC-9, HC-76: has the secrets, the priority and the resources of the settings', () => {
    const world = deployed({
      settings: {
        imagePullSecrets: ['registry'],
        priorityClassName: 'system-node-critical',
        resources: { cpu: '100m', memory: '64Mi' },
      },
    });
    expect(specOf(world)).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      priorityClassName: 'system-node-critical',
    });
    expect(at(containerOf(world), 'resources')).toEqual({
      requests: { cpu: '100m', memory: '64Mi' },
      limits: { cpu: '100m', memory: '64Mi' },
      claims: [{ name: 'compute-domain-daemon' }],
    });
  });

  it.each(['driver', 'older'])(
    'HC-56: is used as it is where one is in %s already',
    (namespace) => {
      const world = new NvidiaWorld();
      const set = childOf('DaemonSet', { namespace, name: 'daemon-x7k2' }, labelsOf(uid));
      world.create(mesh());
      world.create(set);
      world.stabilize();
      expect(madeBy(world)).toEqual(['create DomainClaimTemplate channels']);
      expect(world.find('DomainDaemonSet', 'daemon-x7k2', namespace)?.['spec']).toEqual({});
    },
  );

  it('is made where one with its label is in no namespace of the driver', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    world.create(childOf('DaemonSet', { namespace: 'demo', name: 'copied' }, labelsOf(uid)));
    world.stabilize();
    expect(madeBy(world)).toContain(`create DomainDaemonSet ${daemons}`);
  });

  it('that somebody deletes stays until the domain goes, and `why` says so', () => {
    const world = deployed();
    world.remove({ kind: 'DomainDaemonSet', namespace: 'driver', name: daemons });
    world.stabilize().pass(60_000);
    expect(world.find('DomainDaemonSet', daemons)?.metadata.finalizers).toEqual([label]);
    expect(world.why('computedomain', 'mesh')).toEqual([
      `DaemonSet driver/${daemons} was deleted by somebody; it stays until the domain goes`,
    ]);
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
    world.create(childOf('ResourceClaimTemplate', copy, labelsOf(uid, 'Workload')));
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
        'DomainClaimTemplate channels: create failed (ALREADY_EXISTS): exists; ' +
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

  it('has one Event for each child that failed, and no DaemonSet without its template', () => {
    const world = deployed({
      refuse: (op, { kind }) =>
        op === 'create' && kind === 'DomainClaimTemplate' ? 'FORBIDDEN' : undefined,
    });
    expect(world.events.map(({ note }) => note.split(':')[0])).toEqual([
      `DomainClaimTemplate ${daemons}`,
      'DomainClaimTemplate channels',
    ]);
    expect(madeBy(world)).toEqual([]);
    expect(world.why('computedomain', 'mesh').at(-1)).toBe(
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
    world.create(childOf('ResourceClaimTemplate', own, labelsOf(uid, 'Workload')));
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
