// The HTTPS server of the admission webhooks. Its certificate can be replaced while it runs: open
// connections go on, new ones get the new one. Started by src/admission/start.ts.
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ListenError } from '#src/http/server.ts';
import type { Issued } from '#src/tls/authority.ts';
import {
  closeTimeoutMs,
  keepAliveMs,
  maxBodyBytes,
  maxConnections,
  requestTimeoutMs,
} from './limits.ts';
import { type Answer, decodeReview, encodeReview, refused } from './review.ts';
import type { Webhook, WebhookPorts } from './webhooks.ts';

export interface AdmissionServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly identity: Issued;
  readonly webhooks: readonly Webhook[];
  readonly ports: WebhookPorts;
  /** Of every request to a webhook that was answered. */
  readonly onAnswer?: (event: AnswerEvent) => void;
  /** A webhook threw: a bug. The request is refused with 500. */
  readonly onError: (error: unknown, path: string) => void;
}

export interface AnswerEvent {
  readonly path: string;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly allowed: boolean;
  readonly seconds: number;
}

export interface AdmissionServer {
  readonly port: number;
  /** From now on; throws where certificate and key do not belong together. */
  present(identity: Issued): void;
  /** Answers what is under way, and frees the port. */
  close(): Promise<void>;
}

/** Rejects with ListenError where the port cannot be had. */
export async function serveAdmission(options: AdmissionServerOptions): Promise<AdmissionServer> {
  const { cert, key } = options.identity;
  const server = createServer(
    {
      cert,
      key,
      minVersion: 'TLSv1.2',
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
    },
    (request, response) => void respond(options, request, response),
  );
  server.maxConnections = maxConnections;
  // Whoever speaks no TLS, or trusts another authority, is told by the handshake.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const port = await listen(server, options);
  return {
    port,
    present: (identity) => server.setSecureContext({ ...identity, minVersion: 'TLSv1.2' }),
    close: () => close(server),
  };
}

function listen(server: Server, { host, port }: AdmissionServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const message = `port ${port} of ${host} (admission) cannot be listened on`;
      const why = `${message}: ${error.message}; choose another with admission.port`;
      reject(new ListenError(why, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => server.closeAllConnections(), closeTimeoutMs);
    server.close(() => {
      clearTimeout(patience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface Outcome {
  readonly status: number;
  readonly body: string;
  readonly type: string;
  readonly allowed: boolean;
}

const plain = (status: number, text: string): Outcome => ({
  status,
  body: `${text}\n`,
  type: 'text/plain; charset=utf-8',
  allowed: false,
});

async function respond(
  options: AdmissionServerOptions,
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
  { webhooks, ports, onError }: AdmissionServerOptions,
  path: string,
  request: IncomingMessage,
): Promise<Outcome | undefined> {
  const webhook = webhooks.find((each) => each.path === path);
  if (webhook === undefined) {
    request.resume();
    return plain(
      404,
      `nothing at ${path}; there is ${webhooks.map((each) => each.path).join(' ')}`,
    );
  }
  if (request.method !== 'POST') {
    request.resume();
    return plain(405, `${request.method} is not allowed here, only POST`);
  }
  const body = await bodyOf(request);
  if (body === 'gone') return undefined;
  if (body === 'too large') {
    return plain(413, `the body has more than ${maxBodyBytes} bytes`);
  }
  const decoded = decodeReview(parse(body));
  if (!decoded.ok) return plain(400, decoded.problem);
  const answer = await answerOf(() => webhook.answer(decoded.request, ports), path, onError);
  return {
    status: 200,
    body: JSON.stringify(encodeReview(decoded.request.uid, answer)),
    type: 'application/json',
    allowed: answer.allowed,
  };
}

async function answerOf(
  ask: () => Promise<Answer> | Answer,
  path: string,
  onError: AdmissionServerOptions['onError'],
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    onError(error, path);
    return refused(500, 'InternalError', 'the webhook failed, see the log of the controller');
  }
}

/** The whole body. What is too long is not kept, and the connection ends with the answer. */
function bodyOf(request: IncomingMessage): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
      else resolve('too large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}

/** Undefined for what is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
