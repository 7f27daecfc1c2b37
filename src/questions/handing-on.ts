// Hands a question on to the process that owns the actor, with the token of whoever asks. The
// token is sent to nobody who has not proven by a certificate of our own authority that it is one
// of our processes: an address is read from a Lease, which others may be able to write. Made by
// start.ts, called by actors/questions/asking.ts through the port `HandOn`.
import { Client } from 'undici';
import type { Answer, Ask, HandOn, ShardOwner } from '#actors/ports.ts';
import { refusal } from '#bus/answers.ts';
import { decodeAnswer } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
import { unreachable } from '#src/kube/errors.ts';
import { handedOnAtOnce } from './limits.ts';
import { handedOnHeader, methodOf, pathOf } from './question.ts';

interface HandingOnOptions {
  /** PEM of the authorities that are trusted now; blank: none is known yet. */
  readonly authorities: () => string;
  /** The name that certificates of our processes carry. */
  readonly servername: string;
}

/** One for a process: it counts what is under way. */
export function handingOn(options: HandingOnOptions): (token: string) => HandOn {
  let underWay = 0;
  return (token) => async (owner, ask, timeoutMs) => {
    if (underWay >= handedOnAtOnce) {
      return refusal('THROTTLED', `${underWay} questions to other processes are still open`);
    }
    underWay++;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return named(owner, await send(options, owner, { ask, token, timeoutMs, signal }));
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

interface Sent {
  readonly ask: Ask;
  readonly token: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Rejects where there is no answer. */
async function send(
  { authorities, servername }: HandingOnOptions,
  { address }: ShardOwner,
  { ask, token, timeoutMs, signal }: Sent,
): Promise<Answer> {
  const ca = authorities();
  // Else Node would trust every authority of the system.
  if (!ca.includes('BEGIN CERTIFICATE')) {
    return refusal('UNREACHABLE', 'the authority of its certificate is not known yet');
  }
  // A connection of its own: questions are few, and each is sent to whom is trusted at that moment.
  const client = new Client(address, {
    connect: { ca, servername, rejectUnauthorized: true, timeout: timeoutMs },
    maxResponseSize: busLimits.maxMessageBytes,
  });
  try {
    const { statusCode, body } = await client.request({
      method: methodOf(ask),
      path: pathOf(ask),
      headers: { authorization: `Bearer ${token}`, [handedOnHeader]: 'true' },
      signal,
    });
    const answer = decodeAnswer(await body.bytes());
    if (answer.ok) return answer.value;
    return refusal('UNREACHABLE', `what came with ${statusCode} is no answer`);
  } finally {
    void client.destroy().catch(() => {});
  }
}
