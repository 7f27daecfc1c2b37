// Of the alerts about processes: whether they run, own their shards, hear, and keep up.
import {
  type AlertCase,
  buckets,
  controller,
  job,
  namespace,
  ofClique,
  other,
  our,
} from './case.ts';

const queued = 'workqueue_queue_duration_seconds';
const reconciled = 'controller_runtime_reconcile_time_seconds';

export const ofProcess: Readonly<Record<string, AlertCase>> = {
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
      labels: { namespace, job },
      description:
        '8 shards of coppice are held by no process that is scraped. Their objects are not reconciled.',
    },
    quiet: {
      'shards that change hands': {
        [`coppice_shards{${our}}`]: '16x20',
        'coppice_shards{namespace="ai",job="coppice",instance="b"}': '16x20',
        [`coppice_leases_held{${our}}`]: '16x2 8x20',
        'coppice_leases_held{namespace="ai",job="coppice",instance="b"}': '0x4 8x20',
      },
      'shards of another namespace': {
        [`coppice_shards{${our}}`]: '16x20',
        [`coppice_leases_held{${our}}`]: '16x20',
        'coppice_shards{namespace="web",job="coppice",instance="c"}': '64x20',
        'coppice_leases_held{namespace="web",job="coppice",instance="c"}': '64x20',
      },
    },
  },
  CoppiceCertificateExpires: {
    firing: {
      series: { [`coppice_certificate_not_after_seconds{${our},name="webhooks"}`]: '259200x100' },
      at: '61m',
      labels: { namespace, job, name: 'webhooks' },
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
      labels: { namespace, job, kind: 'Pod' },
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
      labels: { namespace, job, controller },
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
      labels: { namespace, job, controller },
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
      labels: { namespace, job, instance: 'a' },
      description: 'a of coppice spends 90% of its time on reconciles, on its one thread.',
    },
    quiet: {
      'two processes at half': {
        [`${reconciled}_sum{${ofClique}}`]: '0+30x60',
        [`${reconciled}_sum{namespace="ai",job="coppice",instance="b",controller="podgang"}`]:
          '0+30x60',
      },
    },
  },
};
