// Pods, Services and PVCs that are there already: whose they are, which may be taken over, and what
// is said of all others.
import { describe, expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { KubeObject, ObjectMeta } from '#machines/kubernetes/objects.ts';
import {
  controllerOfKind,
  podNamed,
  podRef,
  sandboxNamed,
  sandboxRef,
  serviceRef,
  tracked,
  volumeRef,
} from '#test/support/agentsandbox/samples.ts';
import type { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import {
  begun,
  conditions,
  dropPod,
  mapOf,
  ready,
  readyBox,
  readyOf,
  there,
  writesOf,
} from './kit.ts';

const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };
const spec = { service: true, volumeClaimTemplates: [claim] };
const theirs = {
  labels: tracked('box'),
  ownerReferences: [controllerOfKind('Job', 'job', 'uid-x')],
};
const adoptable = { labels: { [label.adoptable]: 'true' } };
const keys = `missing required pool authorization label ("${label.adoptable}") or sandbox tracking label ("${label.sandboxNameHash}")`;

const serviceWith = (metadata: Partial<ObjectMeta>, clusterIP = 'None'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'box', namespace: 'demo', ...metadata },
  spec: { clusterIP, selector: { app: 'theirs' } },
});

const volumeWith = (metadata: Partial<ObjectMeta>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data-box', namespace: 'demo', ...metadata },
  spec: {},
});

const controllersOf = (world: AgentSandboxWorld): readonly unknown[] =>
  (['Pod', 'Service', 'SandboxVolume'] as const).map(
    (kind) =>
      there(
        world,
        kind,
        kind === 'SandboxVolume' ? 'data-box' : 'box',
      )?.metadata.ownerReferences?.at(-1)?.kind,
  );

