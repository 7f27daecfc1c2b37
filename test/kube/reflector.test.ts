// The fault matrix of a reflector: what goes wrong x when, one test each, on a scripted transport.
import { expect, test } from 'vitest';
import { bookmark, clique, list, status } from './support/objects.ts';
import { Reflecting } from './support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });
const expired = status(410, 'Expired', 'too old resource version: 5 (900)');

// -- lists ----------------------------------------------------------------------------------------

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

test('a server that stays in the past was restored, and its list is believed', async () => {
  const r = await Reflecting.at(50, [clique({ name: 'a', version: 45 }), b2]);
  r.transport.lastWatch.send('ERROR', expired);
  for (let at = 0; at < 100_000; at += 10_000) {
    await r.clock.drain();
    r.transport.lastRequest.answer(200, list(40, [clique({ name: 'a', version: 30 })]));
    await r.clock.advance(10_000);
  }
  expect(r.told()).toEqual(['+a@30', '-b/b']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('40');
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

// -- events ---------------------------------------------------------------------------------------

test('a watch tells of what is added, modified and deleted, in order', async () => {
  const r = await Reflecting.at(5, [a1]);
  const { lastWatch } = r.transport;
  lastWatch.send('ADDED', clique({ name: 'c', version: 6 }));
  lastWatch.send('MODIFIED', clique({ name: 'a', version: 7 }));
  lastWatch.send('DELETED', clique({ name: 'c', version: 8 }));
  expect(r.told()).toEqual(['+c@6', '+a@7', '-c/c']);
});

test('a deleted and recreated object seen as one event ends under its old UID first', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(r.told()).toEqual(['-a/a', '+a@9']);
});

test('a deleted and recreated object seen by a relist ends under its old UID first', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(20, [clique({ name: 'a', uid: 'a2', version: 9 })]);
  expect(r.told()).toEqual(['-a/a', '+a@9']);
});

test('a duplicate event is told once', async () => {
  const r = await Reflecting.at(5, [a1]);
  const { lastWatch } = r.transport;
  for (let times = 0; times < 2; times++) {
    lastWatch.send('MODIFIED', clique({ name: 'a', version: 6 }));
    lastWatch.send('DELETED', clique({ name: 'a', version: 7 }));
  }
  expect(r.told()).toEqual(['+a@6', '-a/a']);
});

test('events from the past after a reconnect bring nothing back', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', version: 8 }));
  r.transport.lastWatch.end();
  await r.clock.advance(1_000);
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', version: 6 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 7 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', version: 8 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(r.told()).toEqual(['-a/a', '+a@9']);
});

test('a late delete of the former holder of a name leaves the present one alone', async () => {
  const r = await Reflecting.at(5, [clique({ name: 'a', uid: 'a2', version: 4 })]);
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', uid: 'a', version: 3 }));
  expect(r.told()).toEqual([]);
  expect(r.reflector.health().objects).toBe(1);
});

test('an event without an object, or of an unknown type, is no news and no crash', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('ADDED', null);
  r.transport.lastWatch.send('ADDED', { metadata: {} });
  r.transport.lastWatch.send('SNEEZED', clique({ name: 'c', version: 9 }));
  r.transport.lastWatch.send('BOOKMARK', {});
  expect(r.told()).toEqual([]);
  expect(r.transport.lastWatch.isOpen).toBe(true);
});

test('versions that are no numbers are taken as they come', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ADDED', clique({ name: 'c', version: 'x9' }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'c', version: 'x2' }));
  r.transport.lastWatch.end();
  await r.clock.advance(1_000);
  expect(r.told()).toEqual(['+c@x9', '-c/c']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('x2');
});

// -- ends of a watch ------------------------------------------------------------------------------

test('a watch that ends in good order is resumed at once from the last version', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ADDED', clique({ name: 'c', version: 6 }));
  r.transport.lastWatch.end();
  await r.clock.drain();
  expect(r.transport.watches).toHaveLength(2);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('6');
  expect(r.transport.requests).toHaveLength(1);
});

test('a watch is resumed from its last bookmark', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('BOOKMARK', bookmark(77));
  r.transport.lastWatch.end();
  await r.clock.drain();
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('77');
});

test('watches that end at once and empty are opened with growing pauses', async () => {
  const r = await Reflecting.at(5, []);
  for (let times = 0; times < 20; times++) {
    r.transport.lastWatch.end();
    await r.clock.drain();
    await r.clock.advance(1_000);
  }
  expect(r.transport.watches.length).toBeLessThan(10);
});

test('a watch that breaks is resumed after a pause', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.end({ kind: 'ended', error: new Error('reset') });
  await r.clock.drain();
  expect(r.transport.watches).toHaveLength(1);
  await r.clock.advance(250);
  expect(r.transport.watches).toHaveLength(2);
  expect(r.transport.requests).toHaveLength(1);
});

test('a half-open watch is noticed within 60 s of silence and resumed', async () => {
  const r = await Reflecting.at(5, []);
  await r.clock.advance(30_000);
  r.transport.lastWatch.send('BOOKMARK', bookmark(8));
  await r.clock.advance(54_000);
  expect(r.transport.watches).toHaveLength(1);
  await r.clock.advance(6_000);
  expect(r.transport.watches).toHaveLength(2);
  expect(r.transport.watches[0]?.wasClosed).toBe(true);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('8');
});

