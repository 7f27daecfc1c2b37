// A list on demand: what a process asks for that takes work over and cannot wait for its watch.
import { expect, test } from 'vitest';
import { clique, list, status } from '../support/objects.ts';
import { Reflecting } from '../support/reflecting.ts';

const a1 = clique({ name: 'a', version: 1 });
const b2 = clique({ name: 'b', version: 2 });
const c7 = clique({ name: 'c', version: 7 });

/** Asks; `done` tells whether it has ended. */
function asking(r: Reflecting): { readonly done: boolean } {
  const state = { done: false };
  void r.reflector.refresh().then(() => (state.done = true));
  return state;
}

test('a refresh closes the watch, lists, and watches from there', async () => {
  const r = await Reflecting.at(5, [a1, b2]);
  const watch = r.transport.lastWatch;
  const asked = asking(r);
  await r.clock.drain();
  expect(watch.isOpen).toBe(false);
  expect(asked.done).toBe(false);
  await r.answerList(9, [b2, c7]);
  expect(asked.done).toBe(true);
  expect(r.told()).toEqual(['+c@7', '-a/a']);
  expect(r.transport.lastWatch.query.get('resourceVersion')).toBe('9');
});

test('a refresh asked for during a list waits for the next, with all others who ask then', async () => {
  const r = await Reflecting.at(5, [a1]);
  const first = asking(r);
  await r.clock.drain();
  const others = [asking(r), asking(r)];
  await r.answerList(8, [a1]);
  expect([first.done, ...others.map(({ done }) => done)]).toEqual([true, false, false]);
  const count = r.transport.requests.length;
  await r.answerList(9, [a1, c7]);
  expect(others.map(({ done }) => done)).toEqual([true, true]);
  expect(r.transport.requests).toHaveLength(count);
  expect(r.told()).toEqual(['+c@7']);
});

test('a refresh outlasts lists that fail, and one from the past', async () => {
  const r = await Reflecting.at(5, [a1]);
  const asked = asking(r);
  await r.clock.drain();
  r.transport.lastRequest.answer(500, status(500, 'InternalError'));
  await r.clock.advance(1_000);
  r.transport.lastRequest.answer(200, list(4, []));
  await r.clock.advance(1_000);
  expect(asked.done).toBe(false);
  await r.answerList(9, [a1, c7]);
  expect(asked.done).toBe(true);
  expect(r.told()).toEqual(['+c@7']);
});

test('a refresh while nothing is watched is done by the list after the pause', async () => {
  const r = await Reflecting.at(5, [a1]);
  r.reflector.pause();
  const asked = asking(r);
  await r.clock.drain();
  expect(asked.done).toBe(false);
  r.reflector.resume();
  await r.clock.drain();
  await r.answerList(9, [a1, c7]);
  expect(asked.done).toBe(true);
});
