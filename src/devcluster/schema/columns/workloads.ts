// The columns of workloads, autoscalers, bindings, leases, claims and cluster configuration.
import type { PrinterColumn, Stored } from '../../contract.ts';
import { age, humanDuration } from '../human.ts';
import { isRecord, listAt, recordAt, textAt, valueAt } from '../record.ts';
import { ageColumn, boolean, column, count, integer, nameColumn, none } from './cells.ts';
import { printLabels, printSelector, ratio, templateColumns, text, wide } from './cells.ts';

const podTemplate = templateColumns('spec', 'template', 'spec');
const selector = wide('Selector', (object) => printSelector(valueAt(object, 'spec', 'selector')));

export const deploymentColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Ready', ratio(['status', 'readyReplicas'], ['spec', 'replicas'])),
  column('Up-to-date', integer('status', 'updatedReplicas'), 'integer'),
  column('Available', integer('status', 'availableReplicas'), 'integer'),
  ageColumn,
  ...podTemplate,
  selector,
];

export const replicaSetColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Desired', integer('spec', 'replicas'), 'integer'),
  column('Current', integer('status', 'replicas'), 'integer'),
  column('Ready', integer('status', 'readyReplicas'), 'integer'),
  ageColumn,
  ...podTemplate,
  selector,
];

export const statefulSetColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Ready', ratio(['status', 'readyReplicas'], ['spec', 'replicas'])),
  ageColumn,
  ...podTemplate,
];

export const daemonSetColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Desired', integer('status', 'desiredNumberScheduled'), 'integer'),
  column('Current', integer('status', 'currentNumberScheduled'), 'integer'),
  column('Ready', integer('status', 'numberReady'), 'integer'),
  column('Up-to-date', integer('status', 'updatedNumberScheduled'), 'integer'),
  column('Available', integer('status', 'numberAvailable'), 'integer'),
  column('Node Selector', (set) =>
    printLabels(valueAt(set, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  ageColumn,
  ...podTemplate,
  selector,
];

export const revisionColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Controller', (revision) => {
    const owner = listAt(revision.metadata, 'ownerReferences').find(
      (each) => valueAt(each, 'controller') === true,
    );
    if (owner === undefined) return none;
    const group = textAt(owner, 'apiVersion').split('/').slice(0, -1).join('/');
    const kind = textAt(owner, 'kind').toLowerCase();
    return `${group === '' ? kind : `${kind}.${group}`}/${textAt(owner, 'name')}`;
  }),
  column('Revision', integer('revision'), 'integer'),
  ageColumn,
];

function jobStatus(job: Stored): string {
  const conditions = listAt(job['status'], 'conditions');
  const has = (type: string): boolean =>
    conditions.some((each) => textAt(each, 'type') === type && textAt(each, 'status') === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata['deletionTimestamp'] !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function jobCompletions(job: Stored): string {
  const wanted = valueAt(job, 'spec', 'completions');
  const done = String(integer('status', 'succeeded')(job, 0));
  if (typeof wanted === 'number') return `${done}/${wanted}`;
  const parallelism = valueAt(job, 'spec', 'parallelism');
  return typeof parallelism === 'number' && parallelism > 1
    ? `${done}/1 of ${parallelism}`
    : `${done}/1`;
}

function jobDuration(job: Stored, now: number): string {
  const start = textAt(job['status'], 'startTime');
  if (start === '') return '';
  const end = textAt(job['status'], 'completionTime');
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}

export const jobColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Status', jobStatus),
  column('Completions', jobCompletions),
  column('Duration', jobDuration),
  ageColumn,
  ...podTemplate,
  selector,
];

export const cronJobColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Schedule', text(['spec', 'schedule'])),
  column('Timezone', text(['spec', 'timeZone'], none)),
  column('Suspend', (job) => (boolean('spec', 'suspend')(job, 0) ? 'True' : 'False')),
  column('Active', count('status', 'active'), 'integer'),
  column('Last Schedule', (job, now) => {
    const last = textAt(job['status'], 'lastScheduleTime');
    return last === '' ? none : age(last, now);
  }),
  ageColumn,
  ...templateColumns('spec', 'jobTemplate', 'spec', 'template', 'spec'),
  wide('Selector', (job) => printSelector(valueAt(job, 'spec', 'jobTemplate', 'spec', 'selector'))),
];

const metricName = (metric: unknown): string => {
  const source = sourceOf(metric);
  return textAt(source, 'name') || textAt(recordAt(source, 'metric'), 'name');
};

/** The part of a metric that is named by its type: `resource`, `pods`, ... */
function sourceOf(metric: unknown): Record<string, unknown> {
  const type = textAt(metric, 'type');
  return recordAt(metric, type.slice(0, 1).toLowerCase() + type.slice(1));
}

