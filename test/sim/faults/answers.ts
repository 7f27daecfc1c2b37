// What a server answers that does not want to, for the faulty transport.
import type { Random } from '#actors/ports.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { pick } from '../users/workload.ts';

/** An answer, and for how long the server asked not to be asked again. */
export interface Refusal {
  readonly response: KubeResponse;
  readonly retryAfterMs: number;
}

const status = (code: number, reason: string, message: string): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
});
export const expired = status(410, 'Expired', 'too old resource version');
export const serverError: KubeResponse = {
  status: 500,
  headers: {},
  body: status(500, 'InternalError', 'an error on the server prevented the request'),
};

const reasons = {
  429: ['TooManyRequests', 'too many requests, please try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'request did not complete within the allowed duration'],
} as const;

/** How a server says when to come back. A date is read with the server's own, as clocks differ;
 *  what is malformed asks for nothing. */
type Form = 'seconds' | 'date' | 'details' | 'malformed' | 'none';

/** Mostly a second, as priority and fairness of a real API server says. */
const seconds = [1, 1, 1, 0, 2, 5, 30] as const;
const forms: Readonly<Record<keyof typeof reasons, readonly Form[]>> = {
  429: ['seconds', 'seconds', 'seconds', 'seconds', 'date', 'details', 'malformed'],
  503: ['seconds', 'date', 'malformed', 'none', 'none'],
  504: ['seconds', 'details', 'none', 'none'],
};
const malformed = ['soon', '-5', '1.5', '', 'Mon, 99 Foo 2026'] as const;

/** `now`: what the server's clock says, in milliseconds. */
export function refusal(code: keyof typeof reasons, random: Random, now: number): Refusal {
  const form = pick(random, forms[code]) ?? 'none';
  const after = pick(random, seconds) ?? 1;
  const text = pick(random, malformed) ?? '';
  const [reason, message] = reasons[code];
  const body = status(code, reason, message);
  const details = form === 'details' ? { details: { retryAfterSeconds: after } } : {};
  const headers = headersOf(form, after, text, now);
  const asksForTime = form !== 'malformed' && form !== 'none';
  return {
    response: { status: code, headers, body: { ...body, ...details } },
    retryAfterMs: asksForTime ? after * 1_000 : 0,
  };
}

function headersOf(form: Form, after: number, text: string, now: number): Record<string, string> {
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(after) };
    case 'date':
      return { date: httpDate(now), 'retry-after': httpDate(now + after * 1_000) };
    case 'malformed':
      return { 'retry-after': text };
    default:
      return {};
  }
}

const httpDate = (ms: number): string => new Date(ms).toUTCString();
