// What becomes of objects that leave the selection of a watch: the server says DELETED of those
// that lost our label and of those that are gone, and shows both as they were before. Pods that no
// watch has told of are looked for after each list of pods.
import { expect, test } from 'vitest';
import { list, status } from '../support/objects.ts';
import { object, starting, straysPath, watching } from '../support/straying.ts';

test('a pod that lost our label is read, and told as alive under its new version', async () => {
  const { clock, transport, told } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  expect(told).toEqual(['+a@4']);
  expect(transport.lastRequest).toMatchObject({
    method: 'GET',
    path: '/api/v1/namespaces/default/pods/a',
  });
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  await clock.drain();
  expect(told).toEqual(['+a@4', '+a@7']);
});

test('a pod that was deleted at once is gone as soon as a read says so', async () => {
  const { clock, transport, told, reads } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  await clock.advance(600_000);
  expect(told).toEqual(['+a@4', '-a/a1']);
  expect(reads()).toBe(1);
});

test('a pod that was terminating is gone without a read', async () => {
  const { clock, transport, told, reads } = await watching();
  transport.lastWatch.send('DELETED', object(7, { isGoing: true }));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1']);
  expect(reads()).toBe(0);
});

test('a terminating pod that somebody holds is read, since it may just have lost our label', async () => {
  const { clock, transport, told } = await watching();
  const { metadata } = object(7, { isGoing: true });
  transport.lastWatch.send('DELETED', { metadata: { ...metadata, finalizers: ['theirs/hold'] } });
  await clock.drain();
  transport.lastRequest.answer(200, object(7, { isMarked: false, isGoing: true }));
  await clock.drain();
  expect(told).toEqual(['+a@4', '+a@7']);
});

test('a pod whose name another has by now is gone', async () => {
  const { clock, transport, told } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(200, object(9, { uid: 'a2', isMarked: false }));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1']);
});

test('a pod that a list does not show any more is read as well', async () => {
  const { clock, transport, told } = await watching();
  transport.lastWatch.send('ERROR', status(410, 'Expired'));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, []));
  await clock.drain();
  const read = transport.requests.findLast(({ path }) => path.endsWith('/a'));
  read?.answer(200, object(7, { isMarked: false }));
  await clock.drain();
  expect(told).toEqual(['+a@4', '+a@7']);
});

test('a pod without our label is read ever less often, until it carries it again', async () => {
  const { clock, transport, told, reads } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  for (const pauseMs of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000]) {
    const before = reads();
    await clock.advance(pauseMs - 1);
    expect(reads()).toBe(before);
    await clock.advance(1);
    expect(reads()).toBe(before + 1);
    transport.lastRequest.answer(200, object(7, { isMarked: false }));
  }
  await clock.advance(60_000);
  transport.lastRequest.answer(200, object(12));
  const before = reads();
  await clock.advance(600_000);
  expect(reads()).toBe(before);
  expect(told.at(-1)).toBe('+a@12');
});

test('a pod that loses our label again is read at once, and ever less often from there', async () => {
  const { clock, transport, reads } = await watching();
  const answered = async (): Promise<void> => {
    transport.lastRequest.answer(200, object(7, { isMarked: false }));
    await clock.drain();
  };
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  await answered();
  for (const pauseMs of [2_000, 4_000, 8_000]) {
    await clock.advance(pauseMs);
    await answered();
  }
  const before = reads();
  transport.lastWatch.send('ADDED', object(12));
  transport.lastWatch.send('DELETED', object(13));
  await clock.drain();
  expect(reads()).toBe(before + 1);
  await answered();
  await clock.advance(2_000);
  expect(reads()).toBe(before + 2);
});

test('a read that fails proves nothing: the pod counts as alive until one succeeds', async () => {
  const { clock, transport, told } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(500);
  await clock.advance(2_000);
  transport.lastRequest.fail(new Error('reset'));
  await clock.advance(4_000);
  expect(told).toEqual(['+a@4']);
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1']);
});

test('an answer that may be older than the end of the pod is asked for again', async () => {
  const { clock, transport, told } = await watching();
  const { lastWatch } = transport;
  lastWatch.send('DELETED', object(7));
  await clock.drain();
  const first = transport.lastRequest;
  lastWatch.send('ADDED', object(9));
  lastWatch.send('DELETED', object(10));
  await clock.drain();
  first.answer(200, object(9));
  await clock.drain();
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  await clock.drain();
  expect(told).toEqual(['+a@4', '+a@9', '-a/a1']);
});

