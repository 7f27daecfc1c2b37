// What does it ask of the API server, and what does that answer?
import { type Dashboard, gauge, one, quantile, rate, sum } from '../panel.ts';

const requests = 'rest_client_requests_total';
const all = sum('job', rate(requests));

const shareOf = (code: string) =>
  one('{{job}}', `${sum('job', rate(requests, `code="${code}"`))} / ${all}`);

export const api: Dashboard = {
  name: 'api-usage',
  title: 'Coppice / API usage',
  about: 'What does it ask of the API server, and what does that answer?',
  rows: [
    {
      title: 'Requests',
      panels: [
        {
          title: 'By status',
          about: 'Steady 4xx and 5xx want a look.',
          unit: 'reqps',
          queries: one('{{code}}', sum('code', rate(requests))),
        },
        {
          title: 'By method',
          about: 'At rest there are none but renewals of leases.',
          unit: 'reqps',
          queries: one('{{method}}', sum('method', rate(requests))),
        },
        {
          title: '409, share',
          about: 'Objects that have changed meanwhile, and names that are taken.',
          unit: 'percentunit',
          queries: shareOf('409'),
        },
        {
          title: '429, share',
          about: 'The API server sends requests away.',
          unit: 'percentunit',
          queries: shareOf('429'),
        },
      ],
    },
    {
      title: 'Writes',
      panels: [
        {
          title: 'By kind',
          about: 'A deploy costs 3.5 for each pod.',
          unit: 'reqps',
          queries: one('{{kind}} {{op}}', sum('kind, op', rate('coppice_writes_total'))),
        },
        {
          title: 'Refused',
          about: 'By code: docs/errors.md says which are tried again.',
          unit: 'reqps',
          queries: one(
            '{{kind}} {{outcome}}',
            sum('kind, outcome', rate('coppice_writes_total', 'outcome!="ok"')),
          ),
        },
        {
          title: 'Status conflicts',
          about: 'By the kind that was written.',
          unit: 'ops',
          queries: one(
            '{{target_kind}}',
            sum('target_kind', rate('grove_operator_status_update_conflict_total')),
          ),
        },
      ],
    },
    {
      title: 'Watches and webhooks',
      panels: [
        {
          title: 'Age of watches',
          about: 'A bookmark comes every minute.',
          unit: 's',
          queries: one('{{kind}}', `max by (kind) ${gauge('coppice_cache_age_seconds')}`),
        },
        {
          title: 'Webhooks, P99',
          about: 'Users wait for it. The API server gives up after 5 s.',
          unit: 's',
          queries: one(
            '{{webhook}}',
            quantile(0.99, 'controller_runtime_webhook_latency_seconds', 'webhook'),
          ),
        },
        {
          title: 'Webhooks, answers',
          about: 'By status; a refusal is a 200.',
          unit: 'reqps',
          queries: one(
            '{{webhook}} {{code}}',
            sum('webhook, code', rate('controller_runtime_webhook_requests_total')),
          ),
        },
        {
          title: 'Webhooks, refusals',
          about: 'Manifests that users have to correct.',
          unit: 'reqps',
          queries: one('{{webhook}}', sum('webhook', rate('coppice_admission_refused_total'))),
        },
      ],
    },
  ],
};
