// The fault matrix of a reflector, second half: events that repeat or come late, and every way in
// which a watch can end.
import { expect, test } from 'vitest';
import { openWatch } from '#src/kube/watch/watch.ts';
import { MortalClock } from '#test/sim/faults/mortal-clock.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { bookmark, clique, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });
const expired = status(410, 'Expired', 'too old resource version: 5 (900)');

test('a watch tells of what is added, modified and deleted, in order', async () => {
  const r = await Reflecting.at(5, [a1]);
  const { lastWatch } = r.transport;
  lastWatch.send('ADDED', clique({ name: 'c', version: 6 }));
  lastWatch.send('MODIFIED', clique({ name: 'a', version: 7 }));
  lastWatch.send('DELETED', clique({ name: 'c', version: 8 }));
  expect(r.told()).toEqual(['+c@6', '+a@7', '-c/c']);
});

test('what the reply to a write has told is not looked at when the watch comes to it', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.reflector.learn(clique({ name: 'a', version: 7 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 6 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 7 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 7 }));
  expect(r.told()).toEqual(['+a@6']);
  expect(r.echoes).toEqual(['7']);
  r.transport.lastWatch.end();
  await r.clock.advance(1_000);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('7');
});

test('the end of what is known from a reply and its echo alone is told', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.reflector.learn(clique({ name: 'b', version: 6 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'b', version: 6 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'b', version: 7 }));
  expect(r.told()).toEqual(['-b/b']);
  expect(r.echoes).toEqual(['6']);
});

test('a version is looked at when the object of the reply has ended meanwhile', async () => {
  const r = await Reflecting.at(5, []);
  r.reflector.learn(clique({ name: 'a', version: 9 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'other', version: 6 }));
  r.reflector.learn(clique({ name: 'a', uid: 'third', version: 10 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 9 }));
  expect(r.echoes).toEqual([]);
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
  await r.clock.advance(2_000);
  r.transport.lastWatch.end({ kind: 'ended', error: new Error('reset') });
  await r.clock.drain();
  expect(r.transport.watches).toHaveLength(1);
  await r.clock.advance(250);
  expect(r.transport.watches).toHaveLength(2);
  expect(r.transport.requests).toHaveLength(1);
});

test('a half-open watch is noticed within 60 s of silence, and what it withheld is listed', async () => {
  const r = await Reflecting.at(5, []);
  await r.clock.advance(30_000);
  r.transport.lastWatch.send('BOOKMARK', bookmark(8));
  await r.clock.advance(54_000);
  expect(r.transport.watches).toHaveLength(1);
  await r.clock.advance(6_000);
  expect(r.transport.watches[0]?.wasClosed).toBe(true);
  await r.answerList(9, [a1]);
  expect(r.told()).toEqual(['+a@1']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('9');
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

test('404 on the watch (CRD removed) is asked again and ends no object by itself', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.transport.lastWatch.refuse(404, status(404, 'NotFound'));
  expect(r.told()).toEqual([]);
  await r.clock.advance(250);
  expect(r.transport.requests).toHaveLength(2);
  expect(r.told()).toEqual([]);
  await r.answerList(50, []);
  expect(r.told()).toEqual(['-a/a']);
});

test('a half-open watch is noticed in time though the clock was set back meanwhile', async () => {
  const world = new VirtualClock();
  const clock = new MortalClock(world);
  const ends: boolean[] = [];
  openWatch({
    transport: new ScriptedTransport(),
    clock,
    kind: 'PodClique',
    path: '/watch',
    silenceMs: 55_000,
    event: () => {},
    isEcho: () => false,
    over: ({ silent, lastedMs }) => ends.push(silent && lastedMs === 55_000),
  });
  await world.advance(20_000);
  clock.jump(-3_600_000);
  await world.advance(35_000);
  expect(ends).toEqual([true]);
});