describe('What has the name of something of a Sandbox', () => {
  it.each([
    ['the adoptable label', adoptable],
    ['the tracking label', { labels: tracked('box') }],
  ])('is taken over with %s (R52)', (_, metadata) => {
    const keeper = { ...controllerOfKind('Job', 'keeper', 'uid-k'), controller: false };
    const given = { ...metadata, ownerReferences: [keeper] };
    // Each under the version that was judged: it may be somebody else's by now.
    const versions: unknown[] = [];
    const decided = (intent: WriteIntent): void => {
      if (intent.type !== 'patchObject' || !intent.reason.includes('taken over')) return;
      versions.push([intent.ref.kind, intent.resourceVersion]);
    };
    const world = begun({
      spec,
      options: { decided },
      before: [podNamed('box', given), serviceWith(given), volumeWith(given)],
    });
    expect(controllersOf(world)).toEqual(['Sandbox', 'Sandbox', 'Sandbox']);
    expect(versions).toEqual(
      ['SandboxVolume', 'SandboxPod', 'SandboxService'].map((kind) => [kind, expect.any(String)]),
    );
    expect(there(world, 'Pod', 'box')?.metadata.ownerReferences).toHaveLength(2);
    expect(mapOf(world, 'labels', 'Pod', 'box')).toMatchObject(tracked('box'));
    expect(there(world, 'Service', 'box')?.['spec']).toMatchObject({ selector: tracked('box') });
    expect(world.writes.some((write) => write.startsWith('create'))).toBe(false);
    expect(readyOf(ready(world))).toBe('True DependenciesReady: Pod is Ready; Service Exists');
    expect(writesOf(world, () => world.restart().comeToRest())).toEqual([]);
  });

  it.each([
    [
      'of somebody else',
      theirs,
      [
        'PVC "data-box" is owned by Job/job (UID: uid-x), not by sandbox "box"',
        'pod "box" is owned by Job/job (UID: uid-x), not by sandbox "box"',
        'service "box" is owned by Job/job (UID: uid-x), not by sandbox "box"',
      ],
    ],
    [
      'of nobody, without a label that says so',
      { labels: tracked('another') },
      [
        `cannot adopt unowned PVC "data-box": ${keys}`,
        `cannot adopt unowned pod "box": ${keys}`,
        `cannot adopt unowned service "box": ${keys}`,
      ],
    ],
  ])('is left alone %s (R50, R52, H1)', (_, metadata, texts) => {
    const world = begun({
      spec,
      before: [podNamed('box', metadata), serviceWith(metadata), volumeWith(metadata)],
    });
    expect(readyOf(world)).toBe(`False ReconcilerError: Error seen: ${texts.join('\n')}`);
    expect(world.writes).toEqual(['status Sandbox/demo/box']);
    expect(world.why('sandbox', 'box')).toEqual([texts[1], texts[0], texts[2]]);
    expect(writesOf(world, () => world.pass(60_000).comeToRest())).toEqual([]);
    for (const ref of [podRef('box'), serviceRef('box'), volumeRef('data-box')]) {
      world.store.drop(ref);
    }
    expect(readyOf(ready(world.comeToRest()))).toMatch(/^True/);
  });

  it('is found where no label tells of it, and tried again until it is gone (R52)', () => {
    const world = begun({ spec, before: [podNamed('box'), serviceWith({}), volumeWith({})] });
    expect(readyOf(world)).toBe(
      `False ReconcilerError: Error seen: cannot adopt unowned PVC "data-box": ${keys}\n` +
        `cannot adopt unowned pod "box": ${keys}\ncannot adopt unowned service "box": ${keys}`,
    );
    for (const ref of [podRef('box'), serviceRef('box'), volumeRef('data-box')]) {
      world.store.drop(ref);
    }
    world.comeToRest().pass(1_000).comeToRest();
    expect(controllersOf(world)).toEqual(['Sandbox', 'Sandbox', 'Sandbox']);
    expect(readyOf(ready(world.pass(1_000).comeToRest()))).toMatch(/^True/);
  });

  it('is a Service with an address of its own, which cannot be taken over (R58)', () => {
    const world = begun({ spec: { service: true }, before: [serviceWith(adoptable, '10.1.1.1')] });
    expect(readyOf(world)).toBe(
      'False ReconcilerError: Error seen: cannot adopt service "box": ClusterIP is "10.1.1.1" (expected "None", field is immutable)',
    );
  });

  it('belongs to an earlier Sandbox of that name until that is collected (R50)', () => {
    const old = controllerOfKind('Sandbox', 'box', 'uid-old');
    const metadata = { labels: tracked('box'), ownerReferences: [old] };
    const world = begun({ before: [podNamed('box', metadata)] });
    expect(readyOf(world)).toMatch(
      /is owned by Sandbox\/box \(UID: uid-old\), not by sandbox "box"/,
    );
    expect(there(world, 'Pod', 'box')?.metadata.deletionTimestamp).toBeUndefined();
    world.collect();
    expect(readyOf(ready(world.comeToRest()))).toMatch(/^True/);
  });
});

describe('A pod under another name', () => {
  it('is used where the Sandbox names it and may take it over', () => {
    const world = begun({
      metadata: { annotations: { [annotation.podName]: 'prepared' } },
      before: [podNamed('prepared', adoptable)],
    });
    expect(readyOf(ready(world, 'prepared'))).toMatch(/^True/);
    expect(there(world, 'Pod', 'box')).toBeUndefined();
    expect(writesOf(world, () => world.restart().comeToRest())).toEqual([]);
  });

  it('is not waited for where there is none, and another one is made (R51)', () => {
    const world = begun({ metadata: { annotations: { [annotation.podName]: 'lost' } } });
    expect(mapOf(world, 'annotations', 'Sandbox', 'box')).toEqual({ [annotation.podName]: 'box' });
    expect(readyOf(ready(world))).toMatch(/^True/);
  });

  it("is not used where it is somebody else's (R50)", () => {
    const world = begun({
      metadata: { annotations: { [annotation.podName]: 'taken' } },
      before: [podNamed('taken', theirs)],
    });
    expect(mapOf(world, 'annotations', 'Sandbox', 'box')).toEqual({ [annotation.podName]: 'box' });
    expect(readyOf(ready(world))).toMatch(/^True/);
  });

  it('counts where the Sandbox controls it, whatever it names', () => {
    const world = begun();
    const uid = there(world, 'Sandbox', 'box')?.metadata.uid ?? '';
    const ownerReferences = [controllerOfKind('Sandbox', 'box', uid)];
    world.store.create(podNamed('other', { labels: tracked('box'), ownerReferences }));
    dropPod(world.comeToRest());
    expect(mapOf(world, 'annotations', 'Sandbox', 'box')).toEqual({
      [annotation.podName]: 'other',
    });
    expect(there(world, 'Pod', 'box')).toBeUndefined();
  });
});

