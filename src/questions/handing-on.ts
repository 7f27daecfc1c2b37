// Hands a question on to the process that owns the actor, with the token of whoever asks (peer.ts).
// Made by start.ts, called by actors/questions/asking.ts through the port `HandOn`.
import type { Answer, Ask, HandOn, ShardOwner } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { decodeAnswer } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
import { unreachable } from '#src/kube/errors.ts';
import { handedOnAtOnce } from './limits.ts';
import type { PeerCall, PeerRequest, PeerResponse } from './peer.ts';
import { methodOf, pathOf } from './question.ts';

/** How a question is put to another process, and what its answer means. */
export interface QuestionForm {
  request(ask: Ask): Pick<PeerCall, 'method' | 'path' | 'body'>;
  /** Undefined: it is no answer. */
  answer(response: PeerResponse): Answer | undefined;
}

const ownForm: QuestionForm = {
  request: (ask) => ({ method: methodOf(ask), path: pathOf(ask) }),
  answer: ({ body }) => {
    const answer = decodeAnswer(body);
    return answer.ok ? answer.value : undefined;
  },
};

/** One for a process: it counts what is under way. */
export function handingOn(peer: PeerRequest, form = ownForm): (token: string) => HandOn {
  let underWay = 0;
  return (token) => async (owner, ask, timeoutMs) => {
    if (underWay >= handedOnAtOnce) {
      return refusal('THROTTLED', `${underWay} questions to other processes are still open`);
    }
    underWay++;
    const signal = AbortSignal.timeout(timeoutMs);
    const { address } = owner;
    const maxBytes = busLimits.maxMessageBytes;
    try {
      const request = form.request(ask);
      const response = await peer({ ...request, address, token, timeoutMs, signal, maxBytes });
      const noAnswer = refusal('UNREACHABLE', `what came with ${response.status} is no answer`);
      return named(owner, form.answer(response) ?? noAnswer);
    } catch (error) {
      const late = `no answer within ${timeoutMs} ms`;
      const why = signal.aborted ? late : unreachable(error).message;
      return named(owner, refusal('UNREACHABLE', why));
    } finally {
      underWay--;
    }
  };
}

/** Who says so is part of what went wrong. */
const named = ({ holder, address }: ShardOwner, answer: Answer): Answer =>
  answer.ok ? answer : { ...answer, message: `${holder} at ${address}: ${answer.message}` };