const measure = (value: Record<string, unknown>): string | undefined => {
  const percent = value['averageUtilization'];
  if (typeof percent === 'number') return `${percent}%`;
  const amount = value['averageValue'] ?? value['value'];
  return amount === undefined ? undefined : String(amount);
};

function hpaTargets(hpa: Stored): string {
  const current = listAt(hpa['status'], 'currentMetrics');
  const shown = listAt(hpa['spec'], 'metrics').map((metric) => {
    const same = current.find(
      (each) =>
        textAt(each, 'type') === textAt(metric, 'type') && metricName(each) === metricName(metric),
    );
    const now = measure(recordAt(sourceOf(same), 'current')) ?? '<unknown>';
    const target = measure(recordAt(sourceOf(metric), 'target')) ?? '<unknown>';
    const prefix = textAt(metric, 'type') === 'Resource' ? `${metricName(metric)}: ` : '';
    return `${prefix}${now}/${target}`;
  });
  if (shown.length === 0) return none;
  return shown.length > 2
    ? `${shown.slice(0, 2).join(', ')} + ${shown.length - 2} more...`
    : shown.join(', ');
}

export const hpaColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Reference', (hpa) => {
    const target = valueAt(hpa, 'spec', 'scaleTargetRef');
    return `${textAt(target, 'kind')}/${textAt(target, 'name')}`;
  }),
  column('Targets', hpaTargets),
  column('MinPods', text(['spec', 'minReplicas'], '<unset>')),
  column('MaxPods', integer('spec', 'maxReplicas'), 'integer'),
  column('Replicas', integer('status', 'currentReplicas'), 'integer'),
  ageColumn,
];

export const disruptionBudgetColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Min Available', text(['spec', 'minAvailable'], 'N/A')),
  column('Max Unavailable', text(['spec', 'maxUnavailable'], 'N/A')),
  column('Allowed Disruptions', integer('status', 'disruptionsAllowed'), 'integer'),
  ageColumn,
];

const subjects =
  (kind: string) =>
  (binding: Stored): string =>
    listAt(binding, 'subjects')
      .filter((each) => textAt(each, 'kind') === kind)
      .map((each) =>
        kind === 'ServiceAccount'
          ? `${textAt(each, 'namespace')}/${textAt(each, 'name')}`
          : textAt(each, 'name'),
      )
      .join(', ');

export const bindingColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Role', (binding) => {
    const role = binding['roleRef'];
    return `${textAt(role, 'kind')}/${textAt(role, 'name')}`;
  }),
  ageColumn,
  wide('Users', subjects('User')),
  wide('Groups', subjects('Group')),
  wide('ServiceAccounts', subjects('ServiceAccount')),
];

export const leaseColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Holder', text(['spec', 'holderIdentity'])),
  ageColumn,
];

export const webhookColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Webhooks', count('webhooks'), 'integer'),
  ageColumn,
];

export const apiServiceColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Service', (object) => {
    const service = valueAt(object, 'spec', 'service');
    return isRecord(service)
      ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}`
      : 'Local';
  }),
  column('Available', (object) => {
    const found = listAt(object['status'], 'conditions').find(
      (each) => textAt(each, 'type') === 'Available',
    );
    const status = textAt(found, 'status') || 'Unknown';
    return status === 'True' ? status : `${status} (${textAt(found, 'reason')})`;
  }),
  ageColumn,
];

export const storageClassColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Provisioner', text(['provisioner'])),
  column('ReclaimPolicy', text(['reclaimPolicy'], 'Delete')),
  column('VolumeBindingMode', text(['volumeBindingMode'], '<unset>')),
  column('AllowVolumeExpansion', boolean('allowVolumeExpansion'), 'boolean'),
  ageColumn,
];

export const networkPolicyColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Pod-Selector', (policy) => printSelector(valueAt(policy, 'spec', 'podSelector'))),
  ageColumn,
];

function claimState(claim: Stored): string {
  const states: string[] = [];
  if (claim.metadata['deletionTimestamp'] !== undefined) states.push('deleted');
  const allocated = valueAt(claim, 'status', 'allocation') !== undefined;
  if (!allocated) return [...states, 'pending'].join(',');
  states.push('allocated');
  if (listAt(claim['status'], 'reservedFor').length > 0) states.push('reserved');
  return states.join(',');
}

export const resourceClaimColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('State', claimState),
  ageColumn,
];

export const resourceSliceColumns: readonly PrinterColumn[] = [
  nameColumn,
  column('Node', text(['spec', 'nodeName'], '<unset>')),
  column('Driver', text(['spec', 'driver'])),
  column('Pool', text(['spec', 'pool', 'name'])),
  ageColumn,
];
