// The metric families that the actor of a revision counts (spec activator 2.14). Those of the table
// are read from it at each scrape (src/activator/metrics.ts).
import type { Measure } from '../contract/intents.ts';
import type { MeasuredFamily } from '../contract/module.ts';
import type { PodPlace } from './pod/chart.ts';

export const activatorFamilies = [
  {
    type: 'counter',
    name: 'activator_pod_state_transitions_total',
    why: {
      nearest: 'controller_runtime_reconcile_total',
      gap: 'counts reconciles of revisions, not which pods left the table, nor by what cause',
    },
    help: 'Pods of revisions that went from one state to another, by cause',
    labels: ['from', 'to', 'cause'],
  },
  {
    type: 'counter',
    name: 'activator_ready_validations_total',
    why: {
      nearest: 'rest_client_requests_total',
      gap: 'counts requests to the API server; these go to pods, and tell whether those answer',
    },
    help: 'Validations of pods before they get requests, by result: ok, failed, reused or lost',
    labels: ['result'],
  },
] as const satisfies readonly MeasuredFamily[];

type Family = (typeof activatorFamilies)[number]['name'];

const counted = (family: Family, labels: Readonly<Record<string, string>>): Measure => ({
  type: 'measure',
  family,
  labels,
  value: 1,
});

export const transition = (from: PodPlace, to: PodPlace, cause: string): Measure =>
  counted('activator_pod_state_transitions_total', { from, to, cause });

/** `lost`: it was not answered in time. */
export const validated = (result: 'ok' | 'failed' | 'reused' | 'lost'): Measure =>
  counted('activator_ready_validations_total', { result });
