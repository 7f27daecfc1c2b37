// What a server answers that does not want to, for the faulty transport.
import type { KubeResponse } from '#src/kube/transport.ts';

/** As long as `throttled` says. */
export const retryAfterMs = 1_000;

const status = (code: number, reason: string, message: string): unknown => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason,
  message,
});
export const expired = status(410, 'Expired', 'too old resource version');
export const throttled: KubeResponse = {
  status: 429,
  headers: { 'retry-after': '1' },
  body: status(429, 'TooManyRequests', 'too many requests, please try again later'),
};
export const serverError: KubeResponse = {
  status: 500,
  headers: {},
  body: status(500, 'InternalError', 'an error on the server prevented the request'),
};
