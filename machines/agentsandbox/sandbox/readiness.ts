// Whether a Sandbox can be used, and whether it is suspended: the regions that its conditions Ready
// and Suspended are read from, with their words (spec agent-sandbox 1.7).
import { classified, otherwise } from '../../statechart/region.ts';
import type { Rule } from '../../statechart/region.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { expiredReason, failingReason, isReady, type ObservedSandbox } from '../objects/sandbox.ts';
import type { SandboxContext } from './context.ts';
import { hasExpired } from './expiry.ts';
import { hasSeveral, isPodReady, isSuspended, podOf, sayMultiple } from './pod.ts';
import { isServiceRequired, serviceOf } from './service.ts';
import { podNameIn, situationOf } from './situation.ts';

type Ask<R = boolean> = Rule<SandboxContext, ObservedSandbox, R>;

/** What stands in its way, and what failed: of its PVCs, its pod and its Service, in this order.
 *  That a name is taken is said better by who has it. */
export const errorsOf: Ask<readonly string[]> = (context, own) => {
  const { refusals } = situationOf(context, own);
  // Who is suspended wants no pod.
  const pod = isSuspended(own) ? undefined : refusals.pod;
  const known = [refusals.volume, pod, refusals.service].filter((one) => one !== undefined);
  const failures = context.errors.filter(
    ({ ref, code }) => code !== 'ALREADY_EXISTS' || !known.some(({ name }) => name === ref.name),
  );
  return [...known.map(({ text }) => text), ...failures.map(({ message }) => message)];
};

const isPhase =
  (phase: string): Ask =>
  (context, own) =>
    podOf(context, own)?.phase === phase;

/** Its pod is ready, and so is its Service where it is to have one. */
const isComplete = (context: SandboxContext, own: ObservedSandbox): boolean => {
  const pod = podOf(context, own);
  if (pod === undefined || !isPodReady(pod)) return false;
  return !isServiceRequired(context, own) || serviceOf(context, own) !== undefined;
};

/** It is ready, says so, and is to stay: all that can be left is upkeep. */
export const isAtRest = (context: SandboxContext, own: ObservedSandbox): boolean =>
  isReady(own) && !own.deleting && !isSuspended(own) && isComplete(context, own);

export const readiness = classified<SandboxContext, ObservedSandbox>({
  expired: (_, own, now) => hasExpired(own, now),
  several: hasSeveral,
  failing: (context, own, now) => errorsOf(context, own, now).length > 0,
  suspended: (_, own) => isSuspended(own),
  succeeded: isPhase('Succeeded'),
  failed: isPhase('Failed'),
  /** It is ready once it names its pod (S4). */
  unnamed: (context, own) =>
    isComplete(context, own) && podNameIn(own) !== podOf(context, own)?.name,
  ready: isComplete,
  unready: otherwise,
});

export const mode = classified<SandboxContext, ObservedSandbox>({
  running: (_, own) => !isSuspended(own),
  unknown: hasSeveral,
  suspending: (context, own) => podOf(context, own) !== undefined,
  unowned: (context, own) => situationOf(context, own).other !== undefined,
  suspended: otherwise,
});

function sayPod(context: SandboxContext, own: ObservedSandbox): string {
  const pod = podOf(context, own);
  if (pod === undefined) return 'Pod does not exist';
  if (pod.phase !== 'Running') return `Pod exists with phase: ${pod.phase}`;
  if (!pod.isReady) return 'Pod is Running but not Ready';
  return pod.podIPs.length > 0 ? 'Pod is Ready' : 'Pod is Ready but has no podIPs yet';
}

const sayDependencies: Ask<string> = (context, own) => {
  const pod = sayPod(context, own);
  if (!isServiceRequired(context, own)) return pod;
  const has = serviceOf(context, own) === undefined ? 'does not exist' : 'Exists';
  return `${pod}; Service ${has}`;
};

const saySuspended: Ask<string> = (context, own) => {
  const { owned, other } = situationOf(context, own);
  return owned.length > 0 || other !== undefined ? 'Sandbox is suspending' : 'Sandbox is suspended';
};

const no = { status: 'False' } as const;

export const conditions: Record<
  'Ready' | 'Suspended',
  ConditionRows<SandboxContext, ObservedSandbox>
> = {
  Ready: {
    region: 'readiness',
    rows: {
      expired: { ...no, reason: expiredReason, message: () => 'Sandbox has expired' },
      several: { ...no, reason: 'MultiplePods', message: sayMultiple },
      failing: {
        ...no,
        reason: failingReason,
        message: (context, own, now) => `Error seen: ${errorsOf(context, own, now).join('\n')}`,
      },
      suspended: { ...no, reason: 'SandboxSuspended', message: saySuspended },
      succeeded: { ...no, reason: 'PodSucceeded', message: () => 'Pod completed successfully' },
      failed: { ...no, reason: 'PodFailed', message: () => 'Pod failed' },
      unnamed: undefined,
      ready: { status: 'True', reason: 'DependenciesReady', message: sayDependencies },
      unready: { ...no, reason: 'DependenciesNotReady', message: sayDependencies },
    },
  },
  Suspended: {
    region: 'mode',
    rows: {
      running: { ...no, reason: 'NotSuspended', message: () => 'Sandbox is not suspended' },
      unknown: {
        status: 'Unknown',
        reason: 'PodStateUnknown',
        message: () => 'Pod state is unknown. Sandbox suspension cannot be confirmed',
      },
      suspending: {
        ...no,
        reason: 'PodTerminating',
        message: () => 'Pod is terminating. Sandbox is suspending',
      },
      unowned: {
        ...no,
        reason: 'PodNotOwned',
        message: () => 'Refused to delete pod because it is not owned by this sandbox',
      },
      suspended: {
        status: 'True',
        reason: 'PodTerminated',
        message: () => 'Pod has been terminated. Sandbox is suspended',
      },
    },
  },
};
