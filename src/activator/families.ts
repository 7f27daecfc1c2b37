// The metric families of the data plane, read from the tables and their admissions at each scrape
// (spec activator 2.14); docs/metrics.md shows them. Those that actors count are in
// machines/activator/families.ts.
import type { Family } from '#src/metrics/families.ts';
import type { Totals } from './data-plane.ts';

/** By what the plane counts. */
export const planeCounters = {
  stale: {
    name: 'activator_stale_handle_total',
    why: {
      nearest: 'activator_forced_release_total',
      gap: 'counts pods, not the requests that came back too late for them',
    },
    labels: [],
    help: 'Requests that ended after their pod had left the table, of revisions that are still there',
  },
  full: {
    name: 'activator_table_full_total',
    why: {
      nearest: 'workqueue_depth',
      gap: 'a pod that finds no slot is reconciled well: nothing built in counts it',
    },
    labels: [],
    help: 'Pods that found no slot in the table of their revision',
  },
  forced: {
    name: 'activator_forced_release_total',
    why: {
      nearest: 'activator_pod_state_transitions_total',
      gap: 'has the cause, not whether requests still ran on the pod',
    },
    labels: [],
    help: 'Pods that left the table although requests ran on them',
  },
  overflowed: {
    name: 'activator_overflow_total',
    why: {
      nearest: 'activator_requests_total',
      gap: 'its ending refused has every refusal, also of requests for no revision or at the end of the process; this one asks for pods',
    },
    labels: [],
    help: 'Requests that were refused, as too many waited',
  },
  cancelled: {
    name: 'activator_cancelled_total',
    why: {
      nearest: 'activator_requests_total',
      gap: 'counts a client that leaves at any time; these left before they had a pod',
    },
    labels: [],
    help: 'Requests that gave up waiting for a pod',
  },
} as const satisfies Record<keyof Totals, Named>;

interface Named extends Family {
  readonly name: string;
}

export const planeGauges = {
  table: {
    name: 'activator_tracker_table',
    why: {
      nearest: 'kn_revision_request_active',
      gap: 'counts requests, not the slots and permits that are left for more',
    },
    labels: ['what'],
    help: 'Sums over all revisions: slots, high_water, live, routable, pending, waiting, active, capacity',
  },
  fragmentation: {
    name: 'activator_sparse_array_fragmentation_ratio',
    why: {
      nearest: 'activator_tracker_table',
      gap: 'sums over all revisions; holes are of one table',
    },
    labels: ['namespace', 'revision'],
    help: 'Empty slots by slots below the high-water mark of the table; 0 for an empty one',
  },
} as const satisfies Record<string, Named>;

/** Of the request path (spec activator 1.16), with the names and labels that Knative's activator
 *  gives them by OpenTelemetry. Read from its figures at each scrape (request-metrics.ts). */
const knative = { source: 'Knative' } as const;
const ofRevision = ['k8s_namespace_name', 'kn_revision_name'] as const;
const ofRequests = ['kn_service_name', 'kn_configuration_name', ...ofRevision] as const;

export const requestGauges = {
  queued: {
    name: 'kn_revision_request_queued',
    why: knative,
    labels: ofRevision,
    help: 'Requests that wait for a pod of the revision',
  },
  active: {
    name: 'kn_revision_request_active',
    why: knative,
    labels: ofRevision,
    help: 'Requests that a pod of the revision has',
  },
} as const satisfies Record<string, Named>;

export const requestCounters = {
  ended: {
    name: 'activator_requests_total',
    why: {
      nearest: 'http_server_request_duration_seconds',
      gap: 'counts requests that ended, not whether by a pod, by us or by the client',
    },
    labels: [...ofRevision, 'ending'],
    help: 'Requests by how they ended: answered by a pod, refused by us, cancelled by their client, or cut in the middle of the answer',
  },
  classes: {
    name: 'activator_responses_total',
    why: {
      nearest: 'http_server_request_duration_seconds',
      gap: "Knative's labels have no status",
    },
    labels: [...ofRevision, 'response_code_class'],
    help: 'Requests by class of their status: 1xx to 5xx, or none where the client was gone before',
  },
} as const satisfies Record<string, Named>;

export const workerDeaths = {
  name: 'activator_worker_deaths_total',
  why: {
    nearest: 'activator_requests_total',
    gap: 'its ending cut has the requests that were lost, not whether a pod or a worker broke off',
  },
  labels: [],
  help: 'Workers that have died, with the requests that they had, and were started again',
} as const satisfies Named;

export const requestDurations = {
  name: 'http_server_request_duration_seconds',
  why: knative,
  labels: ofRequests,
  help: 'Time from the head of a request to the end of its answer, with what it waited for a pod',
} as const satisfies Named;
