// docs/benchmarks.md is what the stored results generate, and what it generates of made-up ones is
// what they say.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Result } from '../statistics.ts';
import { benchmarksPage } from './page.ts';
import type { PartName } from './parts.ts';
import { readResults, resultsFolder, type Stored, type StoredRun } from './results.ts';
import { pageFile } from './run.ts';

const run = (part: PartName, result: Result): StoredRun => ({
  part,
  run: '1',
  commit: 'abcdef0123',
  date: '2026-01-02',
  machine: { cpu: 'Abacus', cores: 2, memory_gib: 8, system: 'Linux 6' },
  versions: { Node: '24' },
  nodes: 100,
  result,
});

const nothing: Stored = {
  calibration: [],
  s2: [],
  s1: [],
  'audit-s2': [],
  'audit-s1': [],
  sweep: [],
  update: [],
  'update-large': [],
  embedded: [],
  churn: [],
  claims: [],
  pick: [],
  inspector: [],
  road: [],
};

const lineOf = (page: string, start: string): string =>
  page.split('\n').find((line) => line.startsWith(start)) ?? `no line begins with ${start}`;

describe('docs/benchmarks.md', () => {
  test('is what `npm run bench -- report --from-results` writes', () => {
    expect(readFileSync(pageFile, 'utf8')).toBe(benchmarksPage(readResults(resultsFolder)));
  });
});

