// Pods of ours without our label that no watch has told of: looked for after each list of pods.
import { expect, test } from 'vitest';
import { list, status } from '../support/objects.ts';
import { object, starting, straysPath, watching } from '../support/straying.ts';

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
