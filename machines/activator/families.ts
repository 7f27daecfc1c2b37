// The metric families that the actor of a revision counts (spec activator 2.14). Those of the table
// are read from it at each scrape (src/activator/metrics.ts).
import type { Measure } from '../contract/intents.ts';
import type { MeasuredFamily } from '../contract/module.ts';
import type { PodPlace } from './pod/chart.ts';

export const activatorFamilies = [
  {
    type: 'counter',
    name: 'activator_pod_state_transitions_total',
    help: 'Pods of revisions that went from one state to another, by cause',
    labels: ['from', 'to', 'cause'],
  },
  {
    type: 'counter',
    name: 'activator_ready_validations_total',
    help: 'Validations of pods before they get requests, by result: ok, failed, reused or lost',
    labels: ['result'],
  },
  {
    type: 'counter',
    name: 'activator_ip_reuse_total',
    help: 'Validations that another pod answered, at the address of the one that was meant',
    labels: [],
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

export const ipReused: Measure = counted('activator_ip_reuse_total', {});
