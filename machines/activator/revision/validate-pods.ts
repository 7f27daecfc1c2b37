// Validation of pods before they get requests: who wants it, when, and how often again (spec
// activator 2.11). One attempt for a pod at a time, each with a number, so that a late answer to an
// earlier one is told apart.
import type { Wait } from '../../contract/behaviour.ts';
import type { Intent } from '../../contract/intents.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { StepResult } from '../../statechart/step.ts';
import { validated } from '../families.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import { isDoubtful, isEligible, type Situation } from '../pod/chart.ts';
import { isRoutable, isUnderWay, type Pod, type Validation } from '../pod/pod.ts';
import type { ActivatorSettings } from '../settings.ts';
import { microsOf, minus, msOf, plus, type Micros } from '../time.ts';
import { openedTable, situationOf, type RevisionContext } from './context.ts';
import { instruct } from './instruct.ts';

export function validatePods(
  context: RevisionContext,
  own: ObservedRevision,
  nowMs: EpochMs,
): StepResult<RevisionContext> {
  const { settings } = context;
  const table = openedTable(context);
  const now = microsOf(nowMs);
  const intents: Intent[] = [];
  let { attempts } = table;
  let { pods } = context;
  for (const pod of context.pods.values()) {
    const { dest, id } = pod;
    const situation = situationOf(context, own, pod, now);
    let validation = isWanted(situation) ? scheduled(pod, settings, now) : undefined;
    if (validation !== undefined && validation.next <= now) {
      if (isUnderWay(pod)) intents.push(validated('lost'));
      const attempt = ++attempts;
      intents.push(instruct({ type: 'validatePod', dest, id, attempt }));
      validation = { ...validation, attempt, next: plus(now, settings.validationPatience) };
    } else if (validation === undefined && isUnderWay(pod)) {
      intents.push(instruct({ type: 'cancelValidation', dest }));
    }
    if (validation !== pod.validation) pods = pods.set(dest, { ...pod, validation });
  }
  const changes = pods === context.pods ? {} : { pods, table: { ...table, attempts } };
  return { intents, changes, waits: waitsFor(pods.values()) };
}

/** It is to become routable, or is so and has to show that it is right. */
const isWanted = (situation: Situation): boolean =>
  isEligible(situation) && (!isRoutable(situation.pod) || isDoubtful(situation));

/** The next attempt, or the one under way: a first one at once, others after a pause. */
function scheduled({ validation }: Pod, settings: ActivatorSettings, now: Micros): Validation {
  const { validationTick, validationQuickFor, validationSlowest } = settings;
  if (validation === undefined) {
    return { since: now, next: now, attempt: 0, pause: validationTick, answer: undefined };
  }
  if (validation.answer === undefined) return validation;
  const { since, pause } = validation;
  const isQuick = since > minus(now, validationQuickFor);
  const doubled = plus(pause, pause);
  const slower = doubled < validationSlowest ? doubled : validationSlowest;
  return {
    since,
    next: plus(now, pause),
    attempt: 0,
    pause: isQuick ? validationTick : slower,
    answer: undefined,
  };
}

function waitsFor(pods: readonly Pod[]): readonly Wait[] {
  const asked = pods.flatMap(({ validation }) => validation ?? []);
  const [first] = asked.toSorted((a, b) => a.next - b.next);
  if (first === undefined) return [];
  const say = (): readonly string[] => [
    `${asked.length} pods have yet to show that they are there`,
  ];
  return [{ until: msOf(first.next), say }];
}
