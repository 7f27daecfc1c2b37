// How quick is it, how much more can it take, what fails?
import { persistentErrorTypes } from '../errors.ts';
import { type Dashboard, gauge, one, quantile, rate, sum } from '../panel.ts';

const persistent = persistentErrorTypes.join('|');
const time = 'controller_runtime_reconcile_time_seconds';

export const reconcile: Dashboard = {
  name: 'reconcile',
  title: 'Coppice / Reconcile',
  about: 'How quick is it, and how much more can it take?',
  rows: [
    {
      title: 'Time',
      panels: [
        {
          title: 'Reconcile, P95',
          about: 'The smallest bucket is 5 ms: below that, look at the mean.',
          unit: 's',
          queries: one('{{controller}}', quantile(0.95, time, 'controller')),
        },
        {
          title: 'Reconcile, mean',
          about: 'Exact at any size.',
          unit: 's',
          queries: one(
            '{{controller}}',
            `${sum('controller', rate(`${time}_sum`))} / ${sum('controller', rate(`${time}_count`))}`,
          ),
        },
        {
          title: 'Time spent',
          about: 'Share of the time of each process; 1 is all that it has.',
          unit: 'percentunit',
          queries: one('{{instance}}', sum('instance', rate(`${time}_sum`))),
        },
        {
          title: 'Most that it could do',
          about: 'Reconciles a second at what they cost now.',
          unit: 'ops',
          queries: one(
            '{{instance}}',
            `${sum('instance', rate(`${time}_count`))} / ${sum('instance', rate(`${time}_sum`))}`,
          ),
        },
      ],
    },
    {
      title: 'Queue',
      panels: [
        {
          title: 'Wait, P99',
          about: 'From the touch of an actor to its reconcile.',
          unit: 's',
          queries: one(
            '{{controller}}',
            quantile(0.99, 'workqueue_queue_duration_seconds', 'controller'),
          ),
        },
        {
          title: 'Depth',
          about: 'Between ticks nearly always 0; what stays is a backlog.',
          unit: 'short',
          queries: one('{{controller}}', sum('controller', gauge('workqueue_depth'))),
        },
        {
          title: 'Adds',
          about:
            'Actors that were touched. Many more than objects change: somebody edits in a loop.',
          unit: 'ops',
          queries: one('{{controller}}', sum('controller', rate('workqueue_adds_total'))),
        },
        {
          title: 'Mail',
          about: 'Facts that wait for actors.',
          unit: 'short',
          queries: one('{{controller}}', sum('controller', gauge('coppice_mailbox_depth'))),
        },
      ],
    },
    {
      title: 'Errors',
      panels: [
        {
          title: 'Crashes, share',
          about: '0. Each is a bug, or an object that cannot be read.',
          unit: 'percentunit',
          queries: one(
            '{{controller}}',
            `${sum('controller', rate('controller_runtime_reconcile_errors_total'))} / ${sum('controller', rate('controller_runtime_reconcile_total'))}`,
          ),
        },
        {
          title: 'Persistent errors',
          about: 'They do not end by themselves (docs/metrics.md).',
          unit: 'ops',
          queries: one(
            '{{controller}} {{error_type}}',
            sum(
              'controller, error_type',
              rate('grove_operator_reconcile_errors_total', `error_type=~"${persistent}"`),
            ),
          ),
        },
        {
          title: 'Transient errors',
          about: 'They end by themselves; a burst with an upgrade of the API server is normal.',
          unit: 'ops',
          queries: one(
            '{{controller}} {{error_type}}',
            sum(
              'controller, error_type',
              rate('grove_operator_reconcile_errors_total', `error_type!~"${persistent}"`),
            ),
          ),
        },
        {
          title: 'Restarts',
          about: 'Actors that crashed and were started again.',
          unit: 'ops',
          queries: one('{{controller}}', sum('controller', rate('coppice_actor_restarts_total'))),
        },
      ],
    },
  ],
};
