// The webhooks of a process over a connection of their own: what is ready while they load, under
// which name they ask, and that nothing stays open when they stop.
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { processAdmission } from '#src/admission/process.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { servedEdges } from '#src/modules/index.ts';
import { systemClock } from '#src/time/clock.ts';
import { type Authority, createAuthority } from '#src/tls/authority.ts';
import { patient } from '#test/support/eventually.ts';
import { sendJson, startServer } from '#test/kube/support/https-server.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

const configured = (enabled: boolean) => ({
  ...defaultConfiguration,
  admission: { ...defaultConfiguration.admission, enabled },
});

/** The API server refuses everything, so there is never a certificate. */
async function stage(transport?: KubeTransport) {
  const sockets = new Set<Socket>();
  const agents = new Set<string | undefined>();
  const answer: RequestListener = (request, response) => {
    sockets.add(request.socket);
    agents.add(request.headers['user-agent']);
    sendJson(response, 500, {});
  };
  // Or an idle connection would end by itself soon.
  const server = await startServer(authority, answer, { keepAliveTimeout: 300_000 });
  const configuration = configured(true);
  const admission = processAdmission({
    configuration,
    connection: {
      server: server.url,
      tls: { ca: authority.cert, insecure: false },
      namespace: 'ours',
      credentials: fixedCredentials(),
    },
    edges: servedEdges(configuration),
    ...(transport === undefined ? {} : { transport }),
    clock: systemClock,
    log: { line: () => {} },
    version: '1.2.3',
    onAnswer: () => {},
  });
  if (admission === undefined) throw new Error('admission is enabled');
  const open = () => [...sockets].filter(({ destroyed }) => !destroyed);
  return { admission, agents, open, server };
}

describe('The webhooks of a process', () => {
  it('are none where they are not wanted, or no module has some', () => {
    const edges = servedEdges(configured(true));
    for (const given of [
      { configuration: configured(false), edges },
      { configuration: configured(true), edges: [] },
    ]) {
      expect(processAdmission(given as never)).toBeUndefined();
    }
  });

  it('say that they are loaded, then what they wait for, over a connection that ends with them', async () => {
    const { admission, agents, open } = await stage();
    expect(admission.ready.name).toBe('admission');
    expect([admission.ready.run(), admission.servedUntil()]).toEqual([
      'is being loaded',
      undefined,
    ]);
    await vi.waitFor(() => expect(agents.size).toBe(1), patient);
    expect([...agents]).toEqual(['coppice-controller/1.2.3 admission']);
    await vi.waitFor(() => expect(admission.ready.run()).toMatch(/500|certificate/), patient);
    expect(open()).not.toEqual([]);
    await admission.stop();
    await vi.waitFor(() => expect(open()).toEqual([]), patient);
  });

  it('ask over what they are given instead', async () => {
    const paths: string[] = [];
    const { admission, server } = await stage({
      request: ({ path }) => {
        paths.push(path);
        return Promise.resolve({ status: 500, headers: {}, body: {} });
      },
      watch: () => () => {},
    });
    await vi.waitFor(() => expect(paths).not.toEqual([]), patient);
    await admission.stop();
    expect(server.connections()).toBe(0);
  });
});
