// Why a PodClique is not ready, in sentences for people, most important first. Answers `why`.
import { whyThere } from '../deletion.ts';
import { sayError } from '../errorbook.ts';
import { finalizer } from '../grove/labels.ts';
import { maxListed } from '../limits.ts';
import type { JsonObject } from '../objects.ts';
import type { EpochMs } from '../vocabulary.ts';
import { currentGang, isLeaving, livePods, ownGroup, ownPods, problemOf } from './context.ts';
import type { CliqueContext } from './context.ts';
import type { CliqueFact } from './facts.ts';
import { hasOurGate, isFinished } from './podfact.ts';
import type { PodFact } from './podfact.ts';
import { deletionsAwaited } from './plan/drain.ts';
import { countPods } from './status.ts';

export function why(context: CliqueContext, now: EpochMs): readonly string[] {
  const { clique } = context;
  if (clique === undefined) return [`PodClique ${context.key.name} was not seen yet`];
  if (clique.deleting) {
    const waited = deletionsAwaited(context, clique).map(({ name }) => `Pod ${name}`);
    return [
      whyThere(`PodClique ${clique.name}`, clique, { ours: finalizer.clique, waited }),
      ...context.errors.map(sayError),
    ].slice(0, maxListed);
  }
  const problem = problemOf(context, clique);
  const reasons = [
    ...(problem === undefined ? [] : [`no pod is created: ${problem.message}`]),
    ...context.errors.map(sayError),
    ...waiting(context, clique),
    ...ownPods(context, clique).flatMap((pod) => whyPod(context, pod, now)),
  ];
  if (reasons.length > maxListed) {
    return [...reasons.slice(0, maxListed), `and ${reasons.length - maxListed} more reasons`];
  }
  return reasons.length > 0 ? reasons : [fine(context, clique)];
}

function fine(context: CliqueContext, clique: CliqueFact): string {
  const { ready } = countPods(context, clique);
  return `${ready} of ${clique.replicas} pods of PodClique ${clique.name} are ready; nothing is waited for`;
}

function waiting(context: CliqueContext, clique: CliqueFact): readonly string[] {
  const names = [...context.chosen.values()];
  if (names.length === 0) return [];
  const gang = currentGang(context, clique);
  if (gang === undefined) return [`waiting for PodGang ${clique.gang ?? ''} to be created`];
  const listed = ownGroup(context, clique)?.pods;
  return names.map((name) =>
    listed?.has(name) === true
      ? `waiting for pod ${name} to be created`
      : `waiting for PodGang ${gang.name} to list pod ${name}`,
  );
}

function whyPod(context: CliqueContext, pod: PodFact, now: EpochMs): readonly string[] {
  if (isLeaving(context, pod)) return [`pod ${pod.name} is terminating`];
  const replaceAt = context.replaceAt.get(pod.uid);
  if (isFinished(pod)) {
    const seconds = Math.max(0, Math.ceil(((replaceAt ?? now) - now) / 1000));
    return [`pod ${pod.name} ended (${pod.phase}); it is replaced in ${seconds} s`];
  }
  if (pod.isReady) return [];
  if (hasOurGate(pod)) return [`pod ${pod.name} is gated until its PodGang may be scheduled`];
  if (pod.trouble !== '') return [`pod ${pod.name} ${pod.trouble}`];
  if (!pod.isScheduled) return [`pod ${pod.name} waits for the scheduler`];
  return [`pod ${pod.name} runs on node ${pod.nodeName ?? '?'} and is not ready yet`];
}

/** For `/actors` and `ask state`. */
export function view(context: CliqueContext): JsonObject {
  const { clique } = context;
  if (clique === undefined) return { pods: context.pods.size };
  const counts = countPods(context, clique);
  return {
    uid: clique.uid,
    generation: clique.generation,
    standing: context.standing,
    wanted: clique.replicas,
    minAvailable: clique.minAvailable,
    pods: { ...counts },
    live: livePods(context, clique)
      .slice(0, maxListed)
      .map((pod) => pod.name),
    leaving: context.doomed.size,
    awaited: [...context.chosen.values()].slice(0, maxListed),
    errors: context.errors.map(sayError),
    wakeAt: context.wakeAt,
  };
}
