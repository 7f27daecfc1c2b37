// Events of one watch that are out of order, which no API server does: the newest of each object
// counts, and what has ended stays so.
import { expect, test } from 'vitest';
import { clique } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });

test('an event that one of another object overtook is told', async () => {
  const r = await Reflecting.at(5, [a1, b2]);
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'b', version: 9 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 8 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'c', version: 7 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 6 }));
  expect(r.told()).toEqual(['+b@9', '+a@8', '+c@7']);
  await r.clock.advance(2_000);
  r.transport.lastWatch.end();
  await r.clock.drain();
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('9');
});

test('a reply whose event is overtaken is not taken for the end of its object', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ADDED', clique({ name: 'b', version: 9 }));
  expect(r.reflector.learn(clique({ name: 'a', version: 8 }))).toEqual({});
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', version: 8 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'a', version: 10 }));
  expect(r.told()).toEqual(['+b@9', '+a@10']);
});

test('the end of an object that comes before its beginning is believed', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('DELETED', clique({ name: 'c', version: 8 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'c', version: 6 }));
  r.transport.lastWatch.send('MODIFIED', clique({ name: 'c', version: 7 }));
  expect(r.told()).toEqual([]);
  expect(r.reflector.health().objects).toBe(0);
});

test('an event that came late and tells of a former holder of the name is no news', async () => {
  const r = await Reflecting.at(5, []);
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'a2', version: 9 }));
  r.transport.lastWatch.send('ADDED', clique({ name: 'a', uid: 'a1', version: 6 }));
  r.transport.lastWatch.send('DELETED', clique({ name: 'a', uid: 'a1', version: 8 }));
  expect(r.told()).toEqual(['+a@9']);
});
