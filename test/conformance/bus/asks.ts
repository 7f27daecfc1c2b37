// The part of the bus contract that is about questions; run by suite.ts.
import { expect, it } from 'vitest';
import type { Answer, Ask } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';
import { key } from '#test/support/bus/samples.ts';
import type { Scene } from './world.ts';
import { tooLarge } from './world.ts';

const ask = (question: Ask['question'] = 'state', payload: Ask['payload'] = {}): Ask => ({
  about: key('demo-0-worker'),
  question,
  payload,
});

export function asks({ world, alice, bob }: Scene): void {
  it('answers a question with what the handler says, good or bad', async () => {
    const asked: Ask[] = [];
    bob().onAsk((question) => {
      asked.push(question);
      const bad: Answer = { ok: false, code: 'NOT_FOUND', message: 'no such actor\nhere: ä' };
      return Promise.resolve(question.question === 'why' ? { ok: true, data: { a: [1] } } : bad);
    });
    await world().stabilize();
    expect(await world().during(0, alice().ask(ask('why', { deep: { n: 1 } }), 2_000))).toEqual({
      ok: true,
      data: { a: [1] },
    });
    expect(await world().during(0, alice().ask(ask('park'), 2_000))).toEqual({
      ok: false,
      code: 'NOT_FOUND',
      message: 'no such actor\nhere: ä',
    });
    expect(asked).toEqual([ask('why', { deep: { n: 1 } }), ask('park')]);
  });

  it('asks one of those who serve, the asking process too', async () => {
    const counts = { alice: 0, bob: 0 };
    alice().onAsk(() => Promise.resolve({ ok: true, data: { n: ++counts.alice } }));
    bob().onAsk(() => Promise.resolve({ ok: true, data: { n: ++counts.bob } }));
    await world().stabilize();
    const all = Promise.all(Array.from({ length: 40 }, () => alice().ask(ask(), 2_000)));
    const answers = await world().during(0, all);
    expect(answers.every((answer) => answer.ok)).toBe(true);
    expect(counts.alice + counts.bob).toBe(40);
    expect(Math.min(counts.alice, counts.bob)).toBeGreaterThan(0);
  });

  it('says UNREACHABLE at once where nobody serves, also not any more', async () => {
    expect(await world().during(0, alice().ask(ask(), 60_000))).toMatchObject({
      ok: false,
      code: 'UNREACHABLE',
    });
    const stop = bob().onAsk(() => Promise.resolve({ ok: true, data: {} }));
    await world().stabilize();
    stop();
    await world().stabilize();
    expect(await world().during(0, alice().ask(ask(), 60_000))).toMatchObject({
      ok: false,
      code: 'UNREACHABLE',
    });
  });
}

export function refusals({ world, alice, bob }: Scene): void {
  it('says UNREACHABLE when no answer came in time', async () => {
    bob().onAsk(() => new Promise<Answer>(() => undefined));
    await world().stabilize();
    const answer = await world().during(50, alice().ask(ask(), 50));
    expect(answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(answer.ok ? '' : answer.message).toContain('no answer within 50 ms');
  });

  it('says ASSERTION when the handler rejects', async () => {
    bob().onAsk(() => Promise.reject(new Error('out of order')));
    await world().stabilize();
    expect(await world().during(0, alice().ask(ask(), 2_000))).toEqual({
      ok: false,
      code: 'ASSERTION',
      message: 'out of order',
    });
  });

  it('answers any number of questions, one after the other', async () => {
    bob().onAsk(({ payload }) => Promise.resolve({ ok: true, data: payload }));
    await world().stabilize();
    for (let round = 0; round < 2; round++) {
      const each = Array.from({ length: busLimits.concurrentAsks - 1 }, (_, n) => ({ n, round }));
      const all = Promise.all(each.map((payload) => alice().ask(ask('why', payload), 5_000)));
      const answers = await world().during(0, all);
      expect(answers).toEqual(each.map((data) => ({ ok: true, data })));
    }
  });

  it('refuses a payload and an answer that are too large', async () => {
    bob().onAsk(() => Promise.resolve({ ok: true, data: { log: tooLarge } }));
    await world().stabilize();
    const refused = await world().during(0, alice().ask(ask('state', { log: tooLarge }), 2_000));
    expect(refused).toMatchObject({ ok: false, code: 'MALFORMED' });
    const answered = await world().during(0, alice().ask(ask(), 2_000));
    expect(answered).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('answers THROTTLED beyond the questions that it answers at a time', async () => {
    bob().onAsk(() => new Promise<Answer>(() => undefined));
    await world().stabilize();
    const count = busLimits.concurrentAsks + 5;
    const all = Promise.all(Array.from({ length: count }, () => alice().ask(ask(), 500)));
    const answers = await world().during(500, all);
    const codes = answers.map((answer) => (answer.ok ? '' : answer.code));
    expect(codes.filter((code) => code === 'THROTTLED')).toHaveLength(5);
  });
}

/** Questions that one process hands on to another. */
export function handedOn({ world, alice, bob }: Scene): void {
  it('asks the owner of a shard, and says UNREACHABLE at once where there is none', async () => {
    const asked: Ask[] = [];
    for (const [name, bus] of Object.entries({ alice: alice(), bob: bob() })) {
      bus.onAsk((question) => {
        asked.push(question);
        return Promise.resolve({ ok: true, data: { name } });
      });
    }
    alice().own?.(new Set([1, 2]));
    bob().own?.(new Set([3]));
    await world().stabilize();
    const askOwner = (shard: number) =>
      world().during(
        0,
        Promise.resolve(alice().askOwner?.(shard, ask('why', { n: shard }), 2_000)),
      );
    expect(await askOwner(2)).toEqual({ ok: true, data: { name: 'alice' } });
    expect(await askOwner(3)).toEqual({ ok: true, data: { name: 'bob' } });
    expect(asked.at(-1)).toEqual({ ...ask('why', { n: 3 }), handedOn: true });
    bob().own?.(new Set());
    await world().stabilize();
    expect(await askOwner(3)).toMatchObject({ ok: false, code: 'UNREACHABLE' });
  });
}