test('a reply that the watch ran ahead of does not end a pod that lives', async () => {
  const { clock, transport, told, client } = await watching();
  const ref = { kind: 'Pod', namespace: 'default', name: 'a' } as const;
  const patched = client.cluster.write({ op: 'patch', ref, patch: {} });
  await clock.drain();
  const reply = transport.lastRequest;
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  reply.answer(200, object(6));
  await patched;
  await clock.advance(1_000);
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  await clock.advance(1_000);
  expect(told.filter((each) => each.startsWith('-'))).toEqual([]);
});

test('an object of ours without our label in a reply is watched over until its end', async () => {
  const { clock, transport, told, client } = await watching('ResourceClaim');
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1?']);
  const read = client.cluster.read({ kind: 'ResourceClaim', namespace: 'default', name: 'a' });
  await clock.drain();
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  await read;
  await clock.advance(1_000);
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1?', '-a/a1?']);
});

test('nothing is read any more after a stop', async () => {
  const { clock, transport, reflection, reads } = await watching();
  transport.lastWatch.send('DELETED', object(7));
  await clock.drain();
  transport.lastRequest.answer(200, object(7, { isMarked: false }));
  await clock.drain();
  reflection.stop();
  await clock.advance(600_000);
  expect(reads()).toBe(1);
  expect(clock.pending).toBe(0);
});

test('a pod that came and lost our label between two lists is found after the second', async () => {
  const { clock, transport, told } = await watching();
  transport.lastWatch.send('DELETED', object(6, { isGoing: true }));
  transport.lastWatch.send('ERROR', status(410, 'Expired'));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, []));
  await clock.drain();
  expect(transport.lastRequest.path).toBe(straysPath);
  transport.lastRequest.answer(200, list(21, [object(9, { uid: 'a2', isMarked: false })]));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1', '+a@9']);
});

test('whoever asks for the pods anew waits for those without our label as well', async () => {
  const { clock, transport, told, client } = await watching();
  let isRefreshed = false;
  void client.cluster.refresh?.('Pod').then(() => (isRefreshed = true));
  await clock.drain();
  transport.lastRequest.answer(200, list(20, [object(4)]));
  await clock.drain();
  transport.lastRequest.answer(200, list(19, []));
  await clock.drain();
  expect(isRefreshed).toBe(false);
  await clock.advance(1_000);
  transport.lastRequest.answer(200, list(20, [object(9, { uid: 'b1', isMarked: false })]));
  await clock.drain();
  expect(told).toEqual(['+a@4', '+a@9']);
  expect(isRefreshed).toBe(true);
});

test('a pod that lost our label while nobody looked is found at the start', async () => {
  const { clock, transport, told, reflection } = await starting('Pod');
  let isSynced = false;
  void reflection.synced.then(() => (isSynced = true));
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  expect(transport.lastRequest.path).toBe(straysPath);
  transport.lastRequest.answer(500);
  await clock.drain();
  expect(isSynced).toBe(false);
  await clock.advance(1_000);
  expect(transport.lastRequest.path).toBe(straysPath);
  transport.lastRequest.answer(200, list(6, [object(4, { isMarked: false })]));
  await clock.drain();
  expect(told).toEqual(['+a@4']);
  expect(isSynced).toBe(true);
  await clock.advance(1_000);
  transport.lastRequest.answer(404, status(404, 'NotFound'));
  await clock.drain();
  expect(told).toEqual(['+a@4', '-a/a1']);
});

test('a pod of somebody else is none of ours, whatever it is labelled', async () => {
  const { clock, transport, told } = await starting('Pod');
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  const { metadata } = object(4, { isMarked: false });
  const orphan = { metadata: { ...metadata, ownerReferences: [] } };
  transport.lastRequest.answer(200, list(6, [orphan]));
  await clock.advance(600_000);
  expect(told).toEqual([]);
});

test('a stop while strays are looked for ends the waiting with STOPPING', async () => {
  const { clock, transport, reflection } = await starting('Pod');
  transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  reflection.stop();
  await expect(reflection.synced).rejects.toMatchObject({ code: 'STOPPING' });
  expect(clock.pending).toBe(0);
});
