// The parts of the report: which runs each consists of. run.ts carries them out, the page reads
// what they left behind by these names.
import { drive, filesOf } from '#test/road/drive.ts';
import { usualChurn } from '../churn/churn.ts';
import { caseOf, claimsCases } from '../claims/cases.ts';
import * as claims from '../claims/runs.ts';
import { pickResult, usualPick } from '../pick.ts';
import type { RunOptions } from '../runs.ts';
import * as runs from '../runs.ts';
import type { Result } from '../statistics.ts';
import { measurePage } from '../viewers/page.ts';
import { deployPair } from '../viewers/run.ts';
import { usualViewers, type ViewersCommand } from '../viewers/settings.ts';

export const partNames = [
  'calibration',
  's2',
  's1',
  'audit-s2',
  'audit-s1',
  'sweep',
  'update',
  'update-large',
  'embedded',
  'churn',
  'claims',
  'pick',
  'inspector',
  'road',
] as const;
export type PartName = (typeof partNames)[number];

export interface ReportCommand {
  readonly command: 'report';
  readonly only: readonly PartName[];
  readonly resume: boolean;
  readonly fromResults: boolean;
  readonly repeat: number;
  readonly replicas: number;
  readonly nodes: number;
  readonly out: string | undefined;
  /** Folder for results and page; absent: those of the repository. */
  readonly results: string | undefined;
  readonly steps: readonly number[];
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
  readonly calibrationRequests: number;
}

export interface PlannedRun {
  readonly part: PartName;
  /** Tells it apart within its part, also from one call to the next: what is there is not done
   *  again by `--resume`. */
  readonly run: string;
  readonly execute: () => Promise<Result>;
}

/** A step of the sweep is a whole run: more than three of each would take most of the time. */
const mostSweeps = 3;

/** Of a rolling update: pairs of this size, and one pair of the usual size. */
const updateReplicas = 100;
const updatePairs = 3;

/** The runs of a part in their order. */
export function plan(
  part: PartName,
  command: ReportCommand,
  say: (line: string) => void,
): readonly PlannedRun[] {
  const { repeat, steps, calibrationRequests } = command;
  const real: RunOptions = { ...command, cluster: 'real', limits: runs.limitsS2, say };
  const s1 = { ...real, limits: runs.limitsS1 };
  const times = (count: number, execute: (index: number) => Promise<Result>) =>
    Array.from({ length: count }, (_, index) => ({
      part,
      run: `${index + 1}`,
      execute: () => execute(index),
    }));
  switch (part) {
    case 'calibration':
      return times(repeat, () => runs.calibration(real, calibrationRequests));
    case 's2':
      return times(repeat, (index) => runs.pair(real, index));
    case 's1':
      return times(repeat, (index) => runs.pair(s1, index));
    case 'audit-s2':
      return times(1, () => runs.audited(real));
    case 'audit-s1':
      return times(1, () => runs.audited(s1));
    case 'sweep':
      return Array.from({ length: Math.min(repeat, mostSweeps) }, (_, index) =>
        steps.map((inFlight) => ({
          part,
          run: `${inFlight} in flight, ${index + 1}`,
          execute: () => runs.sweepStep(real, inFlight),
        })),
      ).flat();
    case 'update': {
      const replicas = Math.min(updateReplicas, command.replicas);
      return times(Math.min(repeat, updatePairs), () => runs.updatePair({ ...real, replicas }));
    }
    case 'update-large':
      return times(Math.min(repeat, updatePairs), () => runs.updatePair(real));
    case 'embedded':
      return times(repeat, () => runs.scale({ ...real, cluster: 'embedded' }));
    case 'churn':
      return times(1, () => runs.churn({ ...real, ...usualChurn }));
    case 'claims':
      return claimsRuns(command.repeat, { ...command, cluster: 'real', ...asShipped, say });
    case 'pick':
      return usualPick.nodes.map((nodes) => ({
        part,
        run: `${nodes} nodes`,
        execute: () => Promise.resolve(pickResult(nodes)),
      }));
    case 'inspector':
      return inspectorRuns(command, say);
    case 'road':
      return times(1, () => roadFiles(say));
  }
}

const asShipped = { server: 'controller', busyUs: 0, isObserved: true } as const;

/** Of claims: pairs of each case, of long ones one; then what the audit log counts, and the
 *  rival. */
function claimsRuns(repeat: number, options: claims.ClaimsOptions): readonly PlannedRun[] {
  const part = 'claims' as const;
  const pairs = claimsCases.flatMap((what) =>
    Array.from({ length: what.isLong ? 1 : repeat }, (_, index) => ({
      part,
      run: `${what.name}, ${index + 1}`,
      execute: () => claims.pair(what, options, index),
    })),
  );
  const audits = claimsCases
    .filter(({ isLong, count }) => !isLong && count > 0)
    .flatMap((what) => [
      {
        part,
        run: `${what.name}, audit`,
        execute: () => claims.audited(what, options),
      },
      {
        part,
        run: `${what.name}, audit without annotations`,
        execute: () => claims.unobserved(what, options),
      },
    ]);
  const rival = { part, run: 'list', execute: () => claims.rival(caseOf('300'), options) };
  return [...pairs, ...audits, rival];
}

/** The page beside a bare one, and deploys with and without viewers, in pairs. */
function inspectorRuns(
  { repeat, nodes, out }: ReportCommand,
  say: (line: string) => void,
): readonly PlannedRun[] {
  const command: ViewersCommand = {
    ...usualViewers,
    command: 'inspector',
    cluster: 'real',
    nodes,
    out,
    repeat: 1,
    only: 'all',
  };
  const page = async (): Promise<Result> => {
    const [result] = await measurePage(command, say);
    if (result === undefined) throw new Error('the page was not measured');
    return result;
  };
  return Array.from({ length: repeat }, (_, index) => [
    { part: 'inspector' as const, run: `page, ${index + 1}`, execute: page },
    {
      part: 'inspector' as const,
      run: `deploy, ${index + 1}`,
      execute: () => deployPair(command, index, say),
    },
  ]).flat();
}

/** How many product files run on each road (`npm run road`). */
async function roadFiles(say: (line: string) => void): Promise<Result> {
  const [ready, scaled] = await drive(say);
  if (ready === undefined || scaled === undefined) throw new Error('a road was not driven');
  return {
    files_pod_ready: filesOf(ready.stretches).length,
    files_3_to_5: filesOf(scaled.stretches).length,
  };
}
