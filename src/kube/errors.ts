// From an answer of the API server to a code of machines/contract/errors.ts. The writer and the
// reflectors decide by the result what comes next; nobody else looks at HTTP statuses.
import type { Missing, WriteOutcome } from '#actors/ports.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { list, numberOf, object, textOf, word } from '#machines/kubernetes/json.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { maxErrorTextLength, maxRetryAfterMs, unmappedRetryMs } from './limits.ts';
import { NotWanted, type KubeResponse } from './transport/transport.ts';

export type Failure = Extract<WriteOutcome, { ok: false }>;

export const isSuccess = (response: KubeResponse): boolean =>
  response.status >= 200 && response.status < 300;

const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  408: 'SERVER_ERROR',
  409: 'CONFLICT',
  410: 'GONE',
  413: 'TOO_LARGE',
  429: 'THROTTLED',
};

/** The code of an HTTP status and the reason of the Status object that came with it. */
export function codeOf(status: number, reason: string | undefined): ErrorCode {
  if (status === 409 && reason === 'AlreadyExists') return 'ALREADY_EXISTS';
  // Old servers answer an expired continue token or version with another status than 410.
  if (reason === 'Expired' || reason === 'Gone') return 'GONE';
  const code = byStatus[status];
  if (code !== undefined) return code;
  return status >= 400 && status < 500 ? 'INVALID' : 'SERVER_ERROR';
}

/** The failure that a refused request means. Call it only where `isSuccess` is false. */
export function failureOf(response: KubeResponse): Failure {
  const status = object(response.body);
  return failure(response.status, status, response.headers, response.body);
}

/** The failure in an ERROR event of a watch: a Status object with its own code. */
export function failureOfStatus(raw: unknown): Failure {
  const status = object(raw);
  return failure(numberOf(status['code']) ?? 500, status, {}, raw);
}

/** No answer at all: refused, reset, timed out. */
export const unreachable = (error: unknown): Failure => ({
  ok: false,
  code: 'UNREACHABLE',
  message: shorten(messageOf(error)),
});

/** A request that rejected: nobody wanted it at the last moment, or there was no answer. */
export const notAnswered = (error: unknown): Failure =>
  error instanceof NotWanted ? notSent : unreachable(error);

const notSent: Failure = {
  ok: false,
  code: 'NOT_OWNER',
  message: 'the lease of the shard ended before the request was sent',
};

function failure(
  code: number,
  status: Readonly<Record<string, unknown>>,
  headers: KubeResponse['headers'],
  body: unknown,
): Failure {
  const reason = textOf(status['reason']);
  const text = textOf(status['message']) ?? textOf(body) ?? 'no message';
  const named = retryAfterOf(headers, status['details']);
  const missing = code === 404 && !isOfWebhook(text) ? missingIn(status['details']) : undefined;
  const retryAfterMs = named ?? (knowsNotOwner(code, text) ? unmappedRetryMs : undefined);
  return {
    ok: false,
    code: namesOtherUid(status) ? 'CONFLICT' : codeOf(code, reason),
    // It quotes requests, and goes on to statuses, Events, facts and logs (S-6).
    message: `${shorten(redactText(text.trim()))} (${code}${reason === undefined ? '' : ` ${reason}`})`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** What a webhook says is its own belief. */
const isOfWebhook = (text: string): boolean => text.startsWith('admission webhook');

function missingIn(details: unknown): Missing | undefined {
  const { name, kind, group } = object(details);
  const [named, plural] = [word(name), word(kind)];
  if (named === undefined || plural === undefined) return undefined;
  return { group: word(group) ?? '', plural, name: named };
}

/** A PATCH that names another UID is refused as a change of the UID (422), not as a conflict: that
 *  object is gone and a namesake is there, so it is worth looking again. */
const namesOtherUid = (status: Readonly<Record<string, unknown>>): boolean =>
  list(object(status['details'])['causes']).some(
    (cause) => object(cause)['field'] === 'metadata.uid',
  );

/** The admission plugin OwnerReferencesPermissionEnforcement has a table of kinds up to 30 s old:
 *  a server that has just started refuses what is owned by objects of a CRD. No role is missing. */
const knowsNotOwner = (code: number, text: string): boolean =>
  code === 403 && text.includes('cannot find RESTMapping');

/** The header, else `details.retryAfterSeconds`; bounded. */
function retryAfterOf(headers: KubeResponse['headers'], details: unknown): number | undefined {
  const header = headers['retry-after'] ?? '';
  const fromHeader = /^\d+$/.test(header) ? Number(header) * 1000 : untilDate(header, headers);
  const seconds = numberOf(object(details)['retryAfterSeconds']);
  const named = fromHeader ?? (seconds === undefined ? undefined : seconds * 1000);
  return named === undefined || named < 0 ? undefined : Math.min(named, maxRetryAfterMs);
}

/** A proxy may name a date. It is held against the server's own, as our clock may differ. */
function untilDate(header: string, { date = '' }: KubeResponse['headers']): number | undefined {
  const ms = Date.parse(header) - Date.parse(date);
  return Number.isNaN(ms) || !header.endsWith(' GMT') ? undefined : Math.max(0, ms);
}

/** Error classes of Node often hold the useful part in `cause`, or only as a code. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const own = error.message === '' ? code || error.name : error.message;
  return error.cause instanceof Error ? `${own}: ${messageOf(error.cause)}` : own;
}

const shorten = (text: string): string =>
  text.length <= maxErrorTextLength ? text : `${text.slice(0, maxErrorTextLength - 1)}…`;
