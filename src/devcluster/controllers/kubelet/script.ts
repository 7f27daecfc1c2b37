// How a simulated pod behaves: settings of the cluster, and annotations on the pod by which tests
// and demos script it. Durations are written as in Go: `500ms`, `3s`, `1m30s`.
//
// | annotation                 | value            | effect                                       |
// | dev.coppice/start-after    | duration         | containers (or the first init container)     |
// |                            |                  | start that long after the binding            |
// | dev.coppice/ready-after    | duration, never  | readiness that long after a container starts |
// | dev.coppice/ready          | false            | not ready, from now on, until it is removed  |
// | dev.coppice/run-for        | duration         | containers end by themselves after that      |
// | dev.coppice/exit-code      | number           | with this code; alone: ends at once          |
// | dev.coppice/stop-after     | duration         | time to stop after a deletion                |
//
// `run-for` and `exit-code` may name one container: `dev.coppice/exit-code.worker`; only so do they
// apply to an init container.
import { textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { uidOf } from '../client.ts';
import type { Settings } from '../options.ts';

const prefix = 'dev.coppice/';

export interface ContainerScript {
  /** Infinity: runs until it is stopped. */
  readonly runForMs: number;
  readonly exitCode: number;
}

export interface PodScript {
  readonly startMs: number;
  /** Infinity: never. */
  readonly readyMs: number;
  readonly isReady: boolean;
  readonly stopMs: number;
  readonly container: (name: string) => ContainerScript;
  readonly initContainer: (name: string) => ContainerScript;
}

const units: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds; undefined where the text is no duration. */
export function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    sum += Number(amount) * (units[unit ?? ''] ?? 0);
  }
  return sum;
}

export function scriptOf(pod: Stored, settings: Settings): PodScript {
  const annotations = textsAt(pod.metadata, 'annotations');
  const at = (what: string): string | undefined => annotations[prefix + what];
  const codeOf = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d{1,3}$/.test(text) ? Number(text) : undefined;
  const end = (suffix: string): Partial<ContainerScript> => {
    const exitCode = codeOf(at(`exit-code${suffix}`));
    const runForMs = durationOf(at(`run-for${suffix}`));
    return {
      ...(exitCode === undefined ? {} : { exitCode, runForMs: 0 }),
      ...(runForMs === undefined ? {} : { runForMs }),
    };
  };
  const jitter = fraction(uidOf(pod)) * settings.startJitterMs;
  const readyAfter = at('ready-after');
  return {
    startMs: durationOf(at('start-after')) ?? settings.startMs + jitter,
    readyMs: readyAfter === 'never' ? Infinity : (durationOf(readyAfter) ?? 0),
    isReady: at('ready') !== 'false',
    stopMs: durationOf(at('stop-after')) ?? settings.stopMs,
    container: (name) => ({ runForMs: Infinity, exitCode: 0, ...end(''), ...end(`.${name}`) }),
    initContainer: (name) => ({
      runForMs: settings.initContainerMs,
      exitCode: 0,
      ...end(`.${name}`),
    }),
  };
}

/** A number in [0, 1) out of a text, the same each time: jitter that survives a restart. */
export function fraction(text: string): number {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) / 4294967296;
}
