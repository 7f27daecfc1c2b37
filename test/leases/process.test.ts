// The leases of a process over a connection of their own, which ends with them.
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { defaultConfiguration } from '#src/config/decode.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { processLeases } from '#src/leases/leases.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { sendJson, startServer } from '#test/kube/support/https-server.ts';
import { patient } from '#test/support/eventually.ts';

it('the leases of a process leave no connection open', async () => {
  const authority = await createAuthority('test authority', systemClock.now());
  const sockets = new Set<Socket>();
  const agents = new Set<string | undefined>();
  const answer: RequestListener = ({ socket, headers }, response) => {
    sockets.add(socket);
    agents.add(headers['user-agent']);
    sendJson(response, 500, {});
  };
  // Or an idle connection would end by itself soon.
  const { url } = await startServer(authority, answer, { keepAliveTimeout: 300_000 });
  const leases = processLeases({
    configuration: {
      ...defaultConfiguration,
      leases: { ...defaultConfiguration.leases, enabled: true },
    },
    connection: {
      server: url,
      tls: { ca: authority.cert, insecure: false },
      namespace: 'ours',
      credentials: fixedCredentials(),
    },
    clock: systemClock,
    log: { line: () => {} },
    version: '1.2.3',
    address: () => undefined,
  });
  leases?.keeper.start();
  await vi.waitFor(() => expect([...agents]).toEqual(['coppice-controller/1.2.3 leases']), patient);
  const open = () => [...sockets].filter(({ destroyed }) => !destroyed);
  expect(open()).not.toEqual([]);
  await leases?.leave();
  await vi.waitFor(() => expect(open()).toEqual([]), patient);
});
