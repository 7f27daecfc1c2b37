// Pods that ended by themselves are chosen for deletion, so that they are replaced (spec
// controllers 10.2 gap 21). The first at once; if it happens again soon, with growing pauses, so
// that a pod that fails at once does not spin.
import { backoff, isPauseOver } from '../../../contract/backoff.ts';
import type { Intent } from '../../../contract/intents.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { idle } from '../../../statechart/step.ts';
import { firstReplaceMs, lastReplaceMs } from '../../objects/limits.ts';
import { isFinished, type ObservedPod } from '../../objects/pod.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { livePods, ownPods, withChosen, type CliqueContext, type Step } from '../context.ts';

export const replaceFinished: Step = (context, clique, now) => {
  const finished = livePods(context, clique).filter(isFinished);
  if (finished.length === 0 && context.replaceAt.size === 0) return idle;
  const { failures, at } = schedule(context, clique, finished, now);
  const isDue = (when: EpochMs): boolean => isPauseOver(when, now, lastReplaceMs);
  const due = finished.filter((pod) => isDue(at.get(pod.uid) ?? now));
  const replaceAt = new Map([...at].filter(([, when]) => !isDue(when)));
  return {
    intents: due.map(decision),
    waits: [...replaceAt.values()].map((until) => ({ until })),
    changes: {
      replaceAt,
      failures,
      ...(due.length > 0 ? { podsToDelete: withChosen(context, due) } : {}),
    },
  };
};

/** Pods that finished together share one pause, so a lost node counts once. */
function schedule(
  context: CliqueContext,
  clique: ObservedClique,
  finished: readonly ObservedPod[],
  now: EpochMs,
) {
  const at = new Map<string, EpochMs>();
  const fresh = finished.filter((pod) => !context.replaceAt.has(pod.uid));
  for (const pod of finished) at.set(pod.uid, context.replaceAt.get(pod.uid) ?? now);
  if (fresh.length === 0) return { failures: context.failures, at };
  const times = replacementsUntil(context, clique, now);
  const ended = Math.max(...fresh.map((pod) => endOf(pod, now)));
  const when = times === 0 ? now : ended + backoff(times, firstReplaceMs, lastReplaceMs);
  for (const pod of fresh) at.set(pod.uid, when);
  return { failures: { times: times + 1, lastAt: when }, at };
}

/** By the clock of its node, which may be wrong: not before it was there, and not in the future. */
const endOf = ({ endedAt, createdAt }: ObservedPod, now: EpochMs): EpochMs =>
  Math.min(now, Math.max(endedAt ?? now, createdAt ?? 0));

/**
 * How many replacements came in quick succession until now. Each pod that was created meanwhile
 * tells of them too, so that a controller that has just started knows.
 */
export function replacementsUntil(
  context: CliqueContext,
  clique: ObservedClique,
  now: EpochMs,
): number {
  const reported = ownPods(context, clique).map(({ replacements, createdAt = 0 }) => ({
    times: replacements,
    lastAt: createdAt,
  }));
  const recent = [context.failures, ...reported].filter(
    ({ lastAt }) => now - lastAt <= 2 * lastReplaceMs,
  );
  return Math.max(0, ...recent.map(({ times }) => times));
}

const decision = (pod: ObservedPod): Intent => ({
  type: 'decide',
  what: `replace pod ${pod.name}`,
  why: `its phase is ${pod.phase}${pod.trouble === '' ? '' : ` and it ${pod.trouble}`}`,
});
