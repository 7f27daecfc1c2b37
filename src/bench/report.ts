// What `coppice bench` leaves: `report.json`, the same for people in `report.md`, and the line of
// time in `timeline.json`. Called by run.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Moment, Step } from './steps.ts';

export interface Report {
  readonly version: string;
  /** RFC 3339, UTC, of the start. */
  readonly date: string;
  readonly server: string;
  readonly file: string;
  readonly set: string;
  readonly replicas: number;
  readonly scaledTo: number;
  readonly steadySeconds: number;
  /** 0: the nodes of the cluster were used. */
  readonly simulatedNodes: number;
  readonly steps: readonly Step[];
  readonly profiles: readonly string[];
  readonly missingProfiles: readonly string[];
  /** Why it ended before its end. */
  readonly error?: string;
}

export function writeReport(folder: string, report: Report, moments: readonly Moment[]): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('report.json', `${JSON.stringify(report, null, 2)}\n`);
  write('timeline.json', `${JSON.stringify(moments, null, 1)}\n`);
  write('report.md', inWords(report));
}

const inWords = (report: Report): string =>
  [
    `# Benchmark of ${report.set}`,
    '',
    `${report.date}, Coppice ${report.version}, ${report.server}; ${report.replicas} replicas, ` +
      `scaled to ${report.scaledTo}; ` +
      (report.simulatedNodes === 0
        ? 'nodes of the cluster.'
        : `${report.simulatedNodes} simulated nodes.`),
    ...(report.error === undefined ? [] : ['', `**It ended early: ${report.error}**`]),
    '',
    '| step | seconds | milestones, in seconds from its start | changes seen |',
    '|---|---|---|---|',
    ...report.steps.map(
      ({ step, start, end, milestones, changes }) =>
        `| ${step} | ${(end - start).toFixed(2)} | ${pairs(milestones)} | ${pairs(changes)} |`,
    ),
    '',
    'A milestone is the moment of the last pod or gang of the step.',
    '',
    ...report.profiles.map((name) => `- \`go tool pprof -top ${name}\``),
    ...report.missingProfiles.map((line) => `- no ${line}`),
    '',
  ].join('\n');

const pairs = (values: Readonly<Record<string, number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
