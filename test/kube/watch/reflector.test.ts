// The life of a reflector: pause, stop, what replies teach it, and its health.
import { expect, test } from 'vitest';
import { bookmark, clique, list, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const expired = status(410, 'Expired', 'too old resource version: 5 (900)');

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

test('a listener that throws costs nobody the facts that follow', async () => {
  const r = await Reflecting.at(5, []);
  r.failNext = true;
  r.transport.lastWatch.send('ADDED', clique({ name: 'b', version: 6 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'c', version: 7 }));
  expect(r.told()).toEqual(['+c@7']);
  expect(r.logged.at(-1)).toMatchObject({ level: 'error', error: 'Error: the listener failed' });
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
  expect(r.echoes).toEqual(['30']);
});

test('a reply with a new UID ends the former holder of the name, whose echo is no news', async () => {
  const r = await Reflecting.at(5, [a1]);
  const { replaced } = r.reflector.learn(clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(replaced).toMatchObject({ type: 'gone', uid: 'a' });
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 6 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', version: 7 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'a2', version: 9 }));
  expect(r.told()).toEqual([]);
  expect(r.echoes).toEqual(['9']);
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
