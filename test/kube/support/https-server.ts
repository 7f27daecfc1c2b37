// A real HTTPS server on a free port for the transport's tests: the test gives the handler.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { fixedCredentials, type KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport, type HttpOptions, type HttpTransport } from '#src/kube/transport/http.ts';
import type { WatchEnd } from '#src/kube/transport/transport.ts';
import type { Authority } from '#src/tls/authority.ts';

export interface TestServer {
  readonly url: string;
  /** TCP connections that were opened so far. */
  readonly connections: () => number;
}

export async function startServer(
  authority: Authority,
  handler: RequestListener,
  options: ServerOptions = {},
): Promise<TestServer> {
  const pair = await authority.server(['apiserver', 'localhost'], ['127.0.0.1']);
  const server = createServer({ ...pair, ca: authority.cert, ...options }, handler);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, connections: () => connections };
}

export function connect(
  connection: Partial<KubeConnection> & { server: string },
  ca: string,
  options: Partial<HttpOptions> = {},
): HttpTransport {
  const transport = httpTransport(
    {
      tls: { ca, insecure: false },
      namespace: 'default',
      credentials: fixedCredentials(),
      ...connection,
    },
    { userAgent: 'coppice/test', ...options },
  );
  onTestFinished(() => transport.close());
  return transport;
}

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

export async function textOfRequest(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export interface Watched {
  readonly events: { readonly type: string; readonly object: unknown }[];
  readonly end: WatchEnd;
}

/** Follows a watch to its end; `onEvent` may close it. */
export function follow(
  transport: HttpTransport,
  path: string,
  onEvent: (close: () => void) => void = () => {},
): Promise<Watched> {
  return new Promise((resolve) => {
    const events: Watched['events'] = [];
    const close = transport.watch(path, {
      event: (event) => {
        events.push(event);
        onEvent(() => close());
      },
      closed: (end) => resolve({ events, end }),
    });
  });
}

/** Of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
