// How the inspector answers: the headers of all answers, JSON that is compressed beside the event
// loop, and refusals with their code. Called by respond.ts and by the files of the page.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { Answer } from '#actors/ports.ts';
import { statusOf } from '#bus/answers.ts';
import { compressedBytes } from './limits.ts';

const gzip = promisify(gzipWithCallback);

/** Of the value that is the answer; a list is one in pieces, as it may be long. */
export type Reply =
  | Answer
  | { readonly ok: true; readonly pieces: readonly string[] }
  /** It answers the request itself. */
  | { readonly ok: true; readonly taken: true };

/** Of every answer: a page of ours takes nothing from elsewhere, and nobody frames it. */
export const safeHeaders = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** Of answers about now. */
export const freshHeaders = { ...safeHeaders, 'cache-control': 'no-store' } as const;

/** True where the client takes the encoding, and has not said that it weighs nothing. */
export const takes = ({ headers }: IncomingMessage, encoding: string): boolean =>
  (headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().split(/\s*;\s*/))
    .some(([name, quality]) => name === encoding && !/^q=0(?:\.0*)?$/.test(quality ?? ''));

export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Exclude<Reply, { readonly taken: true }>,
  more: { readonly status?: number; readonly headers?: OutgoingHttpHeaders } = {},
): Promise<void> {
  const status = more.status ?? (reply.ok ? 200 : statusOf[reply.code]);
  const text = 'pieces' in reply ? reply.pieces : [JSON.stringify(bodyOf(reply))];
  const plain = Buffer.concat(text.map((piece) => Buffer.from(piece)));
  const isZipped = plain.length >= compressedBytes && takes(request, 'gzip');
  const body = isZipped ? await gzip(plain, { level: 1 }) : plain;
  response.writeHead(status, {
    ...freshHeaders,
    'content-type': 'application/json',
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 429 ? { 'retry-after': '1' } : {}),
    ...more.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

const bodyOf = (answer: Answer) =>
  answer.ok ? answer.data : { code: answer.code, message: answer.message };
