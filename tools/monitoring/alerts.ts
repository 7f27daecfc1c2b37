// The alerts of the chart. Each is on a symptom that needs a person, with the page of
// docs/runbooks/ that says what to do. rules.ts writes them for Prometheus; tests fire each of them
// with promtool.
import { persistentErrorTypes } from './errors.ts';
import { ours } from './promql.ts';

export interface Alert {
  /** Also the name of its page in docs/runbooks/. */
  readonly name: string;
  /** `critical`: wake somebody. `warning`: look at it in the morning. */
  readonly severity: 'critical' | 'warning';
  readonly expr: string;
  /** How long it must hold, as Prometheus writes times. */
  readonly for: string;
  readonly summary: string;
  /** With Prometheus' own templates. */
  readonly description: string;
}

/** An installation is a job in a namespace, as the Prometheus operator labels it; elsewhere the
 *  namespace is empty. */
const job = '{{ $labels.job }}';

const aboutProcess: readonly Alert[] = [
  {
    name: 'CoppiceDown',
    severity: 'critical',
    // Processes of activators have coppice_actors too, of revisions alone.
    expr: 'absent(coppice_actors{controller!="revision"})',
    for: '5m',
    summary: 'No process of the controller is scraped.',
    description:
      'Prometheus has had no metrics of a Coppice controller for five minutes. Pods run on; nothing is created, updated or repaired, and changes of PodCliqueSets are refused while the webhooks do not answer.',
  },
  {
    name: 'CoppiceShardUnowned',
    severity: 'critical',
    expr: 'max by (namespace, job) (coppice_shards) - sum by (namespace, job) (coppice_leases_held) > 0',
    for: '2m',
    summary: 'Shards have no owner.',
    description: `{{ $value }} shards of ${job} are held by no process that is scraped. Their objects are not reconciled.`,
  },
  {
    name: 'CoppiceCertificateExpires',
    severity: 'critical',
    expr: 'min by (namespace, job, name) (coppice_certificate_not_after_seconds) - time() < 7 * 86400',
    for: '1h',
    summary: 'A certificate ends within a week and was not renewed.',
    description: `The certificate of the {{ $labels.name }} of ${job} ends in {{ $value | humanizeDuration }}. It should have been renewed when two thirds of its life were over.`,
  },
  {
    name: 'CoppiceWatchStale',
    severity: 'critical',
    expr: 'max by (namespace, job, kind) (coppice_cache_age_seconds) > 300',
    for: '5m',
    summary: 'The watch of a kind is silent.',
    description: `A process of ${job} has heard nothing of {{ $labels.kind }} for {{ $value | humanizeDuration }}; the API server sends a bookmark every minute. It decides by what it knew then.`,
  },
  {
    name: 'CoppiceQueueSlow',
    severity: 'warning',
    expr: `histogram_quantile(0.99, sum by (namespace, job, controller, le) ${rate('workqueue_queue_duration_seconds_bucket')}) > 5`,
    for: '10m',
    summary: 'Objects wait long for their reconcile.',
    description: `One in a hundred actors of {{ $labels.controller }} of ${job} waits longer than {{ $value | humanizeDuration }} for its turn.`,
  },
  {
    name: 'CoppiceReconcileSlow',
    severity: 'warning',
    expr: `histogram_quantile(0.95, sum by (namespace, job, controller, le) ${rate('controller_runtime_reconcile_time_seconds_bucket')}) > 0.25`,
    for: '10m',
    summary: 'Reconciles take long.',
    description: `One in twenty reconciles of {{ $labels.controller }} of ${job} takes longer than {{ $value | humanizeDuration }}. Reconciles run one after the other, so everything else waits meanwhile.`,
  },
  {
    name: 'CoppiceSaturated',
    severity: 'warning',
    expr: `sum by (namespace, job, instance) ${rate('controller_runtime_reconcile_time_seconds_sum')} > 0.8`,
    for: '15m',
    summary: 'A process reconciles nearly all the time.',
    description: `{{ $labels.instance }} of ${job} spends {{ $value | humanizePercentage }} of its time on reconciles, on its one thread.`,
  },
];

