// The answers that the bus itself gives when nobody else can, and what an error code is in the
// numbers of the micro service protocol. Shared by the implementations so that both sound alike.
import type { Answer, Ask } from '#actors/ports.ts';
import { actorId } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { busLimits } from './limits.ts';

export type RefusedAnswer = Extract<Answer, { readonly ok: false }>;

export const refusal = (code: ErrorCode, message: string): RefusedAnswer => ({
  ok: false,
  code,
  message,
});

const named = (ask: { readonly about: Ask['about']; readonly question: string }): string =>
  `${ask.question} of ${actorId(ask.about)}`;

export const notConnected = (ask: Ask): Answer =>
  refusal('UNREACHABLE', `${named(ask)}: not connected to the bus`);

export const nobodyServes = (ask: Ask): Answer =>
  refusal('UNREACHABLE', `${named(ask)}: no process serves questions`);

export const nobodyOwns = (shard: number): Answer =>
  refusal('UNREACHABLE', `no process on this bus owns shard ${shard}`);

export const noAnswerIn = (ask: Ask, timeoutMs: number): Answer =>
  refusal('UNREACHABLE', `${named(ask)}: no answer within ${timeoutMs} ms`);

export const tooManyAsked = (ask: Ask): Answer =>
  refusal('THROTTLED', `${named(ask)}: ${busLimits.outstandingAsks} questions are still open`);

export const tooManyServed = (): Answer =>
  refusal('THROTTLED', `${busLimits.concurrentAsks} questions are being answered already`);

/** An `onAsk` handler must not reject; if it does, the one who asked hears of it. */
export const handlerFailed = (error: unknown): Answer =>
  refusal('ASSERTION', error instanceof Error ? error.message : String(error));

/** Numbers as HTTP has them, for the header `Nats-Service-Error-Code`. */
export const statusOf = {
  CONFLICT: 409,
  ALREADY_EXISTS: 409,
  NOT_FOUND: 404,
  GONE: 410,
  THROTTLED: 429,
  SERVER_ERROR: 502,
  UNREACHABLE: 503,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INVALID: 422,
  TOO_LARGE: 413,
  NOT_OWNER: 421,
  HISTORY_LOST: 503,
  STOPPING: 503,
  MALFORMED: 400,
  ASSERTION: 500,
} as const satisfies Record<ErrorCode, number>;
