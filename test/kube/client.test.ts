// The kube edge put together, on a scripted transport.
import { expect, test } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import { createKubeClient, type KubeClientOptions } from '#src/kube/client.ts';
import type { RequestReport } from '#src/kube/transport/measure.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { clique, list, status } from './support/objects.ts';
import { short } from './support/reflecting.ts';
import { ScriptedTransport } from './support/scripted-transport.ts';

function start(more: Pick<KubeClientOptions, 'limits' | 'mayRead'> = {}) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const reports: RequestReport[] = [];
  const told: string[] = [];
  const client = createKubeClient({
    transport,
    clock,
    random: seeded(1),
    host: 'server:6443',
    log: () => {},
    onRequest: (report) => reports.push(report),
    ...more,
  });
  const emit = (observation: Observation): number => told.push(short(observation));
  return { clock, transport, client, reports, told, emit };
}

const ref = { kind: 'PodClique', namespace: 'default', name: 'a' } as const;

test('all kinds are synced after the first list of each', async () => {
  const { clock, transport, client, emit } = start();
  const reflection = client.reflect(['PodClique', 'PodGang'], emit);
  await clock.drain();
  let isSynced = false;
  void reflection.synced.then(() => (isSynced = true));
  transport.requests[0]?.answer(200, list(5, []));
  await clock.drain();
  expect(isSynced).toBe(false);
  transport.requests[1]?.answer(200, list(6, []));
  await clock.drain();
  expect(isSynced).toBe(true);
  expect(reflection.health().map(({ kind, phase }) => `${kind} ${phase}`)).toEqual([
    'PodClique watching',
    'PodGang watching',
  ]);
  reflection.stop();
  expect(transport.watches.every((watch) => watch.wasClosed)).toBe(true);
  expect(clock.pending).toBe(0);
});

test('waiting for the first lists ends with STOPPING when everything stops before', async () => {
  const { clock, client, emit } = start();
  const reflection = client.reflect(['PodClique'], emit);
  await clock.drain();
  reflection.stop();
  await expect(reflection.synced).rejects.toMatchObject({ code: 'STOPPING' });
});

test('an object known by its creation alone is told gone by a list without it', async () => {
  const { clock, transport, client, told, emit } = start();
  client.reflect(['PodClique'], emit);
  await clock.drain();
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  const created = client.cluster.write({
    op: 'create',
    ref,
    body: clique({ name: 'a', version: 0 }),
  });
  await clock.drain();
  transport.lastRequest.answer(201, clique({ name: 'a', uid: 'a1', version: 6 }));
  expect(await created).toMatchObject({ ok: true, object: { metadata: { uid: 'a1' } } });
  transport.lastWatch.send('ERROR', status(410, 'Expired'));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, []));
  await clock.drain();
  expect(told).toEqual(['-a/a1']);
});

test('a write whose object the watch has seen to end already brings none back', async () => {
  const { clock, transport, client, told, emit } = start();
  client.reflect(['PodClique'], emit);
  await clock.drain();
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  const created = client.cluster.write({
    op: 'create',
    ref,
    body: clique({ name: 'a', version: 0 }),
  });
  await clock.drain();
  const object = clique({ name: 'a', uid: 'a1', version: 6 });
  transport.lastWatch.send('ADDED', object);
  transport.lastWatch.send('DELETED', {
    ...object,
    metadata: { ...object.metadata, resourceVersion: '7' },
  });
  transport.lastRequest.answer(201, object);
  expect(await created).toMatchObject({ ok: true, gone: true });
  expect(told).toEqual(['+a@6', '-a/a1']);
  // What is read to compare is handed on, and its end is told once more.
  const read = client.cluster.read(ref);
  await clock.drain();
  transport.lastRequest.answer(200, object);
  expect(await read).not.toHaveProperty('gone');
  await clock.advance(1_000);
  expect(told).toEqual(['+a@6', '-a/a1', '-a/a1']);
});

