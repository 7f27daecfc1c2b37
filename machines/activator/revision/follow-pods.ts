// Moves each pod of a revision along its chart, by what the endpoints list and what has come about
// it, and takes in pods that are listed and not known yet (spec activator 2.5 and 2.6).
import { CoppiceError } from '../../contract/errors.ts';
import type { Intent } from '../../contract/intents.ts';
import type { PersistentMap } from '../../contract/persistent-map.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { StepResult } from '../../statechart/step.ts';
import { transition, validated } from '../families.ts';
import type { ObservedRevision } from '../objects/revision.ts';
import { arrowFrom, impostorOf, isDoubtful, isTabled, type Situation } from '../pod/chart.ts';
import { isUnderWay, movedPod, pendingPod, type Pod, type Validation } from '../pod/pod.ts';
import { microsOf, plus } from '../time.ts';
import { openedTable, situationOf, withPods, type RevisionContext } from './context.ts';
import { instruct } from './instruct.ts';

/** The pods as they were moved so far, and what is to be said of it. */
interface Moved {
  pods: PersistentMap<string, Pod>;
  /** False: the table has to hear of it. */
  isTold: boolean;
  readonly intents: Intent[];
}

export function followPods(
  context: RevisionContext,
  own: ObservedRevision,
  nowMs: EpochMs,
): StepResult<RevisionContext> {
  const { listed, pods } = context;
  const table = openedTable(context);
  const now = microsOf(nowMs);
  const moved: Moved = { pods, isTold: table.isTold, intents: [] };
  for (const pod of pods.values()) follow(moved, situationOf(context, own, pod, now));
  for (const [dest, { id }] of listed) {
    if (moved.pods.has(dest)) continue;
    const pod = pendingPod(dest, id, now);
    const arrow = arrowFrom('absent', situationOf(context, own, pod, now));
    if (arrow === undefined) continue;
    moved.intents.push(transition('absent', arrow.to, arrow.cause));
    moved.pods = moved.pods.set(dest, pod);
  }
  const { intents, isTold } = moved;
  const ofPods = moved.pods === pods ? {} : withPods({ pods, totals: context.totals }, moved.pods);
  const ofTable = isTold === table.isTold ? {} : { table: { ...table, isTold } };
  return { intents, changes: { ...ofPods, ...ofTable } };
}

/** Along one arrow after the other, until it stays where it is. */
function follow(moved: Moved, situation: Situation): void {
  const { listed, now } = situation;
  let pod = judged(moved, situation.pod);
  for (;;) {
    const arrow = arrowFrom(pod.life, { ...situation, pod });
    if (arrow === undefined) break;
    moved.intents.push(transition(pod.life, arrow.to, arrow.cause));
    if (isUnderWay(pod)) {
      moved.intents.push(instruct({ type: 'cancelValidation', dest: pod.dest }));
    }
    if (isTabled(pod.life) || isTabled(arrow.to)) moved.isTold = false;
    if (arrow.to === 'absent') {
      moved.pods = moved.pods.delete(pod.dest);
      return;
    }
    pod = movedPod(pod, arrow.to, now);
    if (arrow.to === 'pending') pod = { ...pod, validation: postponed(situation) };
  }
  if (pod.released !== undefined) {
    throw new CoppiceError('ASSERTION', `a ${pod.life} pod was released: ${pod.released}`);
  }
  const isOpen = isDoubtful({ ...situation, pod }) && pod.validation?.answer?.isOk !== true;
  const wasListedReady = isOpen ? undefined : (listed?.isReady ?? pod.wasListedReady);
  const kept = wasListedReady === pod.wasListedReady ? pod : { ...pod, wasListedReady };
  moved.pods = moved.pods.set(pod.dest, kept);
}

/** There may be a slot later, and until then it would only be asked again and again. */
function postponed({ now, settings: { validationSlowest } }: Situation): Validation {
  const next = plus(now, validationSlowest);
  return { since: now, next, attempt: 0, pause: validationSlowest, answer: undefined };
}

/** Counts the answer of a pod, and tells once of another one that has answered in its place. */
function judged({ intents }: Moved, pod: Pod): Pod {
  const answer = pod.validation?.answer;
  if (answer === undefined) return pod;
  const impostor = impostorOf(pod);
  intents.push(validated(impostor !== undefined ? 'reused' : answer.isOk ? 'ok' : 'failed'));
  if (impostor === undefined) return pod;
  if (impostor === pod.impostor) return pod;
  const why = `${impostor} answered at ${pod.dest}, where the endpoints have ${pod.id}`;
  intents.push({ type: 'decide', what: `${pod.dest} gets no requests`, why });
  return { ...pod, impostor };
}
