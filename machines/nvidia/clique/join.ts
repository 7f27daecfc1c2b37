// Steps of a clique for the question `join`: who may join is admitted, and is told its index once
// that is persisted. A daemon that asks needs no write of its own; what counts is the pod
// that is seen, so nobody can ask for another node.
import type { ErrorCode } from '../../contract/errors.ts';
import type { AnswerQuestion, Question } from '../../contract/question.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedClique } from '../objects/clique.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { daemonsName } from '../objects/labels.ts';
import type { Ask, CliqueContext } from './context.ts';
import { decided } from './decided.ts';
import { noIndex } from './explain.ts';

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

/** Whose pod is not known yet waits: the watch may be late. */
export function admit(context: CliqueContext): Step {
  const { asks, admitted, clique } = context;
  if (asks.size === 0) return idle;
  const intents: AnswerQuestion[] = [];
  const open = new Map(asks);
  const next = new Map(admitted);
  for (const [id, ask] of asks) {
    const pod = podOf(context, ask);
    if (pod === undefined) continue;
    const problem = problemOf(pod, ask, clique);
    if (problem === undefined) next.set(pod.uid, ask.ip);
    else {
      open.delete(id);
      intents.push(refusal(id, 'FORBIDDEN', problem));
    }
  }
  const isSame =
    next.size === admitted.size && [...next].every(([uid, ip]) => admitted.get(uid) === ip);
  return {
    intents,
    changes: {
      ...(open.size === asks.size ? {} : { asks: open }),
      ...(isSame ? {} : { admitted: next }),
    },
  };
}

const podOf = ({ daemons, starting, key }: CliqueContext, { podUid }: Ask) =>
  [...daemons.values(), ...starting].find(
    ({ uid, namespace }) => uid === podUid && namespace === key.namespace,
  );

function problemOf(
  { name, node, isLive, owner }: ObservedDaemon,
  ask: Ask,
  { domain }: ObservedClique,
): string | undefined {
  if (node !== ask.node) return `pod ${name} runs on node ${node || '(none)'}, not on ${ask.node}`;
  if (!isLive) return `pod ${name} is terminating or over`;
  if (owner?.kind === 'DaemonSet' && owner.name === daemonsName(domain)) return undefined;
  return `pod ${name} is not of DaemonSet ${daemonsName(domain)}`;
}

/** Of whose row is persisted as its pod wants it, and of who is refused. */
export function answerJoins(context: CliqueContext, clique: ObservedClique): Step {
  const { asks } = context;
  if (asks.size === 0) return idle;
  const { refused, maxNodes } = decided(context);
  const intents: AnswerQuestion[] = [];
  const open = new Map(asks);
  for (const [id, { node, podUid }] of asks) {
    const row = clique.rows.find(({ nodeName }) => nodeName === node);
    const isPersisted = clique.owners.some(({ uid }) => uid === podUid);
    if (row !== undefined && isPersisted) {
      intents.push({ type: 'answer', id, answer: { ok: true, data: tableOf(clique, row.index) } });
    } else if (refused.some(({ uid }) => uid === podUid)) {
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
