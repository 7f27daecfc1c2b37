// Every metric family that Coppice exposes besides process_* and nodejs_*: name, type, labels,
// help, and why it is there. src/metrics/metrics.ts makes them, docs/metrics.md and
// docs/surface/metrics.txt are held equal to this table. Labels are bounded: never the name or
// namespace of an object, but for the families of agent-sandbox, which modules declare with
// `emptied` where that is not wanted.
import type { ActorGauge, OperatorMetrics, Reason } from '#machines/contract/module.ts';
import {
  builtInCounters,
  builtInGauges,
  builtInHistograms,
  byController,
  type Table,
} from './built-in.ts';

export type { Family } from './built-in.ts';

/** Ours: what comes nearest cannot answer it. */
const ours = (nearest: string, gap: string): Reason => ({ nearest, gap });

export const counters = {
  ...builtInCounters,
  coppice_chart_restores_total: {
    labels: byController,
    help: 'State machines restored from an impossible state; each is a bug in Coppice',
    why: ours(
      'controller_runtime_reconcile_panics_total',
      'a state that is put right is no panic, and the object goes on: it would be a bug that nobody sees',
    ),
  },
  coppice_actor_restarts_total: {
    labels: byController,
    help: 'Actors restarted after a crash',
    why: ours(
      'controller_runtime_reconcile_errors_total',
      'counts reconciles that failed; an actor may also crash while it takes mail or reads a view',
    ),
  },
  coppice_writes_total: {
    labels: ['kind', 'op', 'outcome'],
    help: 'Writes to the API server; outcome is ok or an error code (docs/errors.md)',
    why: ours(
      'rest_client_requests_total',
      'knows the method and the status, not the kind; it cannot tell a conflict on a status from one on a spec',
    ),
  },
  coppice_bus_dropped_total: {
    labels: [],
    help: 'Facts and copies not published because NATS was unavailable or slow',
    why: ours(
      'workqueue_retries_total',
      'NATS is no server of Kubernetes: nothing built in counts what was not published there',
    ),
  },
  coppice_bus_published_total: {
    labels: [],
    help: 'Facts and copies published',
    why: ours(
      'workqueue_adds_total',
      'counts actors that were queued, not facts: the rate of loss needs both',
    ),
  },
  coppice_bus_rejected_total: {
    labels: [],
    help: 'Incoming messages that were refused: forged, damaged or too large',
    why: ours(
      'rest_client_requests_total',
      'counts what was sent to the API server, not what came from strangers on NATS',
    ),
  },
  coppice_messages_dropped_total: {
    labels: ['reason'],
    help: 'Messages that woke no actor (docs/bus.md)',
    why: ours('workqueue_adds_total', 'counts actors that were woken; this is the rest, by why'),
  },
  coppice_admission_refused_total: {
    labels: ['webhook'],
    help: 'Requests refused by a webhook, by its path',
    why: ours(
      'controller_runtime_webhook_requests_total',
      'a refusal is a 200 there, as an admission is',
    ),
  },
  coppice_lease_changes_total: {
    labels: [],
    help: 'Shards that this process took or lost',
    why: ours(
      'leader_election_master_status',
      'is 0 or 1 at a scrape; it misses a shard that was lost and taken back in between',
    ),
  },
} as const satisfies Table;

export const gauges = {
  ...builtInGauges,
  coppice_actors: {
    labels: byController,
    help: 'Actors alive',
    why: ours(
      'apiserver_storage_objects',
      'counts what the cluster stores, not which process has it in memory',
    ),
  },
  coppice_actors_parked: {
    labels: byController,
    help: 'Actors that failed too often and wait for a new spec or a command',
    why: ours(
      'controller_runtime_reconcile_errors_total',
      'stops to grow when an actor is parked, which looks like recovery',
    ),
  },
  coppice_actor_states: {
    labels: ['controller', 'state'],
    help: 'Actors by the states of their charts (docs/charts.md): each counts once in every region',
    why: ours(
      'kube_customresource_info',
      'needs a configuration for each field and sees statuses; a gang that waits, a clique that forms or a pool that drains is a state, and not all of them are in a status',
    ),
  },
  coppice_write_failing_seconds: {
    labels: byController,
    help: 'For how long writes to one object have failed without a success, of the one that has failed longest; 0: none fails',
    why: ours(
      'workqueue_longest_running_processor_seconds',
      'is about one try; many short tries in a row, each with an error, are as many short runs',
    ),
  },
  coppice_mailbox_depth: {
    labels: byController,
    help: 'Mail waiting for actors of a controller',
    why: ours('workqueue_depth', 'counts an actor once, however much mail it has'),
  },
  coppice_bus_connected: {
    labels: [],
    help: '1 while NATS is connected, else 0',
    why: ours('up', 'is about the scrape; a process without NATS goes on'),
  },
  coppice_bus_round_trip_seconds: {
    labels: [],
    help: 'Last measured round trip to the NATS server; absent while unknown',
    why: ours('rest_client_request_duration_seconds', 'is about the API server'),
  },
  coppice_certificate_not_after_seconds: {
    labels: ['name'],
    help: 'When the certificate ends that is served to the API server (webhooks) or to who asks questions (questions), in seconds since 1970; absent while none is served',
    why: ours(
      'certwatcher_read_certificate_total',
      'counts how often certificates were read from files, not how long they are good for',
    ),
  },
  coppice_cache_age_seconds: {
    labels: ['kind'],
    help: 'Seconds since the watch of a kind last showed activity',
    why: ours(
      'rest_client_requests_total',
      'a watch is one request, whether it still delivers or not',
    ),
  },
  coppice_leases_held: {
    labels: [],
    help: 'Shards that this process owns; absent without leases',
    why: ours(
      'leader_election_master_status',
      'has one lease for each process; here each process holds a share of the shards',
    ),
  },
  coppice_shards: {
    labels: [],
    help: 'Shards that all processes share; absent without leases',
    why: ours(
      'kube_lease_owner',
      'lists the leases that there are; a shard that nobody ever took has none',
    ),
  },
  coppice_lease_sure: {
    labels: [],
    help: '1 while this process may write for its shards, else 0; absent without leases',
    why: ours(
      'leader_election_master_status',
      'says who held the lease last, not whether a write is allowed now',
    ),
  },
  coppice_lease_renewal_age_seconds: {
    labels: [],
    help: 'Seconds since the last successful renewal was sent; absent without leases',
    why: ours(
      'leader_election_slowpath_total',
      'counts slow renewals; it does not say how near the end of the lease is',
    ),
  },
} as const satisfies Table;

export const histograms = builtInHistograms;

/** Of a system that a module replaces, under its names. */
export const operatorFamilies = ({ source, statusConflicts, reconcileErrors }: OperatorMetrics) =>
  ({
    statusConflicts: {
      name: statusConflicts,
      labels: ['controller', 'target_kind'],
      help: 'Status writes that the API server refused because the object had changed meanwhile',
      why: { source },
    },
    reconcileErrors: {
      name: reconcileErrors,
      labels: ['controller', 'error_type'],
      help: 'Errors met while reconciling, by type (docs/metrics.md)',
      why: { source },
    },
  }) as const;

/** A count of actors that a module declares. */
export const actorFamily = ({ name, help, why, field, ...gauge }: ActorGauge) => ({
  name,
  why,
  labels: 'labels' in gauge ? gauge.labels : [field],
  help,
});
