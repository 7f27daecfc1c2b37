// For each alert: series over which it fires, with what it says then, and series that look alike
// and must not wake anybody. A value a minute.
import type { SeriesValues } from './promtool.ts';

interface Firing {
  readonly series: SeriesValues;
  readonly at: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly description: string;
}

interface AlertCase {
  readonly firing: Firing;
  /** What it is that does not count. */
  readonly quiet: Readonly<Record<string, SeriesValues>>;
}

const our = 'job="coppice",instance="a"';
const other = 'job="other-operator",instance="b"';
const job = 'coppice';

const buckets = (name: string, labels: string, counts: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(counts).map(([le, values]) => [`${name}_bucket{${labels},le="${le}"}`, values]),
  );

const requests = (labels: string, code: string, values: string): SeriesValues => ({
  [`rest_client_requests_total{${labels},code="${code}",method="PUT",host="h"}`]: values,
});

const queued = 'workqueue_queue_duration_seconds';
const reconciled = 'controller_runtime_reconcile_time_seconds';
const started = 'agent_sandbox_claim_controller_startup_latency_ms';
const ofClique = `${our},controller="podclique-controller"`;
const controller = 'podclique-controller';
const membership = (state: string): string =>
  `coppice_actor_states{${our},controller="computedomainclique",state="active.membership.${state}"}`;

const ofProcess: Readonly<Record<string, AlertCase>> = {
  CoppiceDown: {
    firing: {
      series: { 'coppice_actors{job="activator",instance="b",controller="revision"}': '1x20' },
      at: '6m',
      labels: {},
      description:
        'Prometheus has had no metrics of a Coppice controller for five minutes. Pods run on; nothing is created, updated or repaired, and changes of PodCliqueSets are refused while the webhooks do not answer.',
    },
    quiet: {
      'a controller with nothing to do': { [`coppice_actors{${ofClique}}`]: '0x20' },
      'one that is away for three minutes': {
        [`coppice_actors{${ofClique}}`]: '1x1 stale _x2 1x20',
      },
    },
  },
  CoppiceShardUnowned: {
    firing: {
      series: {
        [`coppice_shards{${our}}`]: '16x20',
        [`coppice_leases_held{${our}}`]: '16x2 8x20',
      },
      at: '6m',
      labels: { job },
      description:
        '8 shards of coppice are held by no process that is scraped. Their objects are not reconciled.',
    },
    quiet: {
      'shards that change hands': {
        [`coppice_shards{${our}}`]: '16x20',
        'coppice_shards{job="coppice",instance="b"}': '16x20',
        [`coppice_leases_held{${our}}`]: '16x2 8x20',
        'coppice_leases_held{job="coppice",instance="b"}': '0x4 8x20',
      },
    },
  },
  CoppiceCertificateExpires: {
    firing: {
      series: { [`coppice_certificate_not_after_seconds{${our},name="webhooks"}`]: '259200x100' },
      at: '61m',
      labels: { job, name: 'webhooks' },
      description:
        'The certificate of the webhooks of coppice ends in 2d 22h 59m 0s. It should have been renewed when two thirds of its life were over.',
    },
    quiet: {
      'a certificate of 30 days': {
        [`coppice_certificate_not_after_seconds{${our},name="webhooks"}`]: '2592000x100',
      },
    },
  },
  CoppiceWatchStale: {
    firing: {
      series: { [`coppice_cache_age_seconds{${our},kind="Pod"}`]: '0+60x30' },
      at: '11m',
      labels: { job, kind: 'Pod' },
      description:
        'A process of coppice has heard nothing of Pod for 11m 0s; the API server sends a bookmark every minute. It decides by what it knew then.',
    },
    quiet: {
      'a watch with bookmarks alone': {
        [`coppice_cache_age_seconds{${our},kind="Pod"}`]: '59x30',
      },
    },
  },
  CoppiceQueueSlow: {
    firing: {
      series: buckets(queued, ofClique, { 1: '0x60', 10: '0+60x60', '+Inf': '0+60x60' }),
      at: '20m',
      labels: { job, controller },
      description:
        'One in a hundred actors of podclique-controller of coppice waits longer than 9.91s for its turn.',
    },
    quiet: {
      'a queue that is quick': buckets(queued, ofClique, { 1: '0+60x60', '+Inf': '0+60x60' }),
      'the queue of another operator': buckets(queued, `${other},controller="x"`, {
        1: '0x60',
        10: '0+60x60',
        '+Inf': '0+60x60',
      }),
    },
  },
  CoppiceReconcileSlow: {
    firing: {
      series: buckets(reconciled, ofClique, { 0.5: '0x60', 1: '0+60x60', '+Inf': '0+60x60' }),
      at: '20m',
      labels: { job, controller },
      description:
        'One in twenty reconciles of podclique-controller of coppice takes longer than 975ms. Reconciles run one after the other, so everything else waits meanwhile.',
    },
    quiet: {
      'reconciles of milliseconds': buckets(reconciled, ofClique, {
        0.005: '0+60x60',
        '+Inf': '0+60x60',
      }),
    },
  },
  CoppiceSaturated: {
    firing: {
      series: {
        [`${reconciled}_sum{${ofClique}}`]: '0+30x60',
        [`${reconciled}_sum{${our},controller="podgang"}`]: '0+24x60',
      },
      at: '25m',
      labels: { job, instance: 'a' },
      description: 'a of coppice spends 90% of its time on reconciles, on its one thread.',
    },
    quiet: {
      'two processes at half': {
        [`${reconciled}_sum{${ofClique}}`]: '0+30x60',
        [`${reconciled}_sum{job="coppice",instance="b",controller="podgang"}`]: '0+30x60',
      },
    },
  },
};

