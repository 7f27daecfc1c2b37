// The HTTPS server of the admission webhooks. Started by src/admission/start.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { admissionLimits, type ServerLimits } from '#src/http/limits.ts';
import { type SecureServer, serveSecurely } from '#src/http/secure.ts';
import { type Reply, text } from '#src/http/server.ts';
import type { Turns } from '#src/http/slices.ts';
import type { Issued } from '#src/tls/authority.ts';
import { Bodies } from './body.ts';
import { type Convert, convertAll } from './conversion.ts';
import { answerMs as usualAnswerMs, closeTimeoutMs } from './limits.ts';
import {
  type AdmissionRequest,
  type Answer,
  decodeReview,
  encodeReview,
  refused,
} from './review.ts';

export interface AdmissionServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly identity: Issued;
  readonly webhooks: readonly ServedWebhook[];
  /** Of every request to a webhook that was answered. */
  readonly onAnswer?: (event: AnswerEvent) => void;
  /** A webhook threw: a bug. The request is refused with 500. */
  readonly onError: (error: unknown, path: string) => void;
  /** Other limits, for tests. */
  readonly limits?: ServerLimits;
  readonly answerMs?: number;
  readonly turns?: Turns;
}

type ServedWebhook = { readonly path: string } & (
  | { readonly answer: (request: AdmissionRequest) => Promise<Answer> | Answer }
  | { readonly convert: Convert }
);

interface Serving extends AdmissionServerOptions {
  readonly bodies: Bodies;
}

export interface AnswerEvent {
  readonly path: string;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly allowed: boolean;
  readonly seconds: number;
}

/** Rejects with ListenError where the port cannot be had. */
export function serveAdmission(options: AdmissionServerOptions): Promise<SecureServer> {
  const { host, port, identity, limits = admissionLimits } = options;
  const serving = { ...options, bodies: new Bodies(options.turns) };
  const where = { host, port, name: 'admission', setting: 'admission.port' };
  return serveSecurely({ ...where, identity, limits, closeTimeoutMs }, (request, response) =>
    respond(serving, request, response),
  );
}

interface Outcome extends Reply {
  readonly allowed: boolean;
}

const plain = (status: number, why: string): Outcome => ({ ...text(status, why), allowed: false });

async function respond(
  options: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const begun = performance.now();
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const outcome = await outcomeOf(options, path, request);
  if (outcome === undefined) return; // the client is gone
  response.writeHead(outcome.status, {
    'content-type': outcome.type,
    'content-length': Buffer.byteLength(outcome.body),
    ...(outcome.status === 413 ? { connection: 'close' } : {}),
  });
  response.end(outcome.body);
  const seconds = (performance.now() - begun) / 1000;
  if (outcome.status === 404) return;
  options.onAnswer?.({ path, status: outcome.status, allowed: outcome.allowed, seconds });
}

async function outcomeOf(
  { webhooks, onError, bodies, answerMs = usualAnswerMs }: Serving,
  path: string,
  request: IncomingMessage,
): Promise<Outcome | undefined> {
  const webhook = webhooks.find((each) => each.path === path);
  if (webhook === undefined) {
    const known = webhooks.map((each) => each.path).join(' ');
    return plain(404, `nothing at ${path}; there is ${known}`);
  }
  if (request.method !== 'POST') {
    return plain(405, `${request.method} is not allowed here, only POST`);
  }
  const body = await bodies.read(request);
  if (body.is === 'gone') return undefined;
  if (body.is === 'refused') return plain(body.status, body.why);
  const failed = (error: unknown): void => onError(error, path);
  const answered =
    'convert' in webhook
      ? convertAll(body.value, webhook.convert, failed)
      : await admit(body.value, webhook.answer, answerMs, failed);
  if (!answered.ok) return plain(400, answered.problem);
  const { review, allowed } = answered;
  return { status: 200, body: JSON.stringify(review), type: 'application/json', allowed };
}

async function admit(
  body: unknown,
  answer: (request: AdmissionRequest) => Promise<Answer> | Answer,
  answerMs: number,
  onError: (error: unknown) => void,
) {
  const decoded = decodeReview(body);
  if (!decoded.ok) return decoded;
  const { request } = decoded;
  const said = await answerOf(() => answer(request), answerMs, onError);
  return { ok: true, review: encodeReview(request.uid, said), allowed: said.allowed } as const;
}

async function answerOf(
  ask: () => Promise<Answer> | Answer,
  answerMs: number,
  onError: (error: unknown) => void,
): Promise<Answer> {
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(
    () => late.resolve(refused(504, 'Timeout', `the webhook took longer than ${answerMs} ms`)),
    answerMs,
  );
  try {
    return await Promise.race([ask(), late.promise]);
  } catch (error) {
    onError(error);
    return refused(500, 'InternalError', 'the webhook failed, see the log of the controller');
  } finally {
    clearTimeout(timer);
  }
}
