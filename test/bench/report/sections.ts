// The sections of docs/benchmarks.md that hold figures, one function each. page.ts puts them in
// order; the prose that needs no figure is there.
import { knee, sweepRows, sweepSteps } from '../sweep.ts';
import { levels } from '../calibration.ts';
import type { RequestCounts } from '../requests.ts';
import { cell, notMeasured, numberOf, plain, reference, rowsTable, summaryOf } from './figures.ts';
import { table } from '#test/surface/page.ts';
import { aims, aimsElsewhere, grove, groveElsewhere } from './reference.ts';
import type { Stored, StoredRun } from './results.ts';

type Lines = readonly string[];

/** A line per part, and one per machine and set of versions. */
export function provenance(stored: Stored): Lines {
  const rows = Object.entries(stored).flatMap(([part, runs]) => {
    const last = runs.at(-1);
    if (last === undefined) return [];
    const dates = [...new Set(runs.map(({ date }) => date))].join(', ');
    const replicas = numberOf(summaryOf(runs), 'replicas');
    const size = replicas === undefined ? '' : `${plain(replicas)} on ${plain(last.nodes)}`;
    return [[part, String(runs.length), dates, size]];
  });
  if (rows.length === 0) return ['Nothing was measured yet: `npm run bench -- report`.'];
  const places = Map.groupBy(Object.values(stored).flat(), placeOf);
  return [
    ...table(['part', 'runs', 'date', 'replicas on nodes'], rows),
    '',
    ...[...places].map(([place, runs]) => {
      const parts = [...new Set(runs.map(({ part }) => part))].join(', ');
      return places.size === 1 ? `${place}.` : `- ${parts}: ${place}.`;
    }),
  ];
}