const ofObjects: Readonly<Record<string, AlertCase>> = {
  CoppiceReconcileErrors: {
    firing: {
      series: {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0+6x60',
        [`controller_runtime_reconcile_total{${ofClique},result="error"}`]: '0+6x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0+54x60',
      },
      at: '20m',
      labels: { job, controller },
      description:
        '10% of the reconciles of podclique-controller of coppice crash. This is a bug in Coppice, or an object that it cannot read.',
    },
    quiet: {
      'one of a hundred': {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0+1x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0+100x60',
      },
      'nothing to reconcile': {
        [`controller_runtime_reconcile_errors_total{${ofClique}}`]: '0x60',
        [`controller_runtime_reconcile_total{${ofClique},result="success"}`]: '0x60',
      },
    },
  },
  CoppicePersistentErrors: {
    firing: {
      series: {
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="denied"}`]: '0+1x60',
      },
      at: '20m',
      labels: { job, controller, error_type: 'denied' },
      description:
        'podclique-controller of coppice has met errors of type denied for 15 minutes. Somebody has to change permissions, an object or the program.',
    },
    quiet: {
      'many errors that end by themselves': {
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="conflict"}`]: '0+50x60',
        [`grove_operator_reconcile_errors_total{${ofClique},error_type="throttled"}`]: '0+50x60',
      },
      'errors of Grove itself': {
        [`grove_operator_reconcile_errors_total{${other},error_type="denied"}`]: '0+1x60',
      },
    },
  },
  CoppiceObjectStuck: {
    firing: {
      series: { [`coppice_write_failing_seconds{${ofClique}}`]: '0+60x17 0 1080+60x20' },
      at: '25m',
      labels: { job, controller },
      description:
        'podclique-controller of coppice has tried to write an object for 24m 0s, and the API server has not taken it.',
    },
    quiet: {
      'ten minutes without an API server': {
        [`coppice_write_failing_seconds{${ofClique}}`]: '0+60x10 0x50',
      },
    },
  },
  CoppiceActorsParked: {
    firing: {
      series: { [`coppice_actors_parked{${ofClique}}`]: '0x3 2x20' },
      at: '10m',
      labels: { job, controller },
      description:
        '2 objects of podclique-controller of coppice are parked: their actors failed again and again, or somebody parked them.',
    },
    quiet: { none: { [`coppice_actors_parked{${ofClique}}`]: '0x30' } },
  },
  CoppiceCliqueIncomplete: {
    firing: {
      series: { [membership('forming')]: '1x60', [membership('degraded')]: '2x60' },
      at: '35m',
      labels: { job },
      description:
        '3 cliques of ComputeDomains of coppice have lacked nodes, or had too many, for half an hour. Their workloads wait, or run without memory of other nodes.',
    },
    quiet: {
      'cliques that are complete after ten minutes': {
        [membership('forming')]: '1x10 _x50',
        [membership('complete')]: '2x10 3x50',
      },
    },
  },
  CoppiceClaimsSlow: {
    firing: {
      series: buckets(started, `${our},launch_type="warm",sandbox_template="python"`, {
        2500: '0x60',
        5000: '0+60x60',
        '+Inf': '0+60x60',
      }),
      at: '25m',
      labels: { job, sandbox_template: 'python' },
      description:
        'One in twenty claims on warm pools of python of coppice waits longer than 4875 ms.',
    },
    quiet: {
      'claims that start cold': buckets(
        started,
        `${our},launch_type="cold",sandbox_template="python"`,
        { 2500: '0x60', 5000: '0+60x60', '+Inf': '0+60x60' },
      ),
    },
  },
};

const ofServer: Readonly<Record<string, AlertCase>> = {
  CoppiceConflicts: {
    firing: {
      series: { ...requests(our, '409', '0+12x60'), ...requests(our, '200', '0+48x60') },
      at: '25m',
      labels: { job },
      description:
        '20% of the requests of coppice to the API server are refused with 409. Somebody else writes the same objects.',
    },
    quiet: {
      'one of a hundred': {
        ...requests(our, '409', '0+12x60'),
        ...requests(our, '200', '0+1200x60'),
      },
      'one in ten minutes': {
        ...requests(our, '409', '0x9 1x50'),
        ...requests(our, '200', '0x60'),
      },
      'those of another operator': requests(other, '409', '0+60x60'),
    },
  },
  CoppiceStatusConflicts: {
    firing: {
      series: {
        [`grove_operator_status_update_conflict_total{${ofClique},target_kind="PodClique"}`]:
          '0+30x60',
      },
      at: '25m',
      labels: { job, controller, target_kind: 'PodClique' },
      description:
        'podclique-controller of coppice meets 0.50 conflicts a second on the status of PodClique.',
    },
    quiet: {
      'a few a minute': {
        [`grove_operator_status_update_conflict_total{${ofClique},target_kind="PodClique"}`]:
          '0+6x60',
      },
    },
  },
  CoppiceThrottled: {
    firing: {
      series: { ...requests(our, '429', '0+12x60'), ...requests(our, '200', '0+48x60') },
      at: '25m',
      labels: { job },
      description:
        '20% of the requests of coppice are refused with 429. Everything goes on, but slower.',
    },
    quiet: {
      'a burst of five minutes': {
        ...requests(our, '429', '0+12x5 60x55'),
        ...requests(our, '200', '0+48x60'),
      },
    },
  },
};

export const alertCases: Readonly<Record<string, AlertCase>> = {
  ...ofProcess,
  ...ofObjects,
  ...ofServer,
};
