// The API server behind real HTTPS: authentication, bodies, answers and watch streams with a bound
// on what may wait for a slow reader. cluster.ts starts it; kubectl and our controller call it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { stringify as stringifyYaml } from 'yaml';
import type { Issued } from '#src/tls/authority.ts';
import { ApiError, statusOf, tooLarge } from './api/errors.ts';
import { warningHeader } from './api/call.ts';
import { requestBytesLimit, watchBacklogBytes } from './api/limits.ts';
import type { ApiServer } from './api/server.ts';
import { runWatch } from './api/verbs/watch-run.ts';
import type { Outgoing, WatchAnswer } from './api/verbs/watch-run.ts';
import { wantsYaml } from './api/wire/negotiate.ts';
import { bodyText, bodyValue, contentTypeOf } from './api/wire/reply.ts';
import type { Reply } from './api/wire/reply.ts';
import type { RequestBody } from './api/wire/request.ts';
import { userOfCertificate, userOfToken } from './auth/authenticate.ts';
import type { User } from './auth/user.ts';
import { protobufType } from './protobuf/decode.ts';

export interface HttpsOptions {
  readonly api: ApiServer;
  readonly identity: Issued;
  /** PEM of the authority that client certificates must come from. */
  readonly authority: string;
}

/** An HTTPS server that is not listening yet. */
export function createHttpsServer({ api, identity, authority }: HttpsOptions): Server {
  const server = createServer(
    {
      cert: identity.cert,
      key: identity.key,
      ca: authority,
      requestCert: true,
      // Clients with a token have no certificate; `userOf` decides.
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      keepAliveTimeout: 120_000,
      requestTimeout: 60_000,
      noDelay: true,
    },
    (request, response) => {
      void serve(api, request, response).catch(() => response.destroy());
    },
  );
  server.maxConnections = 10_000;
  return server;
}

async function serve(
  api: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const headers = plainHeaders(request);
  const body = await readBody(request, headers['content-type']);
  if (body === undefined) {
    send(response, refusal(tooLarge(requestBytesLimit)), headers['accept']);
    return;
  }
  const credentials = userOf(api, request, headers['authorization']);
  if (credentials === 'invalid') {
    const parts = { code: 401, reason: 'Unauthorized', message: 'Unauthorized' };
    send(response, refusal(new ApiError(parts)), headers['accept']);
    return;
  }
  const answer = await api.handle({
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers,
    body,
    user: credentials === undefined ? undefined : impersonated(request, credentials),
  });
  if (answer.kind === 'dropped') request.socket.destroy();
  else if (answer.kind === 'watch') stream(answer, request, response);
  else send(response, answer.reply, headers['accept']);
}

function plainHeaders(request: IncomingMessage): Record<string, string | undefined> {
  const { accept, authorization } = request.headers;
  return {
    accept,
    authorization,
    'content-type': request.headers['content-type'],
    'user-agent': request.headers['user-agent'],
  };
}

/** Undefined when it is larger than the limit. */
async function readBody(
  request: IncomingMessage,
  contentType: string | undefined,
): Promise<RequestBody | undefined> {
  if (request.method === 'GET' || request.method === 'HEAD') return { kind: 'none' };
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    bytes += part.length;
    if (bytes <= requestBytesLimit) parts.push(part);
  }
  if (bytes > requestBytesLimit) return undefined;
  if (bytes === 0) return { kind: 'none' };
  const whole = Buffer.concat(parts);
  return contentType?.startsWith(protobufType) === true
    ? { kind: 'bytes', bytes: whole }
    : { kind: 'text', text: whole.toString('utf8') };
}

/** undefined: anonymous. A bearer token counts before a certificate, as in Kubernetes. */
function userOf(
  api: ApiServer,
  request: IncomingMessage,
  authorization: string | undefined,
): User | 'invalid' | undefined {
  const bearer = /^Bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return userOfToken(api.core, bearer) ?? 'invalid';
  const { socket } = request;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const known = users.get(socket);
  if (known !== undefined) return known;
  const { subject } = socket.getPeerCertificate();
  if (subject === undefined) return undefined;
  const user = userOfCertificate(firstOf(subject.CN), listOf(subject.O));
  users.set(socket, user);
  return user;
}

/** `kubectl --as`: who may do everything may also do it in another name. */
function impersonated({ headersDistinct }: IncomingMessage, user: User): User {
  const [name] = headersDistinct['impersonate-user'] ?? [];
  if (name === undefined) return user;
  const [uid] = headersDistinct['impersonate-uid'] ?? [];
  const groups = [...(headersDistinct['impersonate-group'] ?? []), 'system:authenticated'];
  return { name, groups, ...(uid === undefined ? {} : { uid }) };
}

/** Whose certificate a connection was opened with. */
const users = new WeakMap<TLSSocket, User>();

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
const firstOf = (value: string | string[] | undefined): string => listOf(value)[0] ?? '';

const refusal = (error: ApiError): Reply => ({
  status: error.code,
  headers: {},
  body: { kind: 'own', value: statusOf(error.parts) },
});

function send(response: ServerResponse, reply: Reply, accept: string | undefined): void {
  const yaml = wantsYaml(accept) && reply.body.kind !== 'text';
  const text = yaml ? stringifyYaml(bodyValue(reply.body)) : bodyText(reply.body);
  const bytes = Buffer.from(text);
  response.writeHead(reply.status, {
    'content-type': yaml ? 'application/yaml' : contentTypeOf(reply.body),
    'content-length': bytes.length,
    'cache-control': 'no-cache, private',
    ...reply.headers,
  });
  response.end(bytes);
}

/** Writes one line per event; a reader that lets too much pile up is cut off. */
function stream(answer: WatchAnswer, request: IncomingMessage, response: ServerResponse): void {
  // Gone while it waited: nothing would ever tell the watch to end.
  if (response.destroyed || request.socket.destroyed) return;
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'no-cache, private',
    'transfer-encoding': 'chunked',
    ...warningHeader(answer.call),
  });
  response.flushHeaders();
  const close = runWatch(answer, {
    events: (events) => {
      response.write(events.map(lineOf).join(''));
      if (response.writableLength > watchBacklogBytes) request.socket.destroy();
    },
    end: (broken) => {
      if (broken) request.socket.destroy();
      else response.end();
    },
  });
  response.on('close', close);
}

const lineOf = ({ type, text }: Outgoing): string => `{"type":"${type}","object":${text()}}\n`;
