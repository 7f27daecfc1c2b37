// Tables as kubectl prints them: pods in every state, built-in kinds, custom columns, ages.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { builtinResources } from '#src/devcluster/schema/builtin.ts';
import { resourcesOfCrd } from '#src/devcluster/schema/crd.ts';
import { tableOf } from '#src/devcluster/schema/tables.ts';
import { crd } from './crd-fixtures.ts';

const now = Date.parse('2026-01-02T00:00:00Z');
const rows = builtinResources();

function resource(plural: string): ResourceInfo {
  const row = rows.find((each) => each.plural === plural);
  if (row === undefined) throw new Error(plural);
  return row;
}

const object = (parts: JsonObject, metadata: JsonObject = {}): Stored => ({
  metadata: { name: 'it', creationTimestamp: '2026-01-01T23:55:00Z', ...metadata },
  ...parts,
});

function cells(row: ResourceInfo, of: Stored): Record<string, unknown> {
  const table = tableOf(row, [of], { includeObject: 'None', now });
  const [first] = table.rows;
  const values = first !== null && typeof first === 'object' && 'cells' in first ? first.cells : [];
  const names = table.columnDefinitions.map((column) =>
    column !== null && typeof column === 'object' && 'name' in column ? String(column.name) : '',
  );
  return Object.fromEntries(
    names.map((name, at) => [name, Array.isArray(values) ? values[at] : null]),
  );
}

const pod = (status: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}): Stored =>
  object({ spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec }, status }, metadata);

const running = { state: { running: {} }, ready: true };
const waiting = (reason: string): JsonObject => ({ state: { waiting: { reason } } });
const ended = (more: JsonObject): JsonObject => ({ state: { terminated: more } });

const podStates: readonly (readonly [string, Stored, string, string])[] = [
  ['pending', pod({ phase: 'Pending' }), '0/2', 'Pending'],
  [
    'gated',
    pod({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
    }),
    '0/2',
    'SchedulingGated',
  ],
  ['running', pod({ phase: 'Running', containerStatuses: [running, running] }), '2/2', 'Running'],
  [
    'crashing',
    pod({ phase: 'Running', containerStatuses: [running, waiting('CrashLoopBackOff')] }),
    '1/2',
    'CrashLoopBackOff',
  ],
  [
    'initialising',
    pod(
      {
        phase: 'Pending',
        initContainerStatuses: [ended({ exitCode: 0 }), { state: { running: {} } }],
      },
      { initContainers: [{ name: 'i' }, { name: 'j' }] },
    ),
    '0/2',
    'Init:1/2',
  ],
  [
    'failed in init',
    pod(
      { phase: 'Pending', initContainerStatuses: [ended({ exitCode: 1, reason: 'Error' })] },
      { initContainers: [{ name: 'i' }] },
    ),
    '0/2',
    'Init:Error',
  ],
  [
    'with a sidecar',
    pod(
      {
        phase: 'Running',
        initContainerStatuses: [{ name: 's', ...running, started: true }],
        containerStatuses: [running, running],
      },
      { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
    ),
    '3/3',
    'Running',
  ],
  [
    'completed',
    pod({ phase: 'Succeeded', containerStatuses: [ended({ exitCode: 0, reason: 'Completed' })] }),
    '0/2',
    'Completed',
  ],
  [
    'killed by a signal',
    pod({ phase: 'Failed', containerStatuses: [ended({ exitCode: 137, signal: 9 })] }),
    '0/2',
    'Signal:9',
  ],
  ['evicted', pod({ phase: 'Failed', reason: 'Evicted' }), '0/2', 'Evicted'],
  [
    'terminating',
    pod(
      { phase: 'Running', containerStatuses: [running, running] },
      {},
      { deletionTimestamp: 'x' },
    ),
    '2/2',
    'Terminating',
  ],
];

describe('Tables of pods', () => {
  test.each(podStates)('A pod that is %s', (_, of, ready, status) => {
    expect(cells(resource('pods'), of)).toMatchObject({ Ready: ready, Status: status, Age: '5m' });
  });

  test('Restarts say when the last one was', () => {
    const lastState = { terminated: { finishedAt: '2026-01-01T23:58:00Z' } };
    const of = pod({
      phase: 'Running',
      containerStatuses: [{ ...running, restartCount: 3, lastState }],
    });
    expect(cells(resource('pods'), of)['Restarts']).toBe('3 (2m ago)');
  });

  test('Columns have the names and order of kubectl, the wide ones last', () => {
    expect(Object.keys(cells(resource('pods'), pod({})))).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
      'IP',
      'Node',
      'Nominated Node',
      'Readiness Gates',
    ]);
  });
});

