// The contract of BusPort as tests, run against every implementation (memory.test.ts, nats.test.ts).
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Answer, Ask, BusPort, Envelope } from '#actors/ports.ts';
import { decodeEnvelope, decodeFact, encodeEnvelope } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
import { envelopeTo, factOf, key } from '#test/support/bus.ts';
import type { BusWorld } from './world.ts';

const ask = (question: Ask['question'] = 'state', payload: Ask['payload'] = {}): Ask => ({
  about: key('demo-0-worker'),
  question,
  payload,
});
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const tooLarge = 'x'.repeat(busLimits.maxMessageBytes);

interface Scene {
  readonly world: () => BusWorld;
  readonly alice: () => BusPort;
  readonly bob: () => BusPort;
}

/** To be called within the `describe` of an implementation. */
export function busConformance(makeWorld: () => Promise<BusWorld>): void {
  let world: BusWorld;
  let alice: BusPort;
  let bob: BusPort;
  beforeEach(async () => {
    world = await makeWorld();
    alice = await world.join('alice');
    bob = await world.join('bob');
  });
  afterEach(() => world.close());
  const scene: Scene = { world: () => world, alice: () => alice, bob: () => bob };
  facts(scene);
  tells(scene);
  asks(scene);
  forgeries(scene);
  ends(scene);
}

function facts({ world, alice }: Scene): void {
  it('publishes a fact on its subject, as it was at that moment', async () => {
    const data = { from: 'pending', to: 'ready' };
    alice().fact(factOf(key('a.b'), data));
    data.to = 'changed later';
    await world().until(() => world().seen.length === 1);
    const [seen] = world().seen;
    expect(seen?.subject).toBe('coppice.fact.podclique.default.a%2Eb.transition');
    expect(decodeFact(seen?.bytes ?? new Uint8Array())).toEqual({
      ok: true,
      value: factOf(key('a.b'), { from: 'pending', to: 'ready' }),
    });
    expect(alice().state()).toMatchObject({ connected: true, published: 1, dropped: 0 });
  });

  it('publishes facts in the order in which they happened', async () => {
    const ids = Array.from({ length: 500 }, (_, index) => `f-${index}`);
    for (const id of ids) alice().fact(factOf(key('a'), {}, id));
    await world().until(() => world().seen.length === ids.length);
    const seen = world().seen.map(({ bytes }) => decodeFact(bytes));
    expect(seen.map((fact) => (fact.ok ? fact.value.id : fact.problem))).toEqual(ids);
  });

  it('publishes a fact with too much data without the data', async () => {
    alice().fact(factOf(key('a'), { log: tooLarge }));
    await world().until(() => world().seen.length === 1);
    const fact = decodeFact(world().seen[0]?.bytes ?? new Uint8Array());
    expect(fact.ok && Object.keys(fact.value.data)).toEqual(['omitted']);
  });

  it('drops and counts a fact of a name that fits no subject', () => {
    alice().fact(factOf(key('x'.repeat(5_000))));
    expect(alice().state()).toMatchObject({ published: 0, dropped: 1 });
  });
}

function tells({ world, alice, bob }: Scene): void {
  const hears = (member: BusPort): Envelope[] => {
    const heard: Envelope[] = [];
    member.onTell((envelope) => heard.push(envelope));
    return heard;
  };

  it('hands a message to every member that listens, the sender too, once, as a copy', async () => {
    const [atAlice, atBob] = [hears(alice()), hears(bob())];
    await world().settle();
    const sent = envelopeTo(key('a.b *>'), 'm-1', { pods: ['p-1'] });
    expect(alice().tell(sent)).toBe(true);
    await world().until(() => atAlice.length > 0 && atBob.length > 0);
    await world().settle();
    expect([atAlice, atBob]).toEqual([[sent], [sent]]);
    expect(atAlice[0]).not.toBe(sent);
    expect(atAlice[0]?.message).not.toBe(sent.message);
  });

  it('keeps the messages of one sender in order', async () => {
    const heard = hears(bob());
    await world().settle();
    const ids = Array.from({ length: 500 }, (_, index) => `m-${index}`);
    for (const id of ids) alice().tell(envelopeTo(key('a'), id));
    await world().until(() => heard.length === ids.length);
    expect(heard.map((envelope) => envelope.id)).toEqual(ids);
  });

  it('shows a copy to those who watch, and hands it to nobody', async () => {
    const heard = hears(bob());
    await world().settle();
    alice().copy(envelopeTo(key('a'), 'copied'));
    alice().tell(envelopeTo(key('a'), 'told'));
    await world().until(() => heard.length > 0 && world().seen.length === 2);
    expect(heard.map((envelope) => envelope.id)).toEqual(['told']);
    const seen = world().seen.map(({ bytes }) => decodeEnvelope(bytes));
    expect(seen.map((posted) => posted.ok && posted.value.copy)).toEqual([true, false]);
  });

  it('hands nothing more to a handler that was taken away', async () => {
    const heard: string[] = [];
    const remove = bob().onTell((envelope) => heard.push(envelope.id));
    const kept = hears(bob());
    await world().settle();
    remove();
    alice().tell(envelopeTo(key('a')));
    await world().until(() => kept.length === 1);
    expect(heard).toEqual([]);
  });

  it('goes on when a handler throws', async () => {
    bob().onTell(() => {
      throw new Error('this handler is broken');
    });
    const heard = hears(bob());
    await world().settle();
    alice().tell(envelopeTo(key('a'), 'm-1'));
    alice().tell(envelopeTo(key('a'), 'm-2'));
    await world().until(() => heard.length === 2);
  });

  it('does not send a message that is too large, and says so', () => {
    expect(alice().tell(envelopeTo(key('a'), 'm-1', { log: tooLarge }))).toBe(false);
  });
}