function placeOf({ machine, versions }: StoredRun): string {
  const { cpu, cores, memory_gib, system } = machine;
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${cpu}, ${cores} cores, ${memory_gib} GiB, ${system}; ${programs.join(', ')}`;
}

const deployRows: Readonly<Record<string, string>> = {
  created_s: 'all pods created, s',
  initialized_s: 'all PodGangs Initialized, s',
  ready_s: 'all pods ready, s',
  available_s: 'all replicas available, s',
  set_gone_s: 'PodCliqueSet gone, s',
  gone_s: 'all gone, s',
  writes: 'writes',
  events: 'Events',
  conflicts: 'conflicts',
  pods_ever_created: 'pods ever created',
  controller_cpu_s: 'controller, CPU s',
  apiserver_cpu_s: 'kube-apiserver, CPU s',
};

/** Deploy and deletion under one set of limits, beside the floor. */
export function deploySection(stored: Stored, part: 's1' | 's2'): Lines {
  const limits = part === 's1' ? 'S1' : 'S2';
  const summary = summaryOf(stored[part]);
  if (summary === undefined) return notMeasured(part);
  const rows = Object.entries(deployRows).map(([key, title]) => ({
    title,
    cells: [
      reference(summary, grove[limits], key),
      reference(summary, { ...aimsElsewhere, ...aims[limits] }, key),
      cell(summary, key === 'controller_cpu_s' ? 'floor_client_cpu_s' : `floor_${key}`),
      cell(summary, key),
      key.endsWith('_s') ? cell(summary, key.replace(/_s$/, '_ratio')) : '',
    ],
  }));
  return rowsTable(['', 'Grove', 'aim', 'floor', 'Coppice', 'in floors'], rows);
}

const stepRows: Readonly<Record<string, string>> = {
  restart_ready_s: 'restart with everything up: ready, s',
  writes_restart: '- writes',
  writes_idle: 'idle: writes',
  controller_cpu_idle_s: '- CPU of the controller, s',
  writes_touch: 'touch: writes',
  controller_cpu_touch_s: '- CPU of the controller, s',
  scale_down_s: 'all to half, s',
  writes_scale_down: '- writes',
  scale_up_s: 'half to all, s',
  writes_scale_up: '- writes',
  scale_to_zero_s: 'all to 0, s',
  writes_scale_to_zero: '- writes',
  zero_to_few_created_s: '0 to 5: created, s',
  zero_to_few_ready_s: '- ready, s',
  writes_zero_to_few: '- writes',
  few_to_zero_s: '5 to 0, s',
  writes_few_to_zero: '- writes',
  scale_from_zero_created_s: '0 to all: created, s',
  scale_from_zero_ready_s: '- ready, s',
  writes_scale_from_zero: '- writes',
  conflicts_run: 'conflicts in the whole run',
};

export function stepsSection(stored: Stored): Lines {
  const [s1, s2] = [summaryOf(stored.s1), summaryOf(stored.s2)];
  const some = s2 ?? s1;
  if (some === undefined) return notMeasured('s2', 's1');
  const rows = Object.entries(stepRows).map(([key, title]) => ({
    title,
    cells: [
      reference(some, groveElsewhere, key),
      reference(some, aimsElsewhere, key),
      cell(s1, key),
      cell(s2, key),
    ],
  }));
  return rowsTable(['', 'Grove', 'aim', 'S1', 'S2'], rows);
}

const processes: Readonly<Record<string, string>> = {
  controller: 'controller',
  apiserver: 'kube-apiserver',
  etcd: 'etcd',
  kcm: 'kube-controller-manager',
  scheduler: 'kube-scheduler',
  kwok: 'KWOK',
  nats: 'nats-server',
  observer: 'observer',
};

export function processesSection(stored: Stored): Lines {
  const [s1, s2] = [summaryOf(stored.s1), summaryOf(stored.s2)];
  if (s1 === undefined && s2 === undefined) return notMeasured('s2', 's1');
  const floorOf = (name: string): string => (name === 'controller' ? 'client' : name);
  const rows = Object.entries(processes).map(([name, title]) => ({
    title,
    cells: [s1, s2].flatMap((summary) => [
      cell(summary, `floor_${floorOf(name)}_cpu_s`),
      cell(summary, `${name}_cpu_s`),
      cell(summary, `${name}_rss_mb`),
    ]),
  }));
  const of = (limits: string): string[] => [
    `${limits} floor, CPU s`,
    `${limits}, CPU s`,
    `${limits}, peak MiB`,
  ];
  return rowsTable(['deploy', ...of('S1'), ...of('S2')], rows);
}

export function requestsSection(stored: Stored): Lines {
  const [s1, s2] = [stored['audit-s1'], stored['audit-s2']].map((runs) => ({
    deploy: countsOf(runs, 'requests'),
    run: countsOf(runs, 'requests_run'),
  }));
  const all = [s1?.deploy, s2?.deploy, s1?.run, s2?.run].map((counts) => counts ?? {});
  const keys = [...new Set(all.flatMap((counts) => Object.keys(counts)))];
  if (keys.length === 0) return notMeasured('audit-s2', 'audit-s1');
  const total = (key: string): number => all.reduce((sum, counts) => sum + (counts[key] ?? 0), 0);
  const rows = keys
    .toSorted((a, b) => total(b) - total(a) || a.localeCompare(b))
    .map((key) => [key, ...all.map((counts) => (key in counts ? plain(counts[key] ?? 0) : ''))]);
  const headings = ['verb, resource, code', 'deploy, S1', 'deploy, S2', 'whole run, S1'];
  return table([...headings, 'whole run, S2'], rows);
}

function countsOf(runs: readonly StoredRun[], key: string): RequestCounts {
  const counts = summaryOf(runs)?.median[key];
  return typeof counts === 'object' ? counts : {};
}

export function calibrationSection(stored: Stored): Lines {
  const summary = summaryOf(stored.calibration);
  if (summary === undefined) return notMeasured('calibration');
  const rows = levels.map((level) => ({
    title: String(level),
    cells: [cell(summary, `post_pod_${level}_per_s`), cell(summary, `put_status_${level}_per_s`)],
  }));
  return rowsTable(['in flight', 'POST pod, 1/s', 'PUT status, 1/s'], rows);
}

const sweepTitles: Readonly<Record<string, string>> = {
  created_s: 'created, s',
  ready_s: 'ready, s',
  available_s: 'available, s',
};

export function sweepSection(stored: Stored): Lines {
  const results = stored.sweep.map(({ result }) => result);
  if (results.length === 0) return notMeasured('sweep');
  const steps = sweepSteps(results);
  const [headings = [], ...rows] = sweepRows(steps);
  return [
    ...table(
      headings.map((key) => sweepTitles[key] ?? deployRows[key] ?? key),
      rows,
    ),
    '',
    `The knee, the least number within 5 % of the best time until all pods are ready, is at ${knee(steps)}.`,
  ];
}

export function embeddedSection(stored: Stored): Lines {
  const summary = summaryOf(stored.embedded);
  if (summary === undefined) return notMeasured('embedded');
  const more = { cluster_cpu_s: 'cluster, CPU s', controller_rss_mb: 'controller, peak MiB' };
  const titles = { ...deployRows, ...more, ...stepRows };
  const rows = Object.entries(titles).map(([key, title]) => ({
    title,
    cells: [cell(summary, key)],
  }));
  return rowsTable(['', 'Coppice'], rows);
}

/** CPU time of all processes in a deploy, as a share of what the cores had to give until all
 *  replicas were available, and how much of it was kube-apiserver's. */
export function busyShares(
  stored: Stored,
  part: 's1' | 's2',
): { readonly all: number; readonly apiserver: number } | undefined {
  const summary = summaryOf(stored[part]);
  const cores = stored[part].at(-1)?.machine.cores;
  const seconds = numberOf(summary, 'available_s');
  const apiserver = numberOf(summary, 'apiserver_cpu_s');
  if (cores === undefined || seconds === undefined || apiserver === undefined) return undefined;
  const used = Object.keys(processes).reduce(
    (sum, name) => sum + (numberOf(summary, `${name}_cpu_s`) ?? 0),
    -(numberOf(summary, 'controller_cpu_start_s') ?? 0),
  );
  return { all: used / (cores * seconds), apiserver: apiserver / used };
}
