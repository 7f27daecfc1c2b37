// What stays of an object in memory, and that no secret does.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allKinds } from '#machines/kinds.ts';
import { prune } from '#src/kube/watch/prune.ts';

const metadata = {
  name: 'p',
  namespace: 'default',
  uid: 'u',
  resourceVersion: '5',
  generation: 2,
  labels: { a: 'b' },
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', keep: 'me' },
  finalizers: ['f'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'o', uid: 'ou', controller: true }],
  deletionTimestamp: '2026-01-01T00:00:00Z',
  managedFields: [{ manager: 'kubectl' }],
};

test('any object loses managedFields and the last applied configuration, nothing else', () => {
  const raw = { metadata, spec: { unknown: { field: 1 } }, status: { x: [1] } };
  const { managedFields: _gone, ...kept } = metadata;
  expect(prune('PodClique', raw)).toEqual({
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodClique',
    metadata: { ...kept, annotations: { keep: 'me' } },
    spec: { unknown: { field: 1 } },
    status: { x: [1] },
  });
});

test('a pod keeps what machines decide on and no more', () => {
  const terminated = { exitCode: 137, reason: 'OOMKilled', startedAt: 'x' };
  const containerStatus = {
    name: 'main',
    ready: false,
    started: true,
    restartCount: 3,
    image: 'nginx',
    imageID: 'sha256:1',
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'long' } },
    lastState: { terminated },
  };
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'ContainersNotReady',
    lastProbeTime: null,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const pod = prune('Pod', {
    metadata,
    spec: {
      containers: [{ name: 'main', image: 'nginx' }],
      hostname: 'h',
      nodeName: 'n1',
      schedulerName: 'default-scheduler',
      schedulingGates: [{ name: 'grove.io/podgang-pending-creation' }],
      volumes: [
        { name: 'token', secret: { secretName: 'demo-ic-sat', defaultMode: 420 } },
        { name: 'data', emptyDir: {} },
      ],
    },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [condition],
      containerStatuses: [containerStatus],
    },
  });
  const { lastProbeTime: _probe, ...keptCondition } = condition;
  expect(pod).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  expect(pod?.['spec']).toEqual({
    hostname: 'h',
    nodeName: 'n1',
    schedulerName: 'default-scheduler',
    schedulingGates: [{ name: 'grove.io/podgang-pending-creation' }],
  });
  expect(pod?.['status']).toEqual({
    phase: 'Running',
    conditions: [keptCondition],
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        started: true,
        restartCount: 3,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: { terminated: { exitCode: 137 } },
      },
    ],
  });
});

test('a pod keeps when its containers ended', () => {
  const terminated = { exitCode: 1, finishedAt: '2026-01-01T00:00:00Z', containerID: 'x' };
  const raw = {
    metadata: { name: 'p' },
    status: { containerStatuses: [{ name: 'main', state: { terminated } }] },
  };
  expect(prune('Pod', raw)?.['status']).toEqual({
    containerStatuses: [
      {
        name: 'main',
        state: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  });
});

test('a Secret keeps its metadata, and no value at all', () => {
  const raw = {
    metadata,
    type: 'kubernetes.io/service-account-token',
    data: { token: 'c2VjcmV0', 'ca.crt': 'Y2E=' },
    stringData: { password: 'hunter2' },
  };
  const secret = prune('Secret', raw);
  expect(Object.keys(secret ?? {})).toEqual(['apiVersion', 'kind', 'metadata']);
  expect(JSON.stringify(secret)).not.toMatch(/c2VjcmV0|Y2E=|hunter2/);
});

test.each([undefined, null, 'text', [], {}, { metadata: {} }, { metadata: { name: '' } }])(
  'what has no name is no object: %j',
  (raw) => {
    expect(prune('Pod', raw)).toBeUndefined();
  },
);

const anyKind = fc.constantFrom(...allKinds());

test('pruning is total, changes nothing that it is given, and twice is as good as once', () => {
  const anyObject = fc.record(
    {
      metadata: fc.constant(metadata),
      spec: fc.jsonValue(),
      status: fc.jsonValue(),
      data: fc.jsonValue(),
    },
    { requiredKeys: ['metadata'] },
  );
  fc.assert(
    fc.property(anyKind, anyObject, (kind, raw) => {
      const before = JSON.stringify(raw);
      const once = prune(kind, raw);
      expect(JSON.stringify(raw)).toBe(before);
      expect(prune(kind, once)).toEqual(once);
    }),
  );
});

test('a ResourceClaim keeps whose it is, and neither its spec nor what was allocated', () => {
  const metadata = { name: 'c', namespace: 'default', labels: { a: 'b' } };
  const raw = { metadata, spec: { devices: {} }, status: { allocation: {} } };
  expect(prune('ResourceClaim', raw)).toEqual({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata,
  });
});
