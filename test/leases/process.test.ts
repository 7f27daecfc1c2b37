// The leases of a process over HTTPS: a transport of their own with a name of its own and few
// sockets, which is closed after the process has left.
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { beforeAll, expect, it, vi } from 'vitest';
import { patient } from '#test/support/eventually.ts';
import { numberOf, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { processLeases, type ProcessLeases } from '#src/leases/leases.ts';
import { systemClock } from '#src/time/clock.ts';
import { type Authority, createAuthority } from '#src/tls/authority.ts';
import { sendJson, startServer, textOfRequest } from '#test/kube/support/https-server.ts';
import { mergePatch } from '#test/support/merge-patch.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

const leases = '/apis/coordination.k8s.io/v1/namespaces/ours/leases';

/** Keeps leases as an API server does. Their watch says nothing. */
async function stage() {
  const stored = new Map<string, KubeObject>();
  const asked: { readonly what: string; readonly agent: string }[] = [];
  const sockets = new Set<Socket>();
  let version = 0;
  const store = (base: KubeObject, patch: JsonObject): KubeObject => {
    const resourceVersion = String(++version);
    const { name } = base.metadata;
    const next = mergePatch(base, patch);
    const made = mergePatch(next, { metadata: { uid: `uid of ${name}`, resourceVersion } });
    stored.set(name, made);
    return made;
  };
  const answer = async (request: IncomingMessage): Promise<object> => {
    const { method = '', url = '' } = request;
    const name = decodeURIComponent(url.split('?')[0]?.slice(leases.length + 1) ?? '');
    asked.push({ what: `${method} ${name}`, agent: request.headers['user-agent'] ?? '' });
    const body = await textOfRequest(request);
    const given: unknown = body === '' ? {} : JSON.parse(body);
    if (method === 'POST') return store(given as KubeObject, {});
    const known = stored.get(name);
    if (known === undefined) {
      return { metadata: { resourceVersion: String(version) }, items: [...stored.values()] };
    }
    if (method === 'PATCH') return store(known, object(given));
    stored.delete(name);
    return { kind: 'Status', status: 'Success' };
  };
  const respond: RequestListener = (request, response) => {
    sockets.add(request.socket);
    if (request.url?.includes('watch=true') === true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.flushHeaders();
    } else void answer(request).then((body) => sendJson(response, 200, body));
  };
  // Or an idle connection would end by itself soon.
  const server = await startServer(authority, respond, { keepAliveTimeout: 300_000 });
  const { leases: usual } = defaultConfiguration;
  const process: ProcessLeases | undefined = processLeases({
    configuration: {
      ...defaultConfiguration,
      shards: 32,
      leases: { ...usual, enabled: true, identity: 'mine' },
    },
    connection: {
      server: server.url,
      tls: { ca: authority.cert, insecure: false },
      namespace: 'ours',
      credentials: fixedCredentials(),
    },
    clock: systemClock,
    log: { line: () => {} },
    version: '1.2.3',
    address: () => undefined,
    lost: () => {},
  });
  if (process === undefined) throw new Error('leases are enabled');
  return { process, server, asked, stored, sockets };
}

it('A process has its shards over four sockets and a watch, and deletes its lease at the end', async () => {
  const { process, server, asked, stored, sockets } = await stage();
  const { keeper } = process;
  const { member } = keeper.state();
  expect(member).toMatch(/^mine-[0-9a-f]{8}$/);
  keeper.start();
  await vi.waitFor(() => expect(keeper.state().held).toBe(32), patient);
  expect([process.live.run(), process.ready.run()]).toEqual([undefined, undefined]);
  await process.leave();
  expect(server.connections()).toBe(5);
  expect(asked.at(-1)?.what).toBe(`DELETE coppice-member-${member}`);
  expect(new Set(asked.map(({ agent }) => agent))).toEqual(
    new Set(['coppice-controller/1.2.3 leases']),
  );
  const shards = [...stored.values()].map(({ metadata, ...rest }) => [
    text(metadata.name),
    text(object(rest['spec'])['holderIdentity']),
    numberOf(object(rest['spec'])['leaseTransitions']),
  ]);
  expect(shards).toHaveLength(32);
  expect(shards.filter(([, holder]) => holder !== '')).toEqual([]);
  await vi.waitFor(
    () => expect([...sockets].filter(({ destroyed }) => !destroyed)).toEqual([]),
    patient,
  );
});
