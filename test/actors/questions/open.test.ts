// Questions that a behaviour answers later: one answer each, whatever becomes of the actor.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { Questions } from '#actors/questions/open.ts';
import { Actor } from '#actors/run/actor.ts';
import type { Question } from '#machines/contract/question.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { setKey } from '../fixtures/facts.ts';

const join: Question = {
  description: 'the index of a node',
  payload: {
    properties: {
      node: { type: 'string', minLength: 1, maxLength: 10 },
      index: { type: 'integer', minimum: 0, maximum: 17 },
      isNew: { type: 'boolean' },
    },
    required: ['node'],
  },
};

function handlers(limits = defaultLimits) {
  const [behaviour] = behaviours;
  if (behaviour === undefined) throw new Error('no behaviour');
  const clock = new VirtualClock();
  let ids = 0;
  const questions = new Questions({ limits, ports: { clock, ids: { next: () => `q${++ids}` } } });
  const place = { key: setKey('demo'), root: setKey('demo'), shard: 0 };
  const actor = new Actor(place, { ...behaviour, questions: new Map([['join', join]]) });
  const asked: string[] = [];
  const ask = (payload = {}, question = 'join') =>
    questions.ask(actor, { about: actor.key, question, payload }, ({ type, id }) =>
      asked.push(type === 'question.asked' ? id : `not ${id}`),
    );
  return { clock, questions, actor, asked, ask };
}

const yes = { ok: true, data: { index: 3 } } as const;

describe('A question', () => {
  it('has the answer of its actor, once', async () => {
    const { questions, actor, asked, ask } = handlers();
    const [one, two] = [ask({ node: 'a' }), ask({ node: 'b' })];
    expect(asked).toEqual(['q1', 'q2']);
    questions.answer(actor, 'q2', { ok: true, data: {} });
    questions.answer(actor, 'q1', yes);
    questions.answer(actor, 'q1', { ok: true, data: { index: 4 } });
    expect([await one, await two]).toEqual([yes, { ok: true, data: {} }]);
  });

  it('is not answered by another actor', async () => {
    const { clock, questions, actor, ask } = handlers();
    const answer = ask({ node: 'a' });
    questions.answer({ ...actor }, 'q1', yes);
    await clock.advance(defaultLimits.answerMs);
    expect(await answer).toMatchObject({ ok: false, code: 'SERVER_ERROR' });
  });

  it.each([
    ['lacks a field', {}, 'payload.node is missing: it must be a string of 1 to 10 characters'],
    ['has an empty one', { node: '' }, 'payload.node is "": it must be'],
    ['has one too long', { node: 'x'.repeat(11) }, 'of 1 to 10 characters'],
    [
      'has a number too large',
      { node: 'a', index: 18 },
      'payload.index is 18: it must be an integer from 0 to 17',
    ],
    ['has half a number', { node: 'a', index: 0.5 }, 'payload.index is 0.5'],
    ['has a word for a switch', { node: 'a', isNew: 'yes' }, 'it must be true or false'],
    [
      'has more fields',
      { node: 'a', rack: 1 },
      'payload.rack is not a field; there is node, index, isNew',
    ],
  ])('whose payload %s is refused, and handed to nobody', async (_what, payload, message) => {
    const { asked, ask } = handlers();
    expect(await ask(payload)).toMatchObject({ code: 'MALFORMED' });
    expect(await ask(payload)).toHaveProperty('message', expect.stringContaining(message));
    expect(asked).toEqual([]);
  });

  it('that there is not is answered with those that there are', async () => {
    const { ask } = handlers();
    expect(await ask({}, 'leave')).toEqual({
      ok: false,
      code: 'MALFORMED',
      message:
        'a podcliqueset has no question "leave"; it answers state, why, history, trace, park, unpark, join',
    });
  });

  it('is given up when its time is over, and when its actor ends, crashes or is parked', async () => {
    const { clock, questions, actor, asked, ask } = handlers();
    const late = ask({ node: 'a' });
    await clock.advance(defaultLimits.answerMs);
    expect(await late).toHaveProperty(
      'message',
      expect.stringContaining('within 10000 ms: ask again'),
    );
    expect(asked).toEqual(['q1', 'not q1']);
    const left = ask({ node: 'a' });
    questions.forget(actor, 'has ended');
    expect(await left).toMatchObject({
      code: 'SERVER_ERROR',
      message: 'podcliqueset/default/demo has ended: ask again',
    });
    actor.mode = 'parked';
    expect(await ask({ node: 'a' })).toMatchObject({ code: 'SERVER_ERROR' });
  });

  it('beyond the bound is refused, and what is open ends with the process', async () => {
    const { questions, ask } = handlers({ ...defaultLimits, openQuestions: 1 });
    const open = ask({ node: 'a' });
    expect(await ask({ node: 'b' })).toMatchObject({ code: 'THROTTLED' });
    questions.stop();
    expect(await open).toMatchObject({ code: 'STOPPING' });
  });
});
