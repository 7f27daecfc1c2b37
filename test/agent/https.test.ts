// The agent's own transport where the server takes its time.
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, describe, onTestFinished, vi } from 'vitest';
import { agentTransport } from '#src/agent/https.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { connectTimeoutMs } from '#src/kube/limits.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { sendJson, startServer } from '#test/kube/support/https-server.ts';

function transportTo(server: string, ca?: string) {
  const tls = ca === undefined ? { insecure: true } : { insecure: false, ca };
  const connection = { server, tls, namespace: 'default', credentials: fixedCredentials() };
  const transport = agentTransport(connection, 'test');
  onTestFinished(() => transport.close());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return transport;
}

const get = { method: 'GET', path: '/' } as const;

describe('the transport of the agent', () => {
  it('gives up a connection that is never made', async () => {
    const sockets: Socket[] = [];
    // Takes the connection, and says nothing to the greeting of TLS.
    const server = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failed = transportTo(`https://127.0.0.1:${port}`).request(get).catch(String);
    await vi.waitUntil(() => sockets.length === 1);
    vi.advanceTimersByTime(connectTimeoutMs);
    expect(await failed).toBe(`Error: no connection within ${connectTimeoutMs} ms`);
  });

  it('is patient with an answer, on a connection that is new and on one that is not', async () => {
    const authority = await createAuthority('Test', systemClock.now());
    const open: ServerResponse[] = [];
    const { url, connections } = await startServer(authority, (_, response) => {
      open.push(response);
    });
    const transport = transportTo(url, authority.cert);
    for (const body of ['one', 'two']) {
      const answer = transport.request(get);
      await vi.waitUntil(() => open.length > 0);
      vi.advanceTimersByTime(2 * connectTimeoutMs);
      for (const response of open.splice(0)) sendJson(response, 200, { body });
      expect((await answer).body).toEqual({ body });
    }
    expect(connections()).toBe(1);
  });
});
