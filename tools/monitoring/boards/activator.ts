// Requests that wait for pods, and the pods that they wait for.
import { type Dashboard, gauge, one, quantile, rate, sum } from '../panel.ts';

const revision = 'k8s_namespace_name, kn_revision_name';
const name = '{{k8s_namespace_name}}/{{kn_revision_name}}';

export const activator: Dashboard = {
  name: 'activator',
  title: 'Coppice / Activator',
  about: 'Which requests wait, how long, and for what?',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'Ended',
          about: 'answered is well; refused: too many waited.',
          unit: 'reqps',
          queries: one('{{ending}}', sum('ending', rate('activator_requests_total'))),
        },
        {
          title: 'By class of status',
          about: 'What pods answered.',
          unit: 'reqps',
          queries: one(
            '{{response_code_class}}',
            sum('response_code_class', rate('activator_responses_total')),
          ),
        },
        {
          title: 'Duration, P95',
          about: 'With what a request waited for a pod.',
          unit: 's',
          queries: one(name, quantile(0.95, 'http_server_request_duration_seconds', revision)),
        },
        {
          title: 'Waiting',
          about: 'For a pod, or for room in one.',
          unit: 'short',
          queries: one(name, sum(revision, gauge('kn_revision_request_queued'))),
        },
        {
          title: 'Running',
          about: 'In pods.',
          unit: 'short',
          queries: one(name, sum(revision, gauge('kn_revision_request_active'))),
        },
        {
          title: 'Given up',
          about: 'Refused, as too many waited, and clients that left before they had a pod.',
          unit: 'reqps',
          queries: [
            { expr: `sum(${rate('activator_overflow_total')})`, legend: 'refused' },
            { expr: `sum(${rate('activator_cancelled_total')})`, legend: 'left' },
          ],
        },
      ],
    },
    {
      title: 'Pods',
      panels: [
        {
          title: 'Tables',
          about: 'Over all revisions: pods, and permits that are out and there are.',
          unit: 'short',
          queries: one('{{what}}', sum('what', gauge('activator_tracker_table'))),
        },
        {
          title: 'Validations',
          about: 'ok is well; reused: another pod has the address.',
          unit: 'ops',
          queries: one('{{result}}', sum('result', rate('activator_ready_validations_total'))),
        },
        {
          title: 'Changes',
          about: 'Pods that went from one state to another, by cause.',
          unit: 'ops',
          queries: one(
            '{{from}} to {{to}}: {{cause}}',
            sum('from, to, cause', rate('activator_pod_state_transitions_total')),
          ),
        },
        {
          title: 'Faults',
          about: 'Each is rare: no slot in a table, pods forced out, requests that ended too late.',
          unit: 'ops',
          queries: ['table_full', 'forced_release', 'stale_handle'].map((what) => ({
            expr: `sum(${rate(`activator_${what}_total`)})`,
            legend: what,
          })),
        },
        {
          title: 'Fragmentation',
          about: 'Empty slots by slots of a table.',
          unit: 'percentunit',
          queries: one('{{revision}}', gauge('activator_sparse_array_fragmentation_ratio')),
        },
      ],
    },
  ],
};
