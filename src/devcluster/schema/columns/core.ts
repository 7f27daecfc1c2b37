// The columns of the other core kinds: nodes, services, namespaces, configuration, storage, events.
import type { PrinterColumn, Stored } from '../../contract.ts';
import { age } from '../human.ts';
import { isRecord, listAt, recordAt, textAt, valueAt } from '../record.ts';
import { ageColumn, column, count, createdColumn, integer, nameColumn } from './cells.ts';
import { none, printLabels, some, text, wide } from './cells.ts';

function nodeStatus(node: Stored): string {
  const ready = listAt(node['status'], 'conditions').find(
    (each) => textAt(each, 'type') === 'Ready',
  );
  const up = textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  const first = ready === undefined ? 'Unknown' : up;
  return valueAt(node, 'spec', 'unschedulable') === true ? `${first},SchedulingDisabled` : first;
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(node: Stored): string {
  const roles = Object.entries(recordAt(node.metadata, 'labels')).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' ? [String(value)] : [];
  });
  return (
    roles
      .filter((role) => role !== '')
      .toSorted()
      .join(',') || none
  );
}

const address =
  (type: string) =>
  (node: Stored): string => {
    const found = listAt(node['status'], 'addresses').find((each) => textAt(each, 'type') === type);
    return textAt(found, 'address') || none;
  };

const nodeInfo = (field: string): ReturnType<typeof text> =>
  text(['status', 'nodeInfo', field], '<unknown>');

export const nodeColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  ageColumn,
  column('Version', text(['status', 'nodeInfo', 'kubeletVersion'])),
  wide('Internal-IP', address('InternalIP')),
  wide('External-IP', address('ExternalIP')),
  wide('OS-Image', nodeInfo('osImage')),
  wide('Kernel-Version', nodeInfo('kernelVersion')),
  wide('Container-Runtime', nodeInfo('containerRuntimeVersion')),
];

function externalAddress(service: Stored): string {
  const spec = recordAt(service, 'spec');
  const external = listAt(spec, 'externalIPs').map(String);
  switch (spec['type']) {
    case 'ExternalName':
      return textAt(spec, 'externalName') || none;
    case 'LoadBalancer': {
      const ingress = listAt(valueAt(service, 'status', 'loadBalancer'), 'ingress');
      const found = ingress.map((each) => textAt(each, 'ip') || textAt(each, 'hostname'));
      return [...found, ...external].join(',') || '<pending>';
    }
    default:
      return external.join(',') || none;
  }
}

const printPort = (port: unknown): string => {
  const node = valueAt(port, 'nodePort');
  const number = String(valueAt(port, 'port') ?? '');
  const protocol = textAt(port, 'protocol') || 'TCP';
  return typeof node === 'number' && node > 0
    ? `${number}:${node}/${protocol}`
    : `${number}/${protocol}`;
};

export const serviceColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Type', text(['spec', 'type'])),
  column('Cluster-IP', text(['spec', 'clusterIP'], none)),
  column('External-IP', externalAddress),
  column('Port(s)', (service) => listAt(service['spec'], 'ports').map(printPort).join(',') || none),
  ageColumn,
  wide('Selector', (service) => printLabels(valueAt(service, 'spec', 'selector'))),
];

export const namespaceColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Status', text(['status', 'phase'])),
  ageColumn,
];

export const secretColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Type', text(['type'])),
  column('Data', count('data'), 'integer'),
  ageColumn,
];

export const configMapColumns: readonly PrinterColumn[] = [
  nameColumn,
  column(
    'Data',
    (map) => Number(count('data')(map, 0)) + Number(count('binaryData')(map, 0)),
    'integer',
  ),
  ageColumn,
];

export const serviceAccountColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Secrets', count('secrets'), 'integer'),
  ageColumn,
];

function printSubset(subset: unknown): string[] {
  const ports = listAt(subset, 'ports');
  return listAt(subset, 'addresses').flatMap((each) => {
    const ip = textAt(each, 'ip');
    return ports.length === 0
      ? [ip]
      : ports.map((port) => `${ip}:${String(valueAt(port, 'port'))}`);
  });
}

export const endpointsColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Endpoints', (object) => some(listAt(object, 'subsets').flatMap(printSubset))),
  ageColumn,
];

export const endpointSliceColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('AddressType', text(['addressType'])),
  column('Ports', (slice) => {
    const ports = listAt(slice, 'ports');
    return ports.length === 0
      ? '<unset>'
      : some(ports.map((port) => String(valueAt(port, 'port'))));
  }),
  column('Endpoints', (slice) => {
    const addresses = listAt(slice, 'endpoints').flatMap((each) => listAt(each, 'addresses'));
    return addresses.length === 0 ? '<unset>' : some(addresses.map(String));
  }),
  ageColumn,
];

