// The fault matrix of a reflector, first half: lists that fail, expire, lie or hang.
import { expect, test } from 'vitest';
import { clique, list, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });
const expired = status(410, 'Expired', 'too old resource version: 5 (900)');

test('a reflector lists page by page and is synced after the last page', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.drain();
  expect(r.transport.lastRequest.path).toContain('podcliques?limit=500');
  r.transport.lastRequest.answer(200, list(5, [a1], 'next'));
  await r.clock.drain();
  expect(r.told()).toEqual(['+a@1']);
  expect(r.reflector.health().synced).toBe(false);
  expect(r.transport.lastRequest.path).toContain('continue=next');
  r.transport.lastRequest.answer(200, list(5, [b2]));
  await r.reflector.synced;
  await r.clock.drain();
  expect(r.told()).toEqual(['+b@2']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('5');
  expect(r.transport.lastWatch.query.get('allowWatchBookmarks')).toBe('true');
});

test('a list starts again when its continue token expires half way', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.drain();
  r.transport.lastRequest.answer(200, list(5, [a1], 'next'));
  await r.clock.drain();
  r.transport.lastRequest.answer(410, status(410, 'Expired'));
  await r.clock.advance(1_000);
  expect(r.transport.lastRequest.path).not.toContain('continue');
  r.transport.lastRequest.answer(200, list(9, [b2]));
  await r.reflector.synced;
  expect(r.told()).toEqual(['+a@1', '+b@2', '-a/a']);
});

test('a list refused by 429 waits for as long as Retry-After says', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.drain();
  r.transport.lastRequest.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '7' });
  await r.clock.advance(6_999);
  expect(r.transport.requests).toHaveLength(1);
  await r.clock.advance(1_000);
  expect(r.transport.requests).toHaveLength(2);
});

test('a relist refused by 429 loses no delete', async () => {
  const r = await Reflecting.at(5, [a1, b2]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  const details = { retryAfterSeconds: 3 };
  r.transport.lastRequest.answer(429, status(429, 'TooManyRequests', 'wait', details));
  await r.clock.advance(4_000);
  await r.answerList(900, [b2]);
  expect(r.told()).toEqual(['-a/a']);
});

test.each([
  ['a broken connection', 0],
  ['500', 500],
  ['401', 401],
])('a list that fails by %s is repeated with growing pauses', async (_what, code) => {
  const r = new Reflecting();
  r.reflector.resume();
  const times: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const count = r.transport.requests.length;
    await r.clock.until(() => r.transport.requests.length > count, 60_000);
    times.push(r.clock.now());
    if (code === 0) r.transport.lastRequest.fail(new Error('reset'));
    else r.transport.lastRequest.answer(code, status(code, 'Failed'));
    await r.clock.drain();
  }
  const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  for (const [index, pause] of pauses.entries()) {
    const full = 250 * 2 ** index;
    expect(pause).toBeGreaterThanOrEqual(full / 2);
    expect(pause).toBeLessThanOrEqual(full);
  }
  expect(r.logged.filter((line) => line.level === 'warn')).toHaveLength(1);
});

test('a list without any answer is given up and repeated', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.advance(102_000);
  expect(r.transport.requests).toHaveLength(2);
  expect(r.transport.requests[0]?.signal?.aborted).toBe(true);
});

test.each([
  [404, 'NotFound'],
  [403, 'Forbidden'],
])('a kind refused by %i is asked for slowly and the log says what to do', async (code, reason) => {
  const r = new Reflecting();
  r.reflector.resume();
  for (let attempt = 1; attempt <= 3; attempt++) {
    await r.clock.drain();
    expect(r.transport.requests).toHaveLength(attempt);
    r.transport.lastRequest.answer(code, status(code, reason));
    await r.clock.advance(30_000);
  }
  expect(r.logged).toHaveLength(1);
  expect(r.logged[0]?.message).toContain('is the CRD installed');
  const wanted = String(r.logged[0]?.['error']).includes('served should be grove.io/v1alpha1');
  expect(wanted).toBe(code === 404);
});

test('a list from the past is not believed, and a fresh one follows', async () => {
  const r = await Reflecting.at(50, [a1, b2]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(40, []);
  expect(r.told()).toEqual([]);
  await r.clock.advance(1_000);
  await r.answerList(60, [a1, b2]);
  expect(r.told()).toEqual([]);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('60');
});

test('a list that broke off is followed by none that is older', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  r.transport.lastRequest.answer(200, list(90, [clique({ name: 'new', version: 88 })], 'next'));
  await r.clock.drain();
  r.transport.lastRequest.fail(new Error('reset'));
  await r.clock.advance(1_000);
  await r.answerList(80, []);
  expect(r.told()).toEqual(['+new@88']);
});

test('an answer that is no list is a failure, not an empty cluster', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  r.transport.lastRequest.answer(200, 'welcome to the proxy');
  await r.clock.advance(1_000);
  expect(r.told()).toEqual([]);
  expect(r.reflector.health().lastFailure).toContain('held no list');
});

test('a kind of a scheduler backend whose CRD is missing counts as empty until it is there', async () => {
  const r = new Reflecting('Topology');
  r.reflector.resume();
  await r.clock.drain();
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.reflector.synced;
  expect(r.reflector.health()).toMatchObject({ synced: true, objects: 0, lastFailure: null });
  await r.clock.advance(30_000);
  await r.answerList(5, [a1]);
  expect(r.told()).toEqual(['+a@1']);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.clock.drain();
  expect(r.told()).toEqual(['-a/a']);
});

test('a missing kind that somebody wants to write is looked for twice a second, else seldom', async () => {
  const r = new Reflecting('KaiPodGroup');
  const missing = async (): Promise<void> => {
    r.transport.lastRequest.answer(404, status(404, 'NotFound'));
    await r.clock.drain();
  };
  r.reflector.resume();
  await r.clock.drain();
  r.reflector.wanted();
  await missing();
  await r.clock.advance(29_000);
  expect(r.transport.requests).toHaveLength(1);
  r.reflector.wanted();
  await r.clock.drain();
  expect(r.transport.requests).toHaveLength(2);
  await missing();
  await r.clock.advance(500);
  expect(r.transport.requests).toHaveLength(3);
  expect(r.served).toEqual([]);
  await r.answerList(5, [a1]);
  expect(r.served).toEqual(['KaiPodGroup']);
  expect(r.told()).toEqual(['+a@1']);
});

test('an object made while the list of its kind was on its way with a 404 is not taken for gone', async () => {
  const r = new Reflecting('KaiPodGroup');
  r.reflector.resume();
  await r.clock.drain();
  r.reflector.learn(a1);
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.clock.drain();
  expect(r.told()).toEqual([]);
  await r.clock.advance(30_000);
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.clock.drain();
  expect(r.told()).toEqual(['-a/a']);
});

test('a server that asks for time has it, also where a missing kind is wanted', async () => {
  const r = new Reflecting('KaiPodGroup');
  r.reflector.resume();
  await r.clock.drain();
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.clock.advance(30_000);
  r.transport.lastRequest.answer(429, status(429, 'TooManyRequests'), { 'retry-after': '7' });
  await r.clock.drain();
  r.reflector.wanted();
  await r.clock.advance(6_999);
  expect(r.transport.requests).toHaveLength(2);
  await r.clock.advance(1_000);
  expect(r.transport.requests).toHaveLength(3);
});

test('a kind that every cluster must have is not taken for empty when it is missing', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.drain();
  r.transport.lastRequest.answer(404, status(404, 'NotFound'));
  await r.clock.drain();
  expect(r.reflector.health().synced).toBe(false);
});
