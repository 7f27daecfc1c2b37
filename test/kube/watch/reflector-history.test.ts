// A server that was restored from a backup: versions go back, and are given out again. Nothing that
// was read before can be believed, so the reflector says so and is silent from then on.
import { expect, test } from 'vitest';
import { bookmark, clique, list, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });
const expired = status(410, 'Expired', 'too old resource version: 50 (900)');

/** What was read before has to be forgotten by whoever believed it. */
async function expectLost(r: Reflecting, why: RegExp): Promise<void> {
  await r.clock.drain();
  expect(r.lost).toHaveLength(1);
  expect(r.lost[0]).toMatchObject({ code: 'HISTORY_LOST' });
  expect(r.lost[0]?.message).toMatch(why);
  const [requests, watches] = [r.transport.requests.length, r.transport.watches.length];
  r.reflector.resume();
  await r.clock.advance(120_000);
  expect(r.transport.requests).toHaveLength(requests);
  expect(r.transport.watches).toHaveLength(watches);
  expect(r.told()).toEqual([]);
}

test('lists that stay older than what is known end it within 40 s', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  const since = r.clock.now();
  while (r.lost.length === 0 && r.clock.now() - since < 60_000) {
    r.transport.lastRequest.answer(200, list(40, [clique({ name: 'a', version: 30 })]));
    await r.clock.advance(100);
  }
  expect(r.clock.now() - since).toBeLessThan(40_000);
  expect(r.clock.now() - since).toBeGreaterThan(20_000);
  await expectLost(r, /version 40, which is older than the known 50/);
});

test('a server that is behind for twenty seconds is waited for', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(40, [a1]);
  await r.clock.advance(10_000);
  await r.answerList(45, [a1]);
  await r.clock.advance(10_000);
  await r.answerList(51, [a1]);
  expect(r.lost).toEqual([]);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('51');
});

test('a young list that shows an object as it was before it was last seen ends it at once', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 60 }));
  r.told();
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [clique({ name: 'a', version: 55 }), clique({ name: 'b', version: 2 })]);
  await expectLost(r, /default\/a is shown at version 55/);
});

test('a young list that shows an object again whose end was seen ends it at once', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.transport.lastWatch.send('DELETED', clique({ name: 'b', version: 60 }));
  r.told();
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [b2]);
  await expectLost(r, /default\/b is shown at version 2/);
});

test('a young list that shows an object again which an earlier one did not ends it at once', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(60, [a1]);
  r.told();
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.advance(2_000);
  await r.answerList(70, [b2, a1]);
  await expectLost(r, /default\/b is shown at version 2/);
});

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const pod = (version: number, more: object = {}) => {
  const { metadata } = clique({ name: 'a', version });
  return { kind: 'Pod', metadata: { ...metadata, ...more } };
};

test('a young list that shows an object as changed after its end ends it at once', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', version: 60 }));
  r.told();
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [clique({ name: 'a', version: 65 })]);
  await expectLost(r, /default\/a is shown at version 65/);
});

test('a young list that shows a pod living that was seen going ends it at once', async () => {
  const r = await Reflecting.at(50, [pod(40)], 'Pod');
  r.transport.lastWatch.send('DELETED', pod(60, going));
  r.told();
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [pod(65)]);
  await expectLost(r, /default\/a is shown at version 65/);
});

test('a pod that is selected again is no history that was lost', async () => {
  const r = await Reflecting.at(50, [pod(40)], 'Pod');
  r.transport.lastWatch.send('DELETED', pod(60));
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [pod(65)]);
  expect(r.lost).toEqual([]);
  expect(r.told()).toEqual(['-a/a', '+a@65']);
});

test('nor is a going pod that is selected again', async () => {
  const r = await Reflecting.at(50, [pod(40)], 'Pod');
  r.transport.lastWatch.send('DELETED', pod(60, going));
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [pod(65, going)]);
  expect(r.lost).toEqual([]);
});

test('a list that is older than the reply to a write is none either', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  r.reflector.learn(clique({ name: 'c', version: 90 }));
  await r.answerList(70, [a1, clique({ name: 'c', version: 60 })]);
  expect(r.lost).toEqual([]);
});

test('a young list that shows an object as before a reply ends it at once', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.reflector.learn(clique({ name: 'a', version: 60 }));
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [a1, b2]);
  await expectLost(r, /default\/a is shown at version 1/);
});

test('a young list that shows a former holder of a name ends it at once', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.reflector.learn(clique({ name: 'c', uid: 'c2', version: 60 }));
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(70, [a1, clique({ name: 'c', uid: 'c1', version: 55 })]);
  await expectLost(r, /default\/c is shown at version 55/);
});

test('a list that was asked for after a reply and is older is from the past', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.reflector.learn(clique({ name: 'a', version: 60 }));
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(55, [a1]);
  expect(r.told()).toEqual([]);
  await r.clock.advance(1_000);
  await r.answerList(65, [clique({ name: 'a', version: 60 })]);
  expect(r.told()).toEqual(['+a@60']);
  expect(r.lost).toEqual([]);
});

test('a watch from a version that is yet to come ends in good order, and that is not believed', async () => {
  const r = await Reflecting.at(50, [a1]);
  r.transport.lastWatch.send('BOOKMARK', bookmark(60));
  await r.clock.advance(2_000);
  r.transport.lastWatch.end({ kind: 'ended', error: new Error('the server went away') });
  await r.clock.advance(300);
  const { lastWatch } = r.transport;
  expect(lastWatch.query.get('resourceVersion')).toBe('60');
  expect(Number(lastWatch.query.get('timeoutSeconds'))).toBeLessThanOrEqual(10);
  await r.clock.advance(10_000);
  lastWatch.end();
  const since = r.clock.now();
  while (r.lost.length === 0 && r.clock.now() - since < 60_000) {
    r.transport.lastRequest.answer(200, list(55, []));
    await r.clock.advance(100);
  }
  expect(r.clock.now() - since).toBeLessThan(40_000);
  await expectLost(r, /version 55, which is older than the known 60/);
});

test('a quiet watch costs one small request at its orderly end, and is resumed where it was', async () => {
  const r = await Reflecting.at(50, [a1]);
  await r.clock.advance(45_000);
  r.transport.lastWatch.end();
  await r.clock.drain();
  const probe = new URLSearchParams(r.transport.lastRequest.path.split('?', 2)[1]);
  expect(probe.get('limit')).toBe('1');
  await r.answerList(70, [clique({ name: 'a', version: 60 })]);
  expect(r.told()).toEqual([]);
  expect(r.transport.requests).toHaveLength(2);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('50');
});

test('a server that was away is asked for a list, as it may come back with another history', async () => {
  const r = await Reflecting.at(50, [a1]);
  await r.clock.advance(2_000);
  const refused = { kind: 'ended', error: new Error('connection refused') } as const;
  r.transport.lastWatch.end(refused);
  await r.clock.advance(300);
  r.transport.lastWatch.end(refused);
  await r.clock.advance(1_000);
  await r.answerList(70, [clique({ name: 'a', version: 60 })]);
  expect(r.told()).toEqual(['+a@60']);
  expect(r.lost).toEqual([]);
});
