// How pods are asked, on real sockets: Knative's queue-proxy, any other server, nobody.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PodAsker, type PodQuestion, podProbe } from '#src/activator/sources/probe.ts';
import { nextTurn } from '#test/kube/support/https-server.ts';
import { configured } from './support.ts';
import { questionsBy } from '#src/activator/sources/configured.ts';

const revision = { kind: 'revision', namespace: 'demo', name: 'hello' } as const;
const never = new AbortController().signal;

const asker: PodAsker = {
  probe: async (dest, { path, headers, signal }) => {
    const reply = await request(`http://${dest}${path}`, { headers, signal });
    const body = await reply.body.text();
    return { status: reply.statusCode, body, headers: reply.headers };
  },
};

async function pod(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that was listened to on a port has an address of this shape.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const probing = (question: PodQuestion, more: { isPassthrough?: boolean } = {}) =>
  podProbe({ asker, questionOf: () => question, ...more });

describe('A pod of Knative (H-63 to H-65, H-125)', () => {
  it('is asked as its queue-proxy is, under a name of its own (H-66)', async () => {
    let heard: Record<string, unknown> = {};
    const dest = await pod(({ method, url, headers }, reply) => {
      heard = { method, url, agent: headers['user-agent'], probe: headers['k-network-probe'] };
      reply.end('queue');
    });
    const answer = await probing({ how: 'queue-proxy' })({ revision, dest, id: 'a' }, never);
    expect(answer).toEqual({ isOk: true, id: undefined });
    const agent = 'Knative-Activator-Probe';
    expect(heard).toEqual({ method: 'GET', url: '/healthz', agent, probe: 'queue' });
  });

  it.each([
    ['another status, whatever the body says', 503, 'queue'],
    ['a body that only another activator or a server of users would give', 200, 'activator'],
    ['the answer to a wrong name', 400, 'unexpected probe header value: x'],
    ['shutting down', 503, 'shutting down'],
    ['not being ready', 503, 'queue not ready'],
  ])('gets no requests after %s', async (_what, status, body) => {
    const dest = await pod((_, reply) => reply.writeHead(status).end(body));
    const probe = probing({ how: 'queue-proxy' });
    await expect(probe({ revision, dest, id: 'a' }, never)).resolves.toMatchObject({ isOk: false });
  });

  it('is asked in the name of its Service where a mesh routes by that, and only there (H-60)', async () => {
    const heard: unknown[] = [];
    const dest = await pod(({ headers }, reply) => {
      heard.push([headers['k-passthrough-lb'], headers.host]);
      reply.end('queue');
    });
    const question = { how: 'queue-proxy' } as const;
    await probing(question)({ revision, dest, id: 'a' }, never);
    await probing(question, { isPassthrough: true })({ revision, dest, id: 'a' }, never);
    expect(heard).toEqual([
      [undefined, dest],
      ['true', 'hello-private.demo'],
    ]);
  });

  it('says who it is, if it does', async () => {
    const dest = await pod((_, reply) => reply.setHeader('coppice-pod-uid', 'b').end('queue'));
    const answer = await probing({ how: 'queue-proxy' })({ revision, dest, id: 'a' }, never);
    expect(answer).toEqual({ isOk: true, id: 'b' });
  });
});

describe('Any other pod', () => {
  it.each([
    [200, true],
    [204, true],
    [302, true],
    [400, false],
    [503, false],
  ])('that answers its path with %i takes requests: %s', async (status, isOk) => {
    const dest = await pod((_, reply) => reply.writeHead(status).end());
    const probe = probing({ how: 'path', path: '/ready?deep=1' });
    await expect(probe({ revision, dest, id: 'a' }, never)).resolves.toMatchObject({ isOk });
  });

  it('is asked at a path that may lack its slash and have a query (H-133)', () => {
    const { revisions } = configured({
      revisions: [{ namespace: 'demo', name: 'hello', probePath: 'up?a=b' }, { name: 'web' }],
    });
    const questionOf = questionsBy(revisions);
    expect(questionOf(revision)).toEqual({ how: 'path', path: '/up?a=b' });
    expect(questionOf({ ...revision, name: 'web', namespace: 'default' })).toEqual({
      how: 'believe',
    });
    expect(questionOf({ ...revision, name: 'other' })).toEqual({ how: 'queue-proxy' });
  });

  it('is believed where nobody asks: no connection is made', async () => {
    const probe = probing({ how: 'believe' });
    const answer = await probe({ revision, dest: '127.0.0.1:1', id: 'a' }, never);
    expect(answer).toEqual({ isOk: true, id: undefined });
  });
});

describe('Probes', () => {
  it('do not end each other: one that fails or hangs leaves its siblings alone (H-43)', async () => {
    const good = await pod((_, reply) => reply.end('queue'));
    const silent = await pod(() => {});
    // Long enough for the good ones on a busy machine.
    const limits = { timeoutMs: 1_000 };
    const probe = podProbe({ asker, questionOf: () => ({ how: 'queue-proxy' }), limits });
    const results = await Promise.allSettled(
      [good, '127.0.0.1:1', silent, good].map((dest) => probe({ revision, dest, id: 'a' }, never)),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
  });

  it('are no more at once than their limit, which is that of this instance (H-55)', async () => {
    const asked: (() => void)[] = [];
    const held: PodAsker = {
      probe: () =>
        new Promise((resolve) => {
          asked.push(() => resolve({ status: 200, body: 'queue', headers: {} }));
        }),
    };
    const questionOf = () => ({ how: 'queue-proxy' }) as const;
    const probe = podProbe({ asker: held, questionOf, limits: { atOnce: 3 } });
    const dest = '10.0.0.1:8012';
    const all = Array.from({ length: 30 }, () => probe({ revision, dest, id: 'a' }, never));
    for (let left = all.length; left > 0; left--) {
      await nextTurn();
      expect(asked).toHaveLength(Math.min(3, left));
      asked.shift()?.();
    }
    await Promise.all(all);
  });

  it('end with whoever asked for them', async () => {
    const dest = await pod(() => {});
    const controller = new AbortController();
    const asked = probing({ how: 'queue-proxy' })({ revision, dest, id: 'a' }, controller.signal);
    controller.abort();
    await expect(asked).rejects.toThrow('abort');
  });
});