const aboutObjects: readonly Alert[] = [
  {
    name: 'CoppiceReconcileErrors',
    severity: 'warning',
    expr: `sum by (namespace, job, controller) ${rate('controller_runtime_reconcile_errors_total')} / sum by (namespace, job, controller) ${rate('controller_runtime_reconcile_total')} > 0.05`,
    for: '10m',
    summary: 'Many reconciles fail.',
    description: `{{ $value | humanizePercentage }} of the reconciles of {{ $labels.controller }} of ${job} crash. This is a bug in Coppice, or an object that it cannot read.`,
  },
  {
    name: 'CoppicePersistentErrors',
    severity: 'warning',
    expr: `sum by (namespace, job, controller, error_type) ${rate(`grove_operator_reconcile_errors_total{error_type=~"${persistentErrorTypes.join('|')}"}`, '10m')} > 0`,
    for: '15m',
    summary: 'Errors go on that do not end by themselves.',
    description: `{{ $labels.controller }} of ${job} has met errors of type {{ $labels.error_type }} for 15 minutes. Somebody has to change permissions, an object or the program.`,
  },
  {
    name: 'CoppiceObjectStuck',
    severity: 'warning',
    // A try is in flight now and then, and is no failure yet.
    expr: 'max by (namespace, job, controller) (max_over_time(coppice_write_failing_seconds[5m])) > 900',
    for: '5m',
    summary: 'A write to an object has failed for a quarter of an hour.',
    description: `{{ $labels.controller }} of ${job} has tried to write an object for {{ $value | humanizeDuration }}, and the API server has not taken it.`,
  },
  {
    name: 'CoppiceActorsParked',
    severity: 'warning',
    expr: 'sum by (namespace, job, controller) (coppice_actors_parked) > 0',
    for: '5m',
    summary: 'Objects are not reconciled any more.',
    description: `{{ $value }} objects of {{ $labels.controller }} of ${job} are parked: their actors failed again and again, or somebody parked them.`,
  },
  {
    name: 'CoppiceCliqueIncomplete',
    severity: 'warning',
    expr: 'sum by (namespace, job) (coppice_actor_states{controller="computedomainclique",state=~"active.membership.(forming|degraded|full)"}) > 0',
    for: '30m',
    summary: 'NVLink cliques are not complete.',
    description: `{{ $value }} cliques of ComputeDomains of ${job} have lacked nodes, or had too many, for half an hour. Their workloads wait, or run without memory of other nodes.`,
  },
  {
    name: 'CoppiceClaimsSlow',
    severity: 'warning',
    expr: `histogram_quantile(0.95, sum by (namespace, job, sandbox_template, le) ${rate('agent_sandbox_claim_controller_startup_latency_ms_bucket{launch_type="warm"}', '10m')}) > 2500`,
    for: '10m',
    summary: 'Claims wait long for a Sandbox that is warm already.',
    description: `One in twenty claims on warm pools of {{ $labels.sandbox_template }} of ${job} waits longer than {{ printf "%.0f" $value }} ms.`,
  },
];

const aboutServer: readonly Alert[] = [
  {
    name: 'CoppiceConflicts',
    severity: 'warning',
    expr: shareOf('409', 0.1),
    for: '15m',
    summary: 'Many writes meet a newer object.',
    description: `{{ $value | humanizePercentage }} of the requests of ${job} to the API server are refused with 409. Somebody else writes the same objects.`,
  },
  {
    name: 'CoppiceStatusConflicts',
    severity: 'warning',
    expr: `sum by (namespace, job, controller, target_kind) ${rate('grove_operator_status_update_conflict_total')} > 0.2`,
    for: '15m',
    summary: 'Status writes of a kind meet a newer object.',
    description: `{{ $labels.controller }} of ${job} meets {{ printf "%.2f" $value }} conflicts a second on the status of {{ $labels.target_kind }}.`,
  },
  {
    name: 'CoppiceThrottled',
    severity: 'warning',
    expr: shareOf('429', 0.05),
    for: '15m',
    summary: 'The API server sends requests away.',
    description: `{{ $value | humanizePercentage }} of the requests of ${job} are refused with 429. Everything goes on, but slower.`,
  },
];

export const alerts: readonly Alert[] = [...aboutProcess, ...aboutObjects, ...aboutServer];

/** Of a counter of ours. */
function rate(counter: string, over = '5m'): string {
  return ours(`rate(${counter}[${over}])`);
}

/** Of all requests; few requests make no share. */
function shareOf(code: string, most: number): string {
  const all = `sum by (namespace, job) ${rate('rest_client_requests_total')}`;
  const some = `sum by (namespace, job) ${rate(`rest_client_requests_total{code="${code}"}`)}`;
  return `${some} / ${all} > ${most} and ${some} > 0.1`;
}