function asks({ world, alice, bob }: Scene): void {
  it('answers a question with what the handler says, good or bad', async () => {
    const asked: Ask[] = [];
    bob().onAsk((question) => {
      asked.push(question);
      const bad: Answer = { ok: false, code: 'NOT_FOUND', message: 'no such actor\nhere: ä' };
      return Promise.resolve(question.question === 'why' ? { ok: true, data: { a: [1] } } : bad);
    });
    await world().settle();
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
    await world().settle();
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
    await world().settle();
    stop();
    await world().settle();
    expect(await world().during(0, alice().ask(ask(), 60_000))).toMatchObject({
      ok: false,
      code: 'UNREACHABLE',
    });
  });

  it('says UNREACHABLE when no answer came in time', async () => {
    bob().onAsk(() => new Promise<Answer>(() => undefined));
    await world().settle();
    const answer = await world().during(50, alice().ask(ask(), 50));
    expect(answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(answer.ok ? '' : answer.message).toContain('no answer within 50 ms');
  });

  it('says ASSERTION when the handler rejects', async () => {
    bob().onAsk(() => Promise.reject(new Error('out of order')));
    await world().settle();
    expect(await world().during(0, alice().ask(ask(), 2_000))).toEqual({
      ok: false,
      code: 'ASSERTION',
      message: 'out of order',
    });
  });

  it('refuses a payload and an answer that are too large', async () => {
    bob().onAsk(() => Promise.resolve({ ok: true, data: { log: tooLarge } }));
    await world().settle();
    const refused = await world().during(0, alice().ask(ask('state', { log: tooLarge }), 2_000));
    expect(refused).toMatchObject({ ok: false, code: 'MALFORMED' });
    const answered = await world().during(0, alice().ask(ask(), 2_000));
    expect(answered).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('answers THROTTLED beyond the questions that it answers at a time', async () => {
    bob().onAsk(() => new Promise<Answer>(() => undefined));
    await world().settle();
    const count = busLimits.concurrentAsks + 5;
    const all = Promise.all(Array.from({ length: count }, () => alice().ask(ask(), 500)));
    const answers = await world().during(500, all);
    const codes = answers.map((answer) => (answer.ok ? '' : answer.code));
    expect(codes.filter((code) => code === 'THROTTLED')).toHaveLength(5);
  });
}

function forgeries({ world, alice, bob }: Scene): void {
  it('refuses and counts messages that are forged, broken or too large, and hears the rest', async () => {
    const heard: string[] = [];
    bob().onTell((envelope) => heard.push(envelope.id));
    await world().settle();
    const good = encodeEnvelope(envelopeTo(key('a')), false);
    const subject = 'coppice.tell.3.podclique.default.a';
    const hostile: readonly (readonly [string, Uint8Array])[] = [
      [subject, new Uint8Array()],
      [subject, bytesOf('not json')],
      [subject, bytesOf('{"v":99}')],
      [subject, bytesOf('{"v":1,"copy":false,"__proto__":{"id":"x"}}')],
      [subject, bytesOf(`{"v":1,"pad":"${tooLarge}"}`)],
      ['coppice.tell.3.podclique.default.b', good.ok ? good.value : new Uint8Array()],
      ['coppice.tell.9.podclique.default.a', good.ok ? good.value : new Uint8Array()],
      ['coppice.tell.3.pod.default.a', good.ok ? good.value : new Uint8Array()],
    ];
    for (const [where, bytes] of hostile) world().inject(where, bytes);
    alice().tell(envelopeTo(key('a'), 'm-good'));
    await world().until(() => heard.length === 1 && world().rejected(bob()) === hostile.length);
    expect(heard).toEqual(['m-good']);
  });
}

function ends({ world, alice, bob }: Scene): void {
  it('neither throws nor sends once it is closed, and closes twice', async () => {
    const heard: string[] = [];
    bob().onTell((envelope) => heard.push(envelope.id));
    await world().settle();
    await world().during(0, alice().close());
    await world().during(0, alice().close());
    alice().fact(factOf(key('a')));
    alice().copy(envelopeTo(key('a')));
    expect(alice().tell(envelopeTo(key('a')))).toBe(false);
    expect(await alice().ask(ask(), 1_000)).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(alice().state()).toMatchObject({ connected: false, roundTripMs: null });
    expect(alice().state().dropped).toBeGreaterThanOrEqual(2);
    await world().settle();
    expect([heard, world().seen]).toEqual([[], []]);
  });

  it('sends what it was given before it was closed', async () => {
    for (let i = 0; i < 100; i++) alice().fact(factOf(key('a'), {}, `f-${i}`));
    await world().during(0, alice().close());
    await world().until(() => world().seen.length === 100);
  });
}
