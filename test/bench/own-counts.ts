// The writes of a controller as its own /metrics count them: for runs in which the server keeps no
// audit log, since that would cost it time. The audited run is what these counts are held against.
import { isKind, kindRow } from '#machines/kinds.ts';
import type { Exposition, Sample } from '#test/support/exposition.ts';
import type { RequestCounts } from './requests.ts';

const verbs: Readonly<Record<string, string>> = { status: 'update' };
/** As the server's audit log has them. */
const codes: Readonly<Record<string, string>> = {
  ok: '2xx',
  CONFLICT: '409',
  ALREADY_EXISTS: '409 AlreadyExists',
  INVALID: '422',
  THROTTLED: '429',
};

/** By "verb resource code" as an audit log has it; code is `2xx` where the metrics do not tell.
 *  What was sent and is no write of a kind is an Event. */
export function ownCounts(metrics: Exposition): RequestCounts {
  const counts: Record<string, number> = {};
  const add = (key: string, value: number): void => {
    if (value > 0) counts[key] = (counts[key] ?? 0) + value;
  };
  for (const sample of metrics.of('coppice_writes_total')) {
    if (sample.labels['outcome'] !== 'NOT_OWNER') add(keyOf(sample), sample.value);
  }
  const total = (those: RequestCounts, code = ''): number =>
    Object.entries(those).reduce((sum, [key, one]) => (key.includes(code) ? sum + one : sum), 0);
  const sent = metrics
    .of('rest_client_requests_total')
    .filter(({ labels }) => labels['method'] !== 'GET');
  const sum = (samples: readonly Sample[]): number =>
    samples.reduce((so, { value }) => so + value, 0);
  // The outcome of an Event is known from the transport alone. So is a conflict of a write that was
  // found to be done already: it passes for one of an Event here.
  const refused =
    sum(sent.filter(({ labels }) => labels['code'] === '409')) - total(counts, ' 409');
  const events = sum(sent) - total(counts);
  add('create events 409', Math.min(refused, events));
  add('create events 2xx', events - Math.max(0, refused));
  return counts;
}

function keyOf({ labels }: Sample): string {
  const { kind = '', op = '', outcome = '' } = labels;
  const plural = isKind(kind) ? kindRow(kind).plural : kind;
  const resource = op === 'status' ? `${plural}/status` : plural;
  return `${verbs[op] ?? op} ${resource} ${codes[outcome] ?? outcome}`;
}
