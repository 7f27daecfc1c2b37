// Is anything wrong? The first dashboard that somebody opens; each panel leads to another one.
import { type Dashboard, gauge, one, quantile, rate, sum } from '../panel.ts';

export const overview: Dashboard = {
  name: 'overview',
  title: 'Coppice / Overview',
  about: 'Is anything wrong, and where?',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          title: 'Processes',
          about: 'Controllers and activators that are scraped.',
          unit: 'short',
          stat: {},
          queries: one('{{job}}', `count by (job) ${gauge('coppice_bus_connected')}`),
        },
        {
          title: 'Alerts',
          about: 'Alerts of Coppice that fire now.',
          unit: 'short',
          stat: { red: 0 },
          queries: one(
            '',
            'count(ALERTS{alertname=~"Coppice.*",alertstate="firing"}) or vector(0)',
          ),
        },
        {
          title: 'Parked',
          about: 'Objects that are not reconciled any more.',
          unit: 'short',
          stat: { red: 0 },
          queries: one('', `sum(${gauge('coppice_actors_parked')})`),
        },
        {
          title: 'Shards without an owner',
          about: 'More than 0 for longer than a take-over is a fault.',
          unit: 'short',
          stat: { red: 0 },
          queries: one(
            '{{namespace}} {{job}}',
            `max by (namespace, job) ${gauge('coppice_shards')} - sum by (namespace, job) ${gauge('coppice_leases_held')}`,
          ),
        },
      ],
    },
    {
      title: 'Work',
      panels: [
        {
          title: 'Reconciles',
          about: 'By controller.',
          unit: 'ops',
          queries: one(
            '{{controller}}',
            sum('controller', rate('controller_runtime_reconcile_total')),
          ),
        },
        {
          title: 'Queue wait, P99',
          about: 'Milliseconds. Seconds mean that a process cannot keep up.',
          unit: 's',
          queries: one(
            '{{controller}}',
            quantile(0.99, 'workqueue_queue_duration_seconds', 'controller'),
          ),
        },
        {
          title: 'Writes',
          about: 'By outcome; a few conflicts are normal.',
          unit: 'reqps',
          queries: one('{{outcome}}', sum('outcome', rate('coppice_writes_total'))),
        },
        {
          title: 'Longest failing write',
          about: '0 in good health: for how long the API server has not taken a write.',
          unit: 's',
          queries: one(
            '{{controller}}',
            `max by (controller) ${gauge('coppice_write_failing_seconds')}`,
          ),
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'CPU',
          about: 'Cores. A process decides on one thread.',
          unit: 'short',
          queries: one('{{instance}}', rate('process_cpu_seconds_total')),
        },
        {
          title: 'Memory',
          about: 'Each process watches everything, whatever its share.',
          unit: 'bytes',
          queries: one('{{instance}}', gauge('process_resident_memory_bytes')),
        },
        {
          title: 'Event loop, P99',
          about: 'How late the process is. More than 0.1 s: CPU is short, or a reconcile is long.',
          unit: 's',
          queries: one('{{instance}}', gauge('nodejs_eventloop_lag_p99_seconds')),
        },
        {
          title: 'Certificates end in',
          about: 'Renewed when two thirds of their life are over.',
          unit: 'dtdurations',
          queries: one(
            '{{name}}',
            `min by (name) ${gauge('coppice_certificate_not_after_seconds')} - time()`,
          ),
        },
      ],
    },
  ],
};
