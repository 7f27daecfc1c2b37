// Steps of a clique for the question `join`: who may join is admitted, and is told its index once
// that is persisted. A daemon that asks needs no write of its own; what counts is the pod
// that is seen, so nobody can ask for another node.
import { isPauseOver } from '../../contract/backoff.ts';
import type { Wait } from '../../contract/behaviour.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { AnswerQuestion, Question } from '../../contract/question.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import { partsOf } from '../objects/clique.ts';
import type { ObservedClique } from '../objects/clique.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { daemonsName } from '../objects/labels.ts';
import type { Ask, CliqueContext } from './context.ts';
import { decided, isForeign } from './decided.ts';
import { noIndex } from './explain.ts';
import { shownStarting } from './starting.ts';

type Step = StepResult<CliqueContext>;

export const join: Question = {
  description: 'the index of the node in this clique and the table, once they are persisted',
  payload: {
    properties: {
      node: { type: 'string', minLength: 1, maxLength: 253 },
      podUid: { type: 'string', minLength: 1, maxLength: 63 },
      ip: { type: 'string', maxLength: 45 },
    },
    required: ['node', 'podUid'],
  },
  startsActor: true,
};

const refusal = (id: string, code: ErrorCode, message: string): AnswerQuestion => ({
  type: 'answer',
  id,
  answer: { ok: false, code, message },
});

/** So long a watch may be late: who asks again is no worse off, and others get their turn. */
const unknownMs = 1_000;

/** Whose pod is not known yet waits for a moment. */
export function admit(context: CliqueContext, _: ObservedClique, now: EpochMs): Step {
  const { asks, admitted } = context;
  if (asks.size === 0) return idle;
  const intents: AnswerQuestion[] = [];
  const waits: Wait[] = [];
  const open = new Map<string, Ask>();
  const next = new Map(admitted);
  for (const [id, ask] of asks) {
    const pod = podOf(context, ask);
    const until = ask.waitsUntil ?? now + unknownMs;
    const problem = problemOf(context, pod, ask);
    if (problem !== undefined) intents.push(refusal(id, 'FORBIDDEN', problem));
    else if (pod !== undefined) {
      open.set(id, ask);
      next.set(pod.uid, ask.ip);
    } else if (!isPauseOver(until, now, unknownMs)) {
      open.set(id, { ...ask, waitsUntil: until });
      waits.push({ until });
    } else intents.push(refusal(id, 'NOT_FOUND', `pod ${ask.podUid} is not known: ask again`));
  }
  const isSame =
    next.size === admitted.size && [...next].every(([uid, ip]) => admitted.get(uid) === ip);
  return {
    intents,
    waits,
    changes: {
      ...(isEqual([...open], [...asks]) ? {} : { asks: open }),
      ...(isSame ? {} : { admitted: next }),
    },
  };
}

const podOf = (context: CliqueContext, { podUid }: Ask) =>
  [...context.daemons.values(), ...shownStarting(context)].find(
    ({ uid, namespace }) => uid === podUid && namespace === context.key.namespace,
  );

/** Why the pod may not join, as far as it is known. */
function problemOf(
  context: CliqueContext,
  pod: ObservedDaemon | undefined,
  ask: Ask,
): string | undefined {
  const { key, clique } = context;
  if (partsOf(key.name) === undefined) return `${key.name} is not <ComputeDomain UID>.<clique ID>`;
  if (isForeign(context)) return `namespace ${key.namespace} is none of the driver's`;
  if (pod === undefined) return undefined;
  const { name, node, isLive, owner } = pod;
  if (node !== ask.node) return `pod ${name} runs on node ${node || '(none)'}, not on ${ask.node}`;
  if (!isLive) return `pod ${name} is terminating or over`;
  const daemons = daemonsName(clique.domain);
  if (owner?.kind === 'DaemonSet' && owner.name === daemons) return undefined;
  return `pod ${name} is not of DaemonSet ${daemons}`;
}

/** Of whose row is persisted as its pod wants it, and of who is refused. */
export function answerJoins(context: CliqueContext, clique: ObservedClique): Step {
  const { asks } = context;
  if (asks.size === 0) return idle;
  const { rows, refused, blocked, maxNodes, members } = decided(context);
  const intents: AnswerQuestion[] = [];
  const open = new Map(asks);
  for (const [id, { node, podUid }] of asks) {
    const isOfPod = ({ uid }: { readonly uid: string }): boolean => uid === podUid;
    const row = clique.rows.find(({ nodeName }) => nodeName === node);
    const wanted = rows.find(({ nodeName }) => nodeName === node);
    const isAsWanted = wanted?.index === row?.index && wanted?.ipAddress === row?.ipAddress;
    // While its own IP is not known the row is that of the pod before.
    const isOfIt = members.get(node)?.find(isOfPod)?.ip === row?.ipAddress;
    const isPersisted =
      isAsWanted && isOfIt && clique.owners.some(isOfPod) && !blocked.some(isOfPod);
    if (row !== undefined && isPersisted) {
      intents.push({ type: 'answer', id, answer: { ok: true, data: tableOf(clique, row.index) } });
    } else if (refused.some(isOfPod)) {
      intents.push(refusal(id, 'INVALID', noIndex(maxNodes)));
    } else continue;
    open.delete(id);
  }
  return { intents, changes: open.size === asks.size ? {} : { asks: open } };
}

const tableOf = ({ resourceVersion, rows }: ObservedClique, index: number): JsonObject => ({
  index,
  version: resourceVersion,
  daemons: rows.map((row) => ({ ...row })),
});