test('a half-open watch tells nothing more once it was given up', async () => {
  const r = await Reflecting.at(5, []);
  const [first] = r.transport.watches;
  await r.clock.advance(60_000);
  if (first !== undefined) first.isOpen = true;
  first?.send('ADDED', clique({ name: 'late', version: 6 }));
  expect(r.told()).toEqual([]);
});

test('410 as an ERROR event leads to a list at once, and lost deletes are told', async () => {
  const r = await Reflecting.at(5, [a1, b2]);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  expect(r.transport.lastWatch.wasClosed).toBe(true);
  expect(r.transport.requests).toHaveLength(2);
  await r.answerList(900, [clique({ name: 'b', version: 800 })]);
  expect(r.told()).toEqual(['+b@800', '-a/a']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('900');
});

test('410 as a refusal of the watch leads to a list at once', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.refuse(410, expired);
  await r.answerList(900, []);
  expect(r.told()).toEqual(['-a/a']);
});

test('410 again and again leads to lists with growing pauses, not to a storm', async () => {
  const r = await Reflecting.at(5, []);
  for (let times = 0; times < 8; times++) {
    r.transport.lastWatch.refuse(410, expired);
    const count = r.transport.requests.length;
    await r.clock.until(() => r.transport.requests.length > count, 60_000);
    await r.answerList(900 + times, []);
  }
  expect(r.clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThan(8_000);
});

test('429 on opening a watch waits for Retry-After and resumes without a list', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.refuse(429, status(429, 'TooManyRequests'), { 'retry-after': '4' });
  await r.clock.advance(3_999);
  expect(r.transport.watches).toHaveLength(1);
  await r.clock.advance(1_000);
  expect(r.transport.watches).toHaveLength(2);
  expect(r.transport.requests).toHaveLength(1);
});

test('500 on opening a watch is tried again, and after the fourth a list is taken', async () => {
  const r = await Reflecting.at(5, []);
  for (let times = 0; times < 4; times++) {
    expect(r.transport.requests).toHaveLength(1);
    r.transport.lastWatch.refuse(500, status(500, 'InternalError'));
    await r.clock.advance(10_000);
  }
  expect(r.transport.requests).toHaveLength(2);
});

test('a version that the server calls invalid leads to a list', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.refuse(400, status(400, 'BadRequest', 'invalid resource version'));
  await r.clock.advance(1_000);
  expect(r.transport.requests).toHaveLength(2);
});

test('404 on the watch (CRD removed) is asked again slowly and ends no object by itself', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.refuse(404, status(404, 'NotFound'));
  await r.clock.advance(29_999);
  expect(r.transport.requests).toHaveLength(1);
  expect(r.told()).toEqual([]);
  await r.clock.advance(1);
  await r.answerList(50, []);
  expect(r.told()).toEqual(['-a/a']);
});

// -- pause, stop, replies, health -----------------------------------------------------------------

test('a paused reflector closes its watch and makes up for what it missed on resume', async () => {
  const r = await Reflecting.at(5, [a1]);
  const paused = r.transport.lastWatch;
  r.reflector.pause();
  await r.clock.advance(120_000);
  expect(paused.wasClosed).toBe(true);
  expect(r.transport.watches).toHaveLength(1);
  r.reflector.resume();
  await r.clock.drain();
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('5');
});

test('a reflector stopped in the middle of a list tells nothing more and leaves no timer', async () => {
  const r = new Reflecting();
  r.reflector.resume();
  await r.clock.drain();
  r.reflector.stop();
  r.transport.lastRequest.answer(200, list(5, [a1]));
  await r.clock.drain();
  expect(r.told()).toEqual([]);
  expect(r.clock.pending).toBe(0);
  await expect(r.reflector.synced).rejects.toMatchObject({ code: 'STOPPING' });
});

test('an object known from a reply alone is told gone when a list lacks it', async () => {
  const r = await Reflecting.at(5, []);
  expect(r.reflector.learn(clique({ name: 'mine', version: 10 }))).toEqual({});
  r.transport.lastWatch.send('ERROR', expired);
  await r.answerList(20, []);
  expect(r.told()).toEqual(['-mine/mine']);
});

test('an object known from a reply alone outlives a list that is older than the reply', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ERROR', expired);
  await r.clock.drain();
  r.reflector.learn(clique({ name: 'mine', version: 30 }));
  await r.answerList(20, []);
  expect(r.told()).toEqual([]);
  r.transport.lastWatch.send('ADDED', clique({ name: 'mine', version: 30 }));
  expect(r.told()).toEqual(['+mine@30']);
});

test('a reply with a new UID ends the former holder of the name, whose echo is no news', async () => {
  const r = await Reflecting.at(5, [a1]);
  const { replaced } = r.reflector.learn(clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(replaced).toMatchObject({ type: 'gone', uid: 'a' });
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 6 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', version: 7 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(r.told()).toEqual(['+a@9']);
});

test('a reply that the watch has overtaken with a delete is told gone once more', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ADDED', clique({ name: 'mine', version: 6 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'mine', version: 7 }));
  const { overtaken } = r.reflector.learn(clique({ name: 'mine', version: 6 }));
  expect(overtaken).toMatchObject({ type: 'gone', uid: 'mine' });
});

test('health counts lists and watches and ages since the server was last heard', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.send('BOOKMARK', bookmark(6));
  await r.clock.advance(12_000);
  expect(r.reflector.health()).toEqual({
    kind: 'PodClique',
    phase: 'watching',
    synced: true,
    objects: 1,
    ageMs: 12_000,
    lists: 1,
    watches: 1,
    failures: 0,
    lastFailure: null,
  });
});
