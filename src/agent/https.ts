// The transport of the agent: a few requests and one watch by Node's own HTTPS. The pools of
// src/kube/transport/http.ts pay off with many requests and cost 16 MB.
import type { ClientRequest } from 'node:http';
import { Agent, request as open } from 'node:https';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import * as limits from '#src/kube/limits.ts';
import type { Reply } from '#src/kube/transport/exchange.ts';
import { serverBase, transportOver } from '#src/kube/transport/over.ts';
import type { Outgoing } from '#src/kube/transport/over.ts';
import { NotWanted } from '#src/kube/transport/transport.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';

/** One object, or the list of one: far above what the server takes. */
const maxBodyBytes = 16 * 1024 * 1024;

export interface AgentTransport extends KubeTransport {
  /** Breaks off what is under way. */
  close(): void;
}

/** Opens no socket before the first request. Throws where the server URL cannot be used. */
export function agentTransport(connection: KubeConnection, userAgent: string): AgentTransport {
  const { origin } = serverBase(connection.server);
  const { ca, servername, insecure } = connection.tls;
  const agent = new Agent({
    keepAlive: true,
    // The socket of a watch hears of a peer that is gone without a word.
    keepAliveMsecs: 15_000,
    rejectUnauthorized: !insecure,
    ...(ca === undefined ? {} : { ca }),
    ...(servername === undefined ? {} : { servername }),
  });
  const transport = transportOver(connection, { userAgent }, (outgoing) =>
    exchange(origin, agent, outgoing),
  );
  return { ...transport, close: () => agent.destroy() };
}

function exchange(origin: string, agent: Agent, outgoing: Outgoing): Promise<Reply> {
  const { method, path, headers, body, signal, isWanted, onData, isWatch } = outgoing;
  if (isWanted?.() === false) return Promise.reject(new NotWanted());
  return new Promise((resolve, reject) => {
    const request = open(`${origin}${path}`, {
      method,
      agent,
      headers: { ...headers, ...(body === undefined ? {} : lengthOf(body)) },
      ...(signal === undefined ? {} : { signal }),
    });
    limit(request);
    request.once('error', reject);
    request.once('response', (response) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      let bytes = 0;
      // Whoever opened a watch knows how long that may be silent.
      request.setTimeout(isWatch ? 0 : limits.bodyTimeoutMs);
      const take = (chunk: Buffer): void => {
        if (status === 200 && onData !== undefined) return onData(chunk);
        bytes += chunk.length;
        if (bytes > maxBodyBytes) throw new RangeError(`more than ${maxBodyBytes} bytes`);
        chunks.push(chunk);
      };
      response.on('data', (chunk: Buffer) => {
        try {
          take(chunk);
        } catch (error) {
          reject(error);
          request.destroy();
        }
      });
      // Also where it was cut off: then `complete` is false, and no `end` comes.
      response.once('close', () => {
        if (!response.complete) return reject(new Error('the answer was cut off'));
        resolve({
          status,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      });
      response.once('error', reject);
    });
    request.end(body);
  });
}

/** Until the answer begins. Node's own limit begins with the connected socket. */
function limit(request: ClientRequest): void {
  const { connectTimeoutMs, headersTimeoutMs } = limits;
  const timer = setTimeout(
    () => request.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
    connectTimeoutMs,
  );
  const done = (): void => clearTimeout(timer);
  request.once('close', done).once('socket', (socket) => {
    if (request.reusedSocket) done();
    else socket.once('secureConnect', done);
  });
  request.setTimeout(headersTimeoutMs, () =>
    request.destroy(new Error('the API server fell silent')),
  );
}

const lengthOf = (body: string): { 'content-length': number } => ({
  'content-length': Buffer.byteLength(body),
});
