// What a Sandbox has besides its pod: PVCs that its pod mounts, and a headless Service.
import { describe, expect, it } from 'vitest';
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { at } from '#machines/kubernetes/json.ts';
import { serviceRef, tracked, volumeRef } from '#test/support/agentsandbox/samples.ts';
import {
  begun,
  dropPod,
  edit,
  readyBox,
  readyOf,
  statusOf,
  suspend,
  there,
  writesOf,
} from './kit.ts';

const data = {
  metadata: { name: 'data', labels: { disk: 'fast' }, annotations: { note: 'n' } },
  spec: { accessModes: ['ReadWriteOnce'] },
};
const podTemplate = {
  spec: {
    containers: [{ name: 'main', image: 'busybox:1' }],
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ],
  },
};

describe('The PVCs of a Sandbox', () => {
  it('are made with labels and annotations of their entry, and mounted (R63)', () => {
    const cache = { metadata: { name: 'cache' }, spec: {} };
    const world = begun({ spec: { podTemplate, volumeClaimTemplates: [data, cache] } });
    expect(there(world, 'SandboxVolume', 'data-box')).toMatchObject({
      metadata: {
        labels: { disk: 'fast', ...tracked('box') },
        annotations: { note: 'n' },
        ownerReferences: [{ kind: 'Sandbox', uid: 'uid-1', controller: true }],
      },
      spec: { accessModes: ['ReadWriteOnce'] },
    });
    expect(at(there(world, 'Pod', 'box'), 'spec', 'volumes')).toEqual([
      { name: 'tmp', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data-box' } },
      { name: 'cache', persistentVolumeClaim: { claimName: 'cache-box' } },
    ]);
    expect(at(there(world, 'Sandbox', 'box'), 'spec', 'volumeClaimTemplates')).toEqual([
      data,
      cache,
    ]);
  });

  it('are made again when they are gone, and kept while it is suspended (G10)', () => {
    const world = readyBox({ spec: { volumeClaimTemplates: [data] } });
    world.store.drop(volumeRef('data-box'));
    expect(writesOf(world, () => world.comeToRest())).toEqual(['create SandboxVolume data-box']);
    dropPod(suspend(world));
    expect(there(world, 'SandboxVolume', 'data-box')?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('that are refused do not keep it from having its pod, and are told of', () => {
    const world = begun({
      spec: { volumeClaimTemplates: [data] },
      options: {
        fateOf: ({ ref }) => (ref.kind === 'SandboxVolume' ? 'refused' : 'answered'),
      },
    });
    expect(there(world, 'Pod', 'box')).toBeDefined();
    expect(readyOf(world)).toBe('False ReconcilerError: Error seen: of the history');
    expect(world.why('sandbox', 'box')[0]).toMatch(
      /^PersistentVolumeClaim data-box: create failed/,
    );
    world.options = {};
    world.pass(1).comeToRest();
    expect(readyOf(world)).toMatch(/^False DependenciesNotReady/);
  });
});

describe('The Service of a Sandbox', () => {
  const ports = [
    { name: 'http', containerPort: 80 },
    { containerPort: 53, protocol: 'UDP' },
  ];
  const withPorts = { spec: { containers: [{ name: 'main', image: 'busybox:1', ports }] } };

  it('is headless, with the ports of its pod, and needed to be ready', () => {
    const world = readyBox({ spec: { service: true, podTemplate: withPorts } });
    expect(there(world, 'Service', 'box')).toMatchObject({
      metadata: { labels: tracked('box'), ownerReferences: [{ kind: 'Sandbox' }] },
      spec: {
        clusterIP: 'None',
        selector: { [label.sandboxNameHash]: nameHash('box') },
        ports: [
          { name: 'p-53-udp', port: 53, protocol: 'UDP', targetPort: 53 },
          { name: 'http', port: 80, protocol: 'TCP', targetPort: 80 },
        ],
      },
    });
    expect(statusOf(world)).toMatchObject({
      service: 'box',
      serviceFQDN: 'box.demo.svc.cluster.local',
    });
    expect(readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
  });

  it('is waited for where it could not be made yet', () => {
    const world = readyBox({
      spec: { service: true },
      options: {
        fateOf: ({ ref }) => (ref.kind === 'SandboxService' ? 'lost request' : 'answered'),
      },
    });
    expect(readyOf(world)).toBe('False DependenciesNotReady: Pod is Ready; Service does not exist');
    expect(world.why('sandbox', 'box')).toEqual(['its Service is about to be made']);
    world.options = {};
    expect(readyOf(world.pass(1).comeToRest())).toMatch(/^True/);
  });

  it('is the one of its name alone, whatever else it controls', () => {
    const world = readyBox({ spec: { service: true } });
    const service = there(world, 'Service', 'box');
    if (service === undefined) throw new Error('no Service');
    world.store.create({ ...service, metadata: { ...service.metadata, name: 'another' } });
    edit(world, { spec: { service: false } });
    expect(there(world, 'Service', 'box')).toBeUndefined();
    expect(there(world, 'Service', 'another')?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('is repaired, with its ports where the Sandbox asks for one (R58)', () => {
    const world = readyBox({ spec: { service: true, podTemplate: withPorts } });
    const broken = {
      metadata: { labels: { [label.sandboxNameHash]: 'wrong' } },
      spec: { selector: { [label.sandboxNameHash]: null, app: 'x' }, ports: [] },
    };
    world.store.edit(serviceRef('box'), broken);
    expect(writesOf(world, () => world.comeToRest())).toEqual(['patch SandboxService box']);
    expect(there(world, 'Service', 'box')?.metadata.labels).toEqual(tracked('box'));
    expect(at(there(world, 'Service', 'box'), 'spec', 'selector')).toEqual(tracked('box'));
    expect(at(there(world, 'Service', 'box'), 'spec', 'ports')).toHaveLength(2);
    edit(world, { spec: { service: null } });
    world.store.edit(serviceRef('box'), broken);
    world.comeToRest();
    expect(at(there(world, 'Service', 'box'), 'spec', 'selector')).toEqual(tracked('box'));
    expect(at(there(world, 'Service', 'box'), 'spec', 'ports')).toEqual([]);
  });

  it('stays where the Sandbox does not say any more, and goes where it wants none', () => {
    const world = readyBox({ spec: { service: true } });
    edit(world, { spec: { service: null } });
    expect(readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
    const writes = writesOf(world, () => edit(world, { spec: { service: false } }));
    expect(writes).toContain('delete SandboxService box');
    expect(there(world, 'Service', 'box')).toBeUndefined();
    expect(statusOf(world)).not.toHaveProperty('service');
    expect(readyOf(world)).toBe('True DependenciesReady: Pod is Ready');
    world.store.drop(serviceRef('box'));
    edit(world, { spec: { service: null } });
    expect(there(world, 'Service', 'box')).toBeUndefined();
  });
});