/** Events of both API groups count their repetitions in one of three places. */
function lastSeen(event: Stored): unknown {
  const series = event['series'];
  if (isRecord(series) && series['lastObservedTime'] !== undefined)
    return series['lastObservedTime'];
  const last = event['lastTimestamp'] ?? event['deprecatedLastTimestamp'];
  return last ?? event['firstTimestamp'] ?? event['eventTime'];
}

const firstSeen = (event: Stored): unknown =>
  event['firstTimestamp'] ?? event['deprecatedFirstTimestamp'] ?? event['eventTime'];

function repetitions(event: Stored): number {
  const total = valueAt(event, 'series', 'count') ?? event['count'] ?? event['deprecatedCount'];
  return typeof total === 'number' && total > 0 ? total : 1;
}

function eventSource(event: Stored): string {
  const source = recordAt(event, 'source');
  const component = textAt(source, 'component') || textAt(event, 'reportingComponent');
  const reporter = component || textAt(event, 'reportingController');
  const host = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return host === '' ? reporter : `${reporter}, ${host}`;
}

const involved = (event: Stored): Record<string, unknown> =>
  isRecord(event['regarding']) ? event['regarding'] : recordAt(event, 'involvedObject');

export const eventColumns: readonly PrinterColumn[] = [
  column('Last Seen', (event, now) => age(lastSeen(event), now)),
  column('Type', text(['type'])),
  column('Reason', text(['reason'])),
  column('Object', (event) => {
    const object = involved(event);
    const kind = textAt(object, 'kind').toLowerCase();
    return textAt(object, 'name') === '' ? kind : `${kind}/${textAt(object, 'name')}`;
  }),
  wide('Subobject', (event) => textAt(involved(event), 'fieldPath')),
  wide('Source', eventSource),
  column('Message', (event) => (textAt(event, 'message') || textAt(event, 'note')).trim()),
  wide('First Seen', (event, now) => age(firstSeen(event), now)),
  { ...wide('Count', repetitions), type: 'integer' },
  { ...nameColumn, priority: 1 },
];

const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

const modes = (list: readonly unknown[]): string =>
  list.map((mode) => accessModes[String(mode)] ?? String(mode)).join(',');

export const volumeColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Capacity', text(['spec', 'capacity', 'storage'])),
  column('Access Modes', (volume) => modes(listAt(volume['spec'], 'accessModes'))),
  column('Reclaim Policy', text(['spec', 'persistentVolumeReclaimPolicy'])),
  column('Status', (volume) =>
    volume.metadata['deletionTimestamp'] === undefined
      ? textAt(volume['status'], 'phase')
      : 'Terminating',
  ),
  column('Claim', (volume) => {
    const claim = valueAt(volume, 'spec', 'claimRef');
    return isRecord(claim) ? `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}` : '';
  }),
  column('StorageClass', text(['spec', 'storageClassName'])),
  column('VolumeAttributesClass', text(['spec', 'volumeAttributesClassName'], '<unset>')),
  column('Reason', text(['status', 'reason'])),
  ageColumn,
  wide('VolumeMode', text(['spec', 'volumeMode'], '<unset>')),
];

export const claimColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Status', (claim) =>
    claim.metadata['deletionTimestamp'] === undefined
      ? textAt(claim['status'], 'phase')
      : 'Terminating',
  ),
  column('Volume', text(['spec', 'volumeName'])),
  column('Capacity', text(['status', 'capacity', 'storage'])),
  column('Access Modes', (claim) => modes(listAt(claim['status'], 'accessModes'))),
  column('StorageClass', text(['spec', 'storageClassName'])),
  column('VolumeAttributesClass', text(['spec', 'volumeAttributesClassName'], '<unset>')),
  ageColumn,
  wide('VolumeMode', text(['spec', 'volumeMode'], '<unset>')),
];

const quotaOf =
  (prefix: string) =>
  (quota: Stored): string => {
    const used = recordAt(quota['status'], 'used');
    return Object.entries(recordAt(quota['status'], 'hard'))
      .filter(([name]) => name.startsWith('limits') === (prefix === 'limits'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, hard]) => `${name}: ${String(used[name] ?? 0)}/${String(hard)}`)
      .join(', ');
  };

export const quotaColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Request', quotaOf('requests')),
  column('Limit', quotaOf('limits')),
  ageColumn,
];

export const createdColumns: readonly PrinterColumn[] = [nameColumn, createdColumn];

export const priorityClassColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Value', integer('value'), 'integer'),
  column('Global-Default', (object) => object['globalDefault'] === true, 'boolean'),
  ageColumn,
  column('PreemptionPolicy', text(['preemptionPolicy'], 'PreemptLowerPriority')),
];