describe('The page', () => {
  test('says of what was not measured which command measures it', () => {
    const page = benchmarksPage(nothing);
    expect(page).toContain('`npm run bench -- report --only s1`');
    expect(page).toContain('`npm run bench -- report --only sweep`');
  });

  test('has median, spread, floor and ratio of each time, beside Grove and the aim', () => {
    const results = [10, 14, 12].map((created_s) => ({
      replicas: 500,
      created_s,
      floor_created_s: 10,
      created_ratio: created_s / 10,
    }));
    const page = benchmarksPage({ ...nothing, s2: results.map((result) => run('s2', result)) });
    expect(lineOf(page, '| all pods created')).toBe(
      '| all pods created, s | 16.0 | 7.5 | 10 | 12 (10 to 14) | 1.2 (1 to 1.4) |',
    );
    expect(lineOf(page, '| s2 |')).toBe('| s2 | 3 | 2026-01-02 | 500 on 100 |');
    expect(page).toContain('\nAbacus, 2 cores, 8 GiB, Linux 6; Node 24.\n');
  });

  test('holds another size against no reference', () => {
    const page = benchmarksPage({ ...nothing, s2: [run('s2', { replicas: 20, created_s: 1 })] });
    expect(lineOf(page, '| all pods created')).toBe('| all pods created, s |  |  |  | 1 |  |');
  });

  test('has the requests of the audited runs, the most frequent first', () => {
    const counts = { 'create pods 201': 40, 'update podgangs/status 200': 1200 };
    const audited = run('audit-s2', { requests: counts, requests_run: { 'create pods 201': 110 } });
    const page = benchmarksPage({ ...nothing, 'audit-s2': [audited] });
    const rows = page.split('\n').filter((line) => /^\| (?:create|update) pod\S+ 20/.test(line));
    expect(rows).toEqual([
      '| update podgangs/status 200 |  | 1,200 |  |  |',
      '| create pods 201 |  | 40 |  | 110 |',
    ]);
  });

  test('says which part was measured on which machine where there were several', () => {
    const elsewhere = { ...run('s1', { replicas: 500 }), versions: { Node: '26' } };
    const page = benchmarksPage({ ...nothing, s2: [run('s2', {})], s1: [elsewhere] });
    expect(lineOf(page, '- s1: Abacus')).toContain('Node 26.');
    expect(lineOf(page, '- s2: Abacus')).toContain('Node 24.');
  });

  test('says how busy the cores were, and with what', () => {
    const used = {
      controller_cpu_s: 4,
      controller_cpu_start_s: 1,
      apiserver_cpu_s: 12,
      etcd_cpu_s: 3,
    };
    const page = benchmarksPage({ ...nothing, s2: [run('s2', { available_s: 10, ...used })] });
    expect(page).toMatch(/used 90 % of what 2 cores have to give.*\n.*67 % of that kube-apiserver/);
  });

  test('says what the controller does above the floor', () => {
    const used = { controller_cpu_s: 6, floor_client_cpu_s: 2, ready_s: 19, floor_ready_s: 17 };
    const page = benchmarksPage({ ...nothing, s2: [run('s2', used)] });
    expect(page).toContain(
      'takes 4 s of CPU more than the script, 2 s on each core; all is ready 2 s later.',
    );
  });

  test('names the aims that the floor misses, and no others', () => {
    const floor = { replicas: 500, floor_created_s: 8, floor_ready_s: 13, floor_gone_s: 12 };
    const page = benchmarksPage({ ...nothing, s2: [run('s2', floor)] });
    expect(lineOf(page, '- **S2, aims')).toContain(': created in 7.5 s (the script takes 8 s).');
    const fast = benchmarksPage({ ...nothing, s2: [run('s2', { ...floor, floor_created_s: 7 })] });
    expect(fast).not.toContain('aims that the floor misses');
  });

  test('computes from the limits of S1 how long pods and bindings take', () => {
    const page = benchmarksPage({ ...nothing, s1: [run('s1', { replicas: 500, created_s: 9 })] });
    expect(page).toContain('1,000 pods at 100 a second after a burst of 150 take 8.5 s');
    expect(page).toContain(
      '1,000 bindings at 50 a second after a burst of 100 take the scheduler 18 s',
    );
  });

  test('has the figures of the last commit, and the trend of all', () => {
    const then = { ...run('s2', { replicas: 500, created_s: 10 }), commit: '0123456789+' };
    const now = run('s2', { replicas: 500, created_s: 8 });
    const other = { ...run('s2', { replicas: 20, created_s: 1 }), commit: 'fedcba98' };
    const page = benchmarksPage({ ...nothing, s2: [other, then, now] });
    expect(lineOf(page, '| all pods created')).toBe(
      '| all pods created, s | 16.0 | 7.5 |  | 8 |  |',
    );
    expect(lineOf(page, '| `0123456+`')).toBe(
      '| `0123456+` | 2026-01-02 | 1 | 10 |  |  |  |  |  |  |',
    );
    expect(lineOf(page, '| `abcdef0`')).toContain('| 1 | 8 |');
    expect(page).not.toContain('fedcba9');
  });

  test('has first, last, growth and verdict of what a churn may not let grow', () => {
    const heap = { heap_mb_first: 27, heap_mb_last: 28.1, heap_mb_growth: 1.2, heap_mb_error: 0.3 };
    const result = { replicas: 50, cycles: 40, minutes: 15, ...heap, heap_mb_verdict: 'flat' };
    const page = benchmarksPage({ ...nothing, churn: [run('churn', result)] });
    expect(lineOf(page, '| heap after')).toBe(
      '| heap after a collection, MiB | 27 | 28.1 | 1.2 ± 0.3 | flat |',
    );
    expect(page).toContain('40 cycles in 15 minutes');
  });

  test('has a rolling update beside its floor, with the requests of both and the list of writes', () => {
    const results = [20, 24].map((update_s) => ({
      replicas: 100,
      update_s,
      floor_update_s: 20,
      update_ratio: update_s / 20,
      writes: 1102,
      floor_writes: 1101,
      writes_ratio: 1,
      requests: { 'patch podgangs 2xx': 200 },
      floor_requests: { 'patch podgangs 2xx': 200, 'create pods 2xx': 200 },
    }));
    const page = benchmarksPage({
      ...nothing,
      update: results.map((result) => run('update', result)),
    });
    expect(lineOf(page, '| all replicas updated')).toBe(
      '| all replicas updated, s | 1.15 | 20 | 22 (20 to 24) | 1.1 (1 to 1.2) |',
    );
    expect(lineOf(page, '| create pods 2xx')).toBe('| create pods 2xx | 200 |  |');
    expect(lineOf(page, '| delete pods')).toBe(
      '| delete pods | pod | the chosen pod | 5.7 step 5 |',
    );
    expect(benchmarksPage(nothing)).toContain(
      '`npm run bench -- report --only update,update-large`',
    );
  });

  test('has the page beside a plain table, and a deploy with viewers beside one without', () => {
    const pages = [300, 340, 320].map((first_rows_ms) =>
      run('inspector', {
        page_gzip_kb: 55,
        first_rows_ms,
        bare_first_rows_ms: 100,
        first_rows_ratio: first_rows_ms / 100,
      }),
    );
    const deploy = run('inspector', {
      without_ready_s: 10,
      watched_ready_s: 10.2,
      deploy_change_percent: 2,
    });
    const page = benchmarksPage({ ...nothing, inspector: [...pages, deploy] });
    expect(lineOf(page, '| first rows')).toBe(
      '| first rows, ms | 100 | 320 (300 to 340) | 3.2 (3 to 3.4) | 3 | missed |',
    );
    expect(lineOf(page, '| JavaScript and CSS')).toBe(
      '| JavaScript and CSS, kB gzip |  | 55 | 55 | 60 | met |',
    );
    expect(lineOf(page, '| deploy until')).toBe(
      '| deploy until all pods are ready, s | 10 | 10.2 | 2 | 3 | met |',
    );
    expect(benchmarksPage(nothing)).toContain('`npm run bench -- report --only inspector`');
  });

  test('names the knee of the sweep', () => {
    const steps = [
      [1, 30],
      [8, 15],
      [32, 14.8],
    ].map(([in_flight = 0, ready_s = 0]) => run('sweep', { in_flight, ready_s }));
    expect(benchmarksPage({ ...nothing, sweep: steps })).toContain('is at 8.');
  });
});

