// How an answer leaves the proxy: whole, in pieces, cut off, or one that the proxy made up. Called
// by api-proxy.ts.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { pieces } from './pieces.ts';
import type { Fault } from './rules.ts';

const reasons: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
};

type Answer = Extract<Fault, { type: 'answer' }>;

/** A Status object as kube-apiserver words them. */
function statusOf({ status, reason, retryAfterSeconds }: Omit<Answer, 'type'>): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the proxy says no',
    reason: reason ?? reasons[status] ?? 'InternalError',
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code: status,
  };
}

export function refuse(response: ServerResponse, answer: Omit<Answer, 'type'>): void {
  const { status, retryAfterSeconds } = answer;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(statusOf(answer)));
}

/** The other form of 410: the watch is accepted, and its one event says so. */
export function tellExpired(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ type: 'ERROR', object: statusOf({ status: 410 }) })}\n`);
}

/** Of the server's answer, what the client gets to see. */
export function headersOf(reply: IncomingMessage): OutgoingHttpHeaders {
  const { connection: _1, 'keep-alive': _2, 'transfer-encoding': _3, ...rest } = reply.headers;
  return rest;
}

/** Passes the whole answer on, unless the fault is about just that. */
export async function deliver(
  response: ServerResponse,
  reply: IncomingMessage,
  body: Buffer,
  fault: Fault | undefined,
): Promise<void> {
  if (fault?.type === 'swallow') return void response.socket?.destroy();
  const headers = { ...headersOf(reply), 'content-length': body.length };
  response.writeHead(reply.statusCode ?? 500, headers);
  if (fault?.type === 'truncate') {
    response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
    return;
  }
  for (const piece of fault?.type === 'split' ? pieces(body) : []) {
    response.write(piece);
    await turn();
  }
  if (fault?.type === 'split') response.end();
  else response.end(body);
}
