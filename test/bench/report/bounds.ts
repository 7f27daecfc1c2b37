// What bounds each figure, as prose with the numbers of the runs in it. A statement that hangs on a
// limit is arithmetic on that limit; one that hangs on the machine carries what was measured.
import { limitsS1 } from '../runs.ts';
import { podsPerReplica } from '../workload.ts';
import type { Summary } from '../statistics.ts';
import { numberOf, plain, reference, summaryOf } from './figures.ts';
import { aims } from './reference.ts';
import type { Stored } from './results.ts';
import { busyShares } from './sections.ts';

/** Seconds that a token bucket needs for so many requests, full at the start. */
const bucketSeconds = (count: number, { qps, burst }: { qps: number; burst: number }): number =>
  Math.max(0, Math.round(((count - burst) / qps) * 10) / 10);

export function boundsSection(stored: Stored): readonly string[] {
  return [
    ...s1Bounds(stored),
    ...s2Bounds(stored),
    ...outOfReach(stored, 's1'),
    ...outOfReach(stored, 's2'),
    '- **Ready later than created.** The scheduler binds one pod after the other, and besides its creation each pod costs the server',
    '  its binding and the status from KWOK. Work therefore flows replica by replica: the scheduler has pods from the first second on.',
    '- **0 to 5** is a chain of answers: PodClique, PodGang and pods are created one after the other, and each pod is bound, started by',
    '  KWOK and observed as ready. This is latency, not work.',
    '- **Restart** is the start of Node, one list per kind and one plan per object. It writes nothing, because each plan matches',
    '  the existing objects.',
    '- **Idle and touch** write nothing: a plan that matches the existing objects sends no request.',
  ];
}

function s1Bounds(stored: Stored): readonly string[] {
  const replicas = numberOf(summaryOf(stored.s1), 'replicas');
  const { limit, schedulerLimit } = limitsS1;
  if (replicas === undefined || limit === undefined || schedulerLimit === undefined) return [];
  const pods = replicas * podsPerReplica;
  const toCreate = bucketSeconds(pods, limit);
  const toBind = bucketSeconds(pods, schedulerLimit);
  return [
    `- **S1, created and gone**: ${plain(pods)} pods at ${limit.qps} a second after a burst of ${limit.burst} take ${toCreate} s, each way. The other`,
    '  kinds have separate limits and less to create.',
    `- **S1, ready**: ${plain(pods)} bindings at ${schedulerLimit.qps} a second after a burst of ${schedulerLimit.burst} take the scheduler ${toBind} s from the first pod on.`,
  ];
}

/** Aims that the floor of the same runs does not come to either. */
function outOfReach(stored: Stored, part: 's1' | 's2'): readonly string[] {
  const limits = part === 's1' ? 'S1' : 'S2';
  const summary = summaryOf(stored[part]);
  const missed = Object.entries(timed).flatMap(([key, what]) => {
    const aim = Number(reference(summary, aims[limits], key));
    const floor = numberOf(summary, `floor_${key}`);
    if (floor === undefined || aim === 0 || floor <= aim) return [];
    return [`${what} in ${plain(aim)} s (the script takes ${plain(floor)} s)`];
  });
  if (missed.length === 0) return [];
  return [`- **${limits}, aims that the floor misses on this machine**: ${missed.join(', ')}.`];
}

/** What the floor has a time of. */
const timed = { created_s: 'created', ready_s: 'ready', gone_s: 'gone' };

/** What the controller does that the script of the floor does not. */
function aboveFloor(summary: Summary, cores: number): readonly string[] {
  const difference = (a: string, b: string): number | undefined => {
    const [one, other] = [numberOf(summary, a), numberOf(summary, b)];
    return one === undefined || other === undefined ? undefined : one - other;
  };
  const tenths = (value: number): string => plain(Math.round(value * 10) / 10);
  const cpu = difference('controller_cpu_s', 'floor_client_cpu_s');
  const ready = difference('ready_s', 'floor_ready_s');
  return cpu === undefined || ready === undefined
    ? []
    : [
        `- **S2, above the floor**: the controller takes ${tenths(cpu)} s of CPU more than the script, ${tenths(cpu / cores)} s on each core; all is ready ${tenths(ready)} s later.`,
        '  It parses the writes of others, plans and publishes; the script reads nothing.',
      ];
}

function s2Bounds(stored: Stored): readonly string[] {
  const summary = summaryOf(stored.s2);
  const shares = busyShares(stored, 's2');
  const cores = stored.s2.at(-1)?.machine.cores;
  if (summary === undefined) return [];
  const writes = numberOf(summary, 'writes');
  const rate = numberOf(summaryOf(stored.calibration), 'post_pod_50_per_s');
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  const busy =
    shares === undefined
      ? []
      : [
          `- **S2**: the CPU. All processes together used ${percent(shares.all)} of what ${plain(cores ?? 0)} cores have to give until all replicas were`,
          `  available, ${percent(shares.apiserver)} of that kube-apiserver (above 100 %: later use counts too). So the number of writes`,
          '  decides.',
        ];
  const least =
    writes === undefined || rate === undefined
      ? []
      : [
          `- **S2, created**: ${plain(writes)} writes at the ${plain(rate)} POST a second that this server handles without other load would`,
          `  take ${plain(Math.round((writes / rate) * 10) / 10)} s; scheduler, KWOK and controller manager write at the same time.`,
        ];
  return [
    ...busy,
    ...least,
    ...aboveFloor(summary, cores ?? 1),
    '- **S2, gone**: every pod is deleted twice, by us and by KWOK on behalf of its kubelet; the garbage collector is not involved.',
  ];
}