test('a reply with an object that no list would show is not taken note of', async () => {
  const { clock, transport, client, told, emit } = start();
  client.reflect(['Service'], emit);
  await clock.drain();
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  const read = client.cluster.read({ kind: 'Service', namespace: 'default', name: 'foreign' });
  await clock.drain();
  transport.lastRequest.answer(200, clique({ name: 'foreign', version: 6 }));
  await read;
  transport.lastWatch.send('ERROR', status(410, 'Expired'));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, []));
  await clock.drain();
  expect(told).toEqual([]);
});

test('what is not watched may be read where that is said, all else everywhere', () => {
  const secret = { kind: 'Secret', namespace: 'default', name: 's' } as const;
  const reads = ({ namespace }: { readonly namespace: string }) => namespace === 'default';
  const { mayRead } = start({ mayRead: reads }).client.cluster;
  expect(mayRead?.(secret)).toBe(true);
  expect(mayRead?.({ ...secret, namespace: 'other' })).toBe(false);
  expect(mayRead?.({ ...ref, namespace: 'other' })).toBe(true);
  expect(start().client.cluster.mayRead?.(secret)).toBe(false);
});

test('every request is reported with verb, resource, code and time', async () => {
  const { clock, transport, client, reports, emit } = start();
  client.reflect(['PodClique'], emit);
  await clock.advance(500);
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  transport.lastWatch.send('BOOKMARK', {});
  transport.lastWatch.send('BOOKMARK', {});
  transport.lastWatch.end();
  await clock.drain();
  transport.lastWatch.refuse(429);
  const read = client.cluster.read(ref);
  await clock.drain();
  transport.lastRequest.fail(new Error('reset'));
  await read;
  expect(reports.map(({ verb, resource, code }) => `${verb} ${resource} ${code}`)).toEqual([
    'list podcliques 200',
    'watch podcliques 200',
    'watch podcliques 429',
    'get podcliques <error>',
  ]);
  expect(reports[0]).toMatchObject({ method: 'GET', host: 'server:6443', seconds: 0.5 });
});

test('a configured rate holds back writes of a kind, which still come out in order', async () => {
  const { clock, transport, client } = start({ limits: { rate: { qps: 2, burst: 1 } } });
  for (const name of ['a', 'b', 'c']) void client.cluster.read({ ...ref, name });
  await clock.drain();
  expect(transport.requests).toHaveLength(1);
  await clock.advance(1_000);
  expect(transport.requests.map(({ path }) => path.at(-1))).toEqual(['a', 'b', 'c']);
});

test('discovery tells the kinds that are served from those whose CRD is missing', async () => {
  const { clock, transport, client } = start();
  const discovering = client.discover(['Pod', 'PodClique', 'PodGang']);
  await clock.drain();
  expect(transport.lastRequest.path).toBe('/api/v1');
  transport.lastRequest.answer(200, { resources: [{ name: 'pods' }, { name: 'pods/status' }] });
  await clock.drain();
  expect(transport.lastRequest.path).toBe('/apis/grove.io/v1alpha1');
  transport.lastRequest.answer(200, { resources: [{ name: 'podcliquesets' }] });
  await clock.drain();
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  expect(await discovering).toEqual({
    ok: true,
    served: ['Pod'],
    missing: ['PodClique', 'PodGang'],
  });
});

test('discovery fails with the code of the server, and never rejects', async () => {
  const { clock, transport, client } = start();
  const refused = client.discover(['Pod']);
  await clock.drain();
  transport.lastRequest.answer(403, status(403, 'Forbidden'));
  expect(await refused).toMatchObject({ ok: false, code: 'FORBIDDEN' });
  const lost = client.discover(['Pod']);
  await clock.drain();
  transport.lastRequest.fail(new Error('reset'));
  expect(await lost).toMatchObject({ ok: false, code: 'UNREACHABLE' });
});
