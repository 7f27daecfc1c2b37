// The section of docs/benchmarks.md on claims: their latency beside that of the floor and of the
// original, raw and through the original's buckets, and what they cost. page.ts puts it in its
// place.
import { table } from '#test/surface/page.ts';
import { claimsCases, type ClaimsCase, titleOf } from '../claims/cases.ts';
import { judgeClaims } from '../claims/judge.ts';
import { percents } from '../claims/latency.ts';
import type { Summary } from '../statistics.ts';
import { cell, notMeasured, plain, rowsTable, summaryOf } from './figures.ts';
import { originalClaimCosts, originalClaims, publishedClaims } from './reference.ts';
import type { Stored } from './results.ts';

type Lines = readonly string[];

interface Measured {
  readonly what: ClaimsCase;
  readonly summary: Summary | undefined;
}

export function claimsSection({ claims }: Stored): Lines {
  const measured = claimsCases.map((what) => ({
    what,
    summary: summaryOf(claims.filter(({ result }) => result['case'] === what.name)),
  }));
  return [
    ...method,
    '',
    ...(claims.length === 0 ? notMeasured('claims') : verdictLines(measured)),
    '',
    ...latencyTable(measured),
    '',
    ...(claims.length === 0 ? [] : [...aboutCosts, '', ...costTable(measured), '']),
    ...aboutBuckets,
    '',
    ...bucketTable(measured),
    '',
    ...machines,
  ];
}

const method = [
  'Claims of agent-sandbox come at their times, whatever becomes of those before (`npm run bench -- claims`): a process of its own POSTs',
  'them and watches them. A latency is the time from the POST to the watch event in which the claim is Ready; percentiles are by nearest',
  'rank. *Floor*: a script, also a process of its own, with the same client and 64 requests in flight, that sees the claims by watch and',
  'makes three writes for each: the assignment (a patch of the claim), the take-over (a patch of the Sandbox with its UID and',
  'resourceVersion), and the status with name, addresses and Ready in one. It keeps its members in a FIFO in memory and replaces none. It',
  'has made them by three writes each: Sandbox, pod, status. Before the claims come, the pool grows by as many members as will be claimed:',
  'that is the refill alone. *By lists* is the floor without its queue, which lists all Sandboxes of the pool for each claim.',
  '',
  'P50, P90 and P99 may be 1.15 times those of the floor, or 5 ms above a floor below 30 ms; a refill may take 1.3 times what it takes',
  'alone, a full pool 1.15 times the script. *Original*: agent-sandbox as it was measured earlier on two cores, for orientation.',
];

/** What was missed, case by case. */
function verdictLines(measured: readonly Measured[]): Lines {
  const missed = measured.flatMap(({ what, summary }) =>
    (summary === undefined ? [] : judgeClaims(summary, { isObserved: true }, summary.median))
      .filter(({ verdict }) => verdict === 'missed')
      .map(
        ({ figure, value, bound }) => `${titleOf(what)}: ${figure} ${value} instead of ${bound}`,
      ),
  );
  return missed.length === 0
    ? ['Every bound that was measured is met.']
    : ['Missed:', '', ...missed.map((line) => `- ${line}`)];
}

const milliseconds = (value: number | undefined): string =>
  value === undefined ? '' : plain(value);

function latencyTable(measured: readonly Measured[]): Lines {
  const rows = measured.flatMap(({ what, summary }) => {
    const original = originalClaims[what.name] ?? [];
    const times = what.count === 0 ? [] : percents;
    const row = (label: string, key: string, reference = '') => ({
      title: `${titleOf(what)}: ${label}`,
      cells: [
        reference,
        cell(summary, `floor_${key}`),
        cell(summary, key),
        cell(summary, key.replace(/_m?s$/, '_ratio')),
        cell(summary, `list_${key}`),
      ],
    });
    return [
      ...times.map((percent, index) =>
        row(`P${percent}, ms`, `p${percent}_ms`, milliseconds(original[index])),
      ),
      row('longest, ms', 'max_ms'),
      row('Ready, s', what.count === 0 ? 'fill_s' : 'none'),
    ];
  });
  return rowsTable(['', 'original', 'floor', 'Coppice', 'in floors', 'by lists'], rows);
}

const costRows: Readonly<Record<string, string>> = {
  path_writes_per_claim: 'writes of a claim on its path',
  unobserved_path_writes: '- without observability annotations',
  behind_writes_per_claim: '- behind it: refill, metadata, stamps',
  audited_writes_per_claim: '- together',
  events_per_claim: 'Events of a claim',
  audited_assigned_ms: 'from the POST to the assignment, ms, median',
  audited_taken_over_ms: '- from there to the take-over',
  audited_told_ms: '- to the status',
  audited_seen_ms: '- until the watch shows it',
  conflicts: 'answers of 409 in a run',
  cold_starts: 'cold starts',
  double_bindings: 'double bindings',
  apiserver_ms_per_claim: 'kube-apiserver up to Ready, CPU ms a claim',
  floor_apiserver_ms_per_claim: '- under the floor',
  controller_ms_per_claim: 'controller up to Ready, CPU ms a claim',
  floor_floor_ms_per_claim: '- the floor',
  refill_alone_s: 'refill alone, s',
  refill_s: 'refill after the last claim is Ready, s',
  refill_ratio: '- of the refill alone',
  p99_first_ms: 'P99 of the first third of the bursts, ms',
  p99_last_ms: '- of the last third',
  lag_ms: 'the latest POST was late by, ms',
};

const aboutCosts = [
  'Writes on the path are those of the claim and of its Sandbox from the POST to the status that makes it Ready, by the audit log of a',
  'run of its own; Events are counted apart. The stages are of the same run, each write as it comes to the server.',
];

function costTable(measured: readonly Measured[]): Lines {
  const cases = measured.filter(({ what, summary }) => what.count > 0 && summary !== undefined);
  const rows = Object.entries(costRows).map(([key, title]) => {
    const cells = cases.map(({ summary }) => cell(summary, key));
    const isKnown = cells.some((text) => text !== '');
    return { title, cells: isKnown ? [originalClaimCosts[key] ?? '', ...cells] : [] };
  });
  return rowsTable(['', 'original', ...cases.map(({ what }) => titleOf(what))], rows);
}

const aboutBuckets = [
  'Upstream publishes what `histogram_quantile` reads from its histogram, whose first buckets end at 100, 250 and 500 ms: a load that is',
  'served within 100 ms altogether reads 50 / 90 / 99 there. The same reading of the latencies above, in ms:',
];

function bucketTable(measured: readonly Measured[]): Lines {
  const rows = measured.flatMap(({ what, summary }) => {
    const published = publishedClaims[what.name];
    if (published === undefined) return [];
    return percents.map((percent, index) => [
      `${titleOf(what)}: P${percent}`,
      plain(published[index] ?? 0),
      cell(summary, `floor_bucket_p${percent}_ms`) || 'not measured yet',
      cell(summary, `bucket_p${percent}_ms`) || 'not measured yet',
    ]);
  });
  return table(['', 'original, as published', 'floor', 'Coppice'], rows);
}

const machines = [
  'The machines differ: upstream does not name the cluster of its figures. Here etcd, the API server, its controllers, KWOK, Coppice and',
  'the load share two cores.',
];
