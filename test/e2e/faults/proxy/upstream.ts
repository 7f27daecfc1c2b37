// The far side of the proxy: sends a request to the real API server with the credentials of the
// connection, whatever the client of the proxy showed. Called by api-proxy.ts alone.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request as send } from 'node:https';
import type { KubeConnection } from '#src/kube/connect/connection.ts';

/** Of the connection between two, not of the request; and what the proxy sets itself. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'host', 'authorization'];

export class Upstream {
  readonly #connection: KubeConnection;
  readonly #agent: Agent;
  readonly #base: URL;

  constructor(connection: KubeConnection) {
    const { ca, servername, insecure } = connection.tls;
    this.#connection = connection;
    this.#base = new URL(connection.server);
    this.#agent = new Agent({
      keepAlive: true,
      rejectUnauthorized: !insecure,
      ...(ca === undefined ? {} : { ca }),
      ...(servername === undefined ? {} : { servername }),
    });
  }

  /** Resolves with the head of the answer; rejects where there is none. */
  async send(
    method: string,
    path: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<IncomingMessage> {
    const { cert, key, headers: ours } = await this.#connection.credentials.current();
    const passed = Object.entries(headers).filter(([name]) => !hopByHop.includes(name));
    return new Promise((resolve, reject) => {
      const request = send(
        {
          host: this.#base.hostname,
          port: this.#base.port,
          path: this.#base.pathname.replace(/\/+$/, '') + path,
          method,
          agent: this.#agent,
          headers: { ...Object.fromEntries(passed), ...ours },
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
        },
        resolve,
      );
      request.once('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