describe('The section on claims', () => {
  const pair = (p50_ms: number): Result => ({
    case: '300',
    count: 300,
    bursts: 1,
    p50_ms,
    floor_p50_ms: 100,
    p50_ratio: p50_ms / 100,
    bucket_p50_ms: 50,
    floor_bucket_p50_ms: 50,
    conflicts: 0,
  });

  test('says before anything was measured what measures it, beside what was published', () => {
    const page = benchmarksPage(nothing);
    expect(page).toContain('`npm run bench -- report --only claims`');
    expect(lineOf(page, '| 300 claims at 300/s, pool of 600: P50 |')).toBe(
      '| 300 claims at 300/s, pool of 600: P50 | 173.4 | not measured yet | not measured yet |',
    );
  });

  test('has floor, ratio, original and rival of each latency, and the audited writes', () => {
    const claims = [pair(110), pair(114), pair(112)].map((result) => run('claims', result));
    const audit = run('claims', { case: '300', path_writes_per_claim: 4 });
    const list = run('claims', { case: '300', list_p50_ms: 900 });
    const page = benchmarksPage({ ...nothing, claims: [...claims, audit, list] });
    expect(lineOf(page, '| 300 claims at 300/s, pool of 600: P50, ms')).toBe(
      '| 300 claims at 300/s, pool of 600: P50, ms | 3,550 | 100 | 112 (110 to 114) | 1.12 (1.1 to 1.14) | 900 |',
    );
    expect(lineOf(page, '| writes of a claim on its path')).toBe(
      '| writes of a claim on its path |  | 4 |',
    );
    expect(page).toContain('Every bound that was measured is met.');
  });

  test('names what was missed', () => {
    const page = benchmarksPage({ ...nothing, claims: [run('claims', pair(120))] });
    expect(page).toContain('- 300 claims at 300/s, pool of 600: P50, ms 120 instead of 115');
  });
});

describe('The section on the queue', () => {
  test('says before anything was measured what measures it', () => {
    expect(benchmarksPage(nothing)).toContain('`npm run bench -- report --only pick`');
  });

  test('has each operation with few members and with many, and the rival, by nodes', () => {
    const costs = { pick_few_ns: 20, pick_many_ns: 24, pick_ratio: 1.2, pick_alone_ns: 9 };
    const results = [1, 1000].map((nodes) => ({ nodes, ...costs, listing_many_ns: 90_000 }));
    const page = benchmarksPage({ ...nothing, pick: results.map((result) => run('pick', result)) });
    expect(lineOf(page, '| pick, nodes: 1')).toBe('| pick, nodes: 1 | 20 | 24 | 1.2 | 9 |');
    expect(lineOf(page, '| pick, nodes: 1,000')).toContain('| 24 |');
    expect(lineOf(page, '| *pick by listing all Sandboxes*, nodes: 1,000')).toContain('| 90,000 |');
  });
});
