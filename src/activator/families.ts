// The metric families of the data plane, read from the tables and their admissions at each scrape
// (spec activator 2.14); docs/metrics.md shows them. Those that actors count are in
// machines/activator/families.ts.
import type { Family } from '#src/metrics/families.ts';
import type { Totals } from './data-plane.ts';

/** By what the plane counts. */
export const planeCounters = {
  stale: {
    name: 'activator_stale_handle_total',
    labels: [],
    help: 'Requests that ended after their pod had left the table, of revisions that are still there',
  },
  full: {
    name: 'activator_table_full_total',
    labels: [],
    help: 'Pods that found no slot in the table of their revision',
  },
  forced: {
    name: 'activator_forced_release_total',
    labels: [],
    help: 'Pods that left the table although requests ran on them',
  },
  overflowed: {
    name: 'activator_overflow_total',
    labels: [],
    help: 'Requests that were refused, as too many waited',
  },
  cancelled: {
    name: 'activator_cancelled_total',
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
    labels: ['what'],
    help: 'Sums over all revisions: slots, high_water, live, routable, pending, waiting, active, capacity',
  },
  fragmentation: {
    name: 'activator_sparse_array_fragmentation_ratio',
    labels: ['namespace', 'revision'],
    help: 'Empty slots by slots below the high-water mark of the table; 0 for an empty one',
  },
} as const satisfies Record<string, Named>;