describe('Several pods of one Sandbox', () => {
  function several(): AgentSandboxWorld {
    const world = readyBox({ spec: { service: true } });
    const uid = there(world, 'Sandbox', 'box')?.metadata.uid ?? '';
    const ownerReferences = [controllerOfKind('Sandbox', 'box', uid)];
    world.store.create(podNamed('second', { labels: tracked('box'), ownerReferences }));
    return world.comeToRest();
  }

  it('are told, and none of them is chosen or deleted in either mode (R49)', () => {
    const world = several();
    const text =
      'multiple Pods (2) are controlled by this Sandbox; refusing to choose or create a Pod';
    expect(conditions(world)).toMatchObject({
      Ready: `False MultiplePods: ${text}`,
      PodScheduled:
        'Unknown PodSchedulingUnknown: Pod state is unknown. Pod scheduling cannot be determined',
    });
    expect(there(world, 'Sandbox', 'box')?.['status']).toMatchObject({ service: 'box' });
    expect(there(world, 'Sandbox', 'box')?.['status']).not.toHaveProperty('podIPs');
    expect(world.events).toMatchObject([{ reason: 'MultiplePods', note: text }]);
    world.restart().comeToRest();
    world.store.drop(serviceRef('box'));
    world.store.edit(sandboxRef('box'), { spec: { operatingMode: 'Suspended' } });
    world.comeToRest();
    expect(conditions(world)).toMatchObject({
      Ready: `False MultiplePods: ${text}`,
      Suspended:
        'Unknown PodStateUnknown: Pod state is unknown. Sandbox suspension cannot be confirmed',
    });
    expect(world.events).toHaveLength(1);
    expect(there(world, 'Service', 'box')).toBeUndefined();
    const pods = world.store.all('Pod').filter((pod) => pod.metadata.deletionTimestamp);
    expect(pods).toEqual([]);
  });

  it('are one again once the others are gone', () => {
    const world = dropPod(several(), 'second');
    expect(readyOf(world)).toBe('True DependenciesReady: Pod is Ready; Service Exists');
  });
});

describe('Two Sandboxes whose names have one hash', () => {
  // FNV-1a of 32 bits gives both the same.
  const [one, other] = ['costarring', 'liquid'];

  it('keep to their own pods (H1, R65)', () => {
    expect(nameHash(one)).toBe(nameHash(other));
    const world = begun();
    for (const name of [one, other]) world.store.create(sandboxNamed(name));
    world.comeToRest();
    ready(ready(world, one), other);
    world.store.edit(sandboxRef(one), { spec: { operatingMode: 'Suspended' } });
    world.comeToRest();
    expect(there(world, 'Pod', one)?.metadata.deletionTimestamp).toBeDefined();
    expect(there(world, 'Pod', other)?.metadata.deletionTimestamp).toBeUndefined();
    world.store.drop(podRef(one));
    world.comeToRest();
    expect(there(world, 'Sandbox', one)?.['status']).not.toHaveProperty('podIPs');
    expect(there(world, 'Sandbox', other)?.['status']).toHaveProperty('podIPs');
  });
});