const others: readonly (readonly [string, JsonObject, Record<string, unknown>])[] = [
  [
    'nodes',
    {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.35.0' },
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    },
    {
      Status: 'Ready,SchedulingDisabled',
      Roles: '<none>',
      Version: 'v1.35.0',
      'Internal-IP': '10.0.0.1',
    },
  ],
  [
    'services',
    { spec: { type: 'ClusterIP', clusterIP: 'None', selector: { b: '2', a: '1' } } },
    { 'Cluster-IP': 'None', 'External-IP': '<none>', 'Port(s)': '<none>', Selector: 'a=1,b=2' },
  ],
  [
    'services',
    {
      spec: {
        type: 'NodePort',
        ports: [
          { port: 80, nodePort: 30080, protocol: 'TCP' },
          { port: 53, protocol: 'UDP' },
        ],
      },
    },
    { 'Port(s)': '80:30080/TCP,53/UDP' },
  ],
  ['secrets', { type: 'Opaque', data: { a: '', b: '' } }, { Type: 'Opaque', Data: 2 }],
  ['namespaces', { status: { phase: 'Active' } }, { Status: 'Active' }],
  ['leases', { spec: { holderIdentity: 'me' } }, { Holder: 'me' }],
  ['roles', {}, { 'Created At': '2026-01-01T23:55:00Z' }],
  [
    'rolebindings',
    {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'n', name: 's' }],
    },
    { Role: 'Role/r', ServiceAccounts: 'n/s', Users: '' },
  ],
  [
    'deployments',
    { spec: { replicas: 3, selector: { matchLabels: { a: 'b' } } }, status: { readyReplicas: 2 } },
    { Ready: '2/3', 'Up-to-date': 0, Selector: 'a=b' },
  ],
  [
    'events',
    {
      lastTimestamp: '2026-01-01T23:59:50Z',
      type: 'Warning',
      reason: 'Failed',
      message: 'no ',
      involvedObject: { kind: 'Pod', name: 'x' },
      count: 4,
    },
    {
      'Last Seen': '10s',
      Type: 'Warning',
      Reason: 'Failed',
      Object: 'pod/x',
      Message: 'no',
      Count: 4,
    },
  ],
  [
    'horizontalpodautoscalers',
    {
      spec: {
        scaleTargetRef: { kind: 'PodClique', name: 'c' },
        maxReplicas: 5,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } },
        ],
      },
    },
    { Reference: 'PodClique/c', Targets: 'cpu: <unknown>/80%', MinPods: '<unset>', MaxPods: 5 },
  ],
];

describe('Tables of other kinds', () => {
  test.each(others)('%s show what kubectl shows', (plural, parts, expected) => {
    expect(cells(resource(plural), object(parts))).toMatchObject(expected);
  });

  test('A custom kind takes its cells from paths, dates as ages, and nothing where nothing is', () => {
    const [row] = resourcesOfCrd(crd('podcliques'));
    if (row === undefined) throw new Error('no row');
    const of = object({
      spec: { minAvailable: 1, replicas: 2, roleName: 'r' },
      status: { conditions: [{ type: 'MinAvailableBreached', status: 'False' }] },
    });
    expect(cells(row, of)).toEqual({
      Name: 'it',
      MinAvail: 1,
      Replicas: 2,
      Ready: null,
      Scheduled: null,
      Updated: null,
      Gated: null,
      MinBreached: 'False',
      Role: 'r',
      Age: '5m',
    });
  });

  test('A path with several matches shows the first, a list shows as JSON', () => {
    const [row] = resourcesOfCrd(crd('clustertopologybindings'));
    if (row === undefined) throw new Error('no row');
    const levels = [
      { domain: 'zone', key: 'z' },
      { domain: 'rack', key: 'r' },
    ];
    expect(cells(row, object({ spec: { levels } }))).toMatchObject({
      Domains: 'zone',
      Levels: JSON.stringify(levels),
    });
  });

  test('Rows carry metadata, the whole object, or nothing', () => {
    const of = object({ spec: {} });
    const rowOf = (includeObject: 'None' | 'Metadata' | 'Object'): unknown =>
      tableOf(resource('leases'), [of], { includeObject, now }).rows[0];
    expect(rowOf('None')).toMatchObject({ object: null });
    expect(rowOf('Object')).toMatchObject({ object: of });
    expect(rowOf('Metadata')).toMatchObject({
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: of.metadata,
      },
    });
  });
});
