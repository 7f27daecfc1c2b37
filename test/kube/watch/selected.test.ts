// Some objects of a kind that is watched, read anew through the cluster port.
import { expect, test } from 'vitest';
import { NotWanted } from '#src/kube/transport/transport.ts';
import { list, status } from '../support/objects.ts';
import { object, watching } from '../support/straying.ts';

const managed = 'app.kubernetes.io/managed-by=grove-operator';

test('objects with labels are listed among those that are watched, at no version', async () => {
  const { clock, transport, client } = await watching();
  const answer = client.cluster.list?.('Pod', { labels: { app: 'a', tier: '' } });
  await clock.drain();
  const { path } = transport.lastRequest;
  const query = new URLSearchParams(path.split('?', 2)[1]);
  expect(path).toMatch(/^\/api\/v1\/pods\?limit=500&/);
  expect(query.get('labelSelector')).toBe(`${managed},app=a,tier=`);
  expect(query.has('resourceVersion')).toBe(false);
  transport.lastRequest.answer(200, list(9, [object(7)], 'more'));
  await clock.drain();
  transport.lastRequest.answer(200, list(9, [object(8, { uid: 'b1' })]));
  const versions = { ok: true, objects: [{ kind: 'Pod' }, { metadata: { uid: 'b1' } }] };
  expect(await answer).toMatchObject(versions);
});

test('objects are listed in each of the namespaces, and one list that fails fails all', async () => {
  const { clock, transport, client } = await watching();
  const asked = { labels: { app: 'a' }, namespaces: ['one', 'two'] };
  const answer = client.cluster.list?.('Pod', asked);
  await clock.drain();
  expect(transport.lastRequest.path).toMatch(/^\/api\/v1\/namespaces\/one\/pods\?/);
  transport.lastRequest.answer(200, list(9, []));
  await clock.drain();
  expect(transport.lastRequest.path).toMatch(/^\/api\/v1\/namespaces\/two\/pods\?/);
  transport.lastRequest.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '3' });
  expect(await answer).toMatchObject({ ok: false, code: 'THROTTLED', retryAfterMs: 3_000 });
  const count = transport.requests.length;
  expect(await client.cluster.list?.('Pod', { ...asked, namespaces: [] })).toMatchObject({
    objects: [],
  });
  expect(transport.requests).toHaveLength(count);
});

test('a list that is older than what is known is of a server that is behind, and fails', async () => {
  const { clock, transport, client } = await watching();
  const answer = client.cluster.list?.('Pod', { labels: { app: 'a' } });
  await clock.drain();
  transport.lastRequest.answer(200, list(4, [object(3)]));
  expect(await answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
});

test('a list that nobody wants any more is not sent', async () => {
  const { clock, transport, client } = await watching();
  const answer = client.cluster.list?.('Pod', { labels: {} }, () => false);
  await clock.drain();
  expect(transport.lastRequest.isWanted?.()).toBe(false);
  transport.lastRequest.fail(new NotWanted());
  expect(await answer).toMatchObject({ ok: false, code: 'NOT_OWNER' });
});

test('a list that is given up is ended on the wire, with those that would follow', async () => {
  const { clock, transport, client } = await watching();
  const givenUp = new AbortController();
  const asked = { labels: {}, namespaces: ['one', 'two'] };
  const answer = client.cluster.list?.('Pod', asked, undefined, givenUp.signal);
  await clock.drain();
  const count = transport.requests.length;
  const { signal } = transport.lastRequest;
  expect(signal?.aborted).toBe(false);
  givenUp.abort();
  expect(signal?.aborted).toBe(true);
  expect(await answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
  expect(transport.requests).toHaveLength(count);
});

test('the end of what only such a list has shown is told by the next list of the kind', async () => {
  const { clock, transport, client, told } = await watching('ResourceClaim');
  const answer = client.cluster.list?.('ResourceClaim', { labels: { app: 'a' } });
  await clock.drain();
  const { metadata } = object(7, { uid: 'b1' });
  transport.lastRequest.answer(200, list(9, [{ metadata: { ...metadata, name: 'b' } }]));
  await answer;
  transport.lastWatch.send('ERROR', status(410, 'Expired'));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, [object(4)]));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-b/b1?']);
});
