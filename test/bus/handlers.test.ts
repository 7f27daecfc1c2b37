// What a process makes of messages and questions that reach it: who hears them, what is refused and
// counted, how many are answered at a time, and what a handler that fails costs.
import { describe, expect, it } from 'vitest';
import type { Answer, Ask, Envelope } from '#actors/ports.ts';
import { encodeEnvelope } from '#bus/codec.ts';
import { HandlerRegistry, readInbound } from '#bus/handlers.ts';
import { busLimits } from '#bus/limits.ts';
import { formatSubject, type Subject } from '#bus/subjects.ts';
import { envelopeTo, key } from '#test/support/bus/samples.ts';

const subjectOf = (subject: Subject): string => {
  const text = formatSubject(subject);
  if (!text.ok) throw new Error(text.problem);
  return text.value;
};
const bytesOf = (envelope: Envelope, isCopy = false): Uint8Array => {
  const bytes = encodeEnvelope(envelope, isCopy);
  if (!bytes.ok) throw new Error(bytes.problem);
  return bytes.value;
};
const jsonOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const nothing = new Uint8Array();

const message = envelopeTo(key('a'));
const tell = subjectOf({ type: 'tell', shard: message.shard, to: message.to });
const asking = (question: string): string => subjectOf({ type: 'ask', about: key('a'), question });

function registry() {
  const logged: string[] = [];
  const handlers = new HandlerRegistry((level, text, fields) =>
    logged.push(`${level} ${text} ${JSON.stringify(fields)}`),
  );
  return { handlers, logged };
}

describe('A message', () => {
  it('is heard by each handler as often as it was added, until it is taken away', async () => {
    const { handlers } = registry();
    const heard: string[] = [];
    const handler = ({ id }: Envelope): void => void heard.push(id);
    const remove = handlers.addTell(handler);
    handlers.addTell(handler);
    expect(handlers.receive(tell, bytesOf(message))).toBeUndefined();
    expect(heard).toEqual(['m-1', 'm-1']);
    remove();
    expect(handlers.hearsTells).toBe(true);
    void handlers.receive(tell, bytesOf(message));
    expect(heard).toHaveLength(3);
    handlers.setAsk(() => Promise.resolve({ ok: true, data: {} }));
    handlers.clear();
    expect([handlers.hearsTells, handlers.answers]).toEqual([false, false]);
    void handlers.receive(tell, bytesOf(message));
    expect(heard).toHaveLength(3);
  });

  it.each([
    [false, 1],
    [true, 0],
    [undefined, 0],
    [7, 0],
  ])('of which a handler says %s counts as refused %i times', (said, rejected) => {
    const { handlers, logged } = registry();
    handlers.addTell(() => said);
    void handlers.receive(tell, bytesOf(message));
    const problem = 'the handler does not believe it';
    expect([handlers.rejected, handlers.failed]).toEqual([rejected, 0]);
    expect(logged).toEqual(
      Array(rejected).fill(`debug refused a message ${JSON.stringify({ subject: tell, problem })}`),
    );
  });

  it('reaches the other handlers where one throws, which is logged as an error', () => {
    const { handlers, logged } = registry();
    const heard: string[] = [];
    handlers.addTell(() => {
      throw new Error('broken');
    });
    handlers.addTell(({ id }) => heard.push(id));
    void handlers.receive(tell, bytesOf(message));
    expect([heard, handlers.failed, handlers.rejected]).toEqual([['m-1'], 1, 0]);
    const fields = { subject: tell, error: 'Error: broken' };
    expect(logged).toEqual([`error a handler of messages threw ${JSON.stringify(fields)}`]);
  });

  it('that is a copy is heard by nobody, and refused by nobody', () => {
    const { handlers } = registry();
    handlers.addTell(() => expect.fail('it is for people'));
    expect(handlers.receive(tell, bytesOf(message, true))).toBeUndefined();
    expect(handlers.rejected).toBe(0);
  });
});

describe('What reaches a process', () => {
  const elsewhere = { ...message, shard: message.shard + 1 };
  const other = { ...message, to: key('b') };
  it.each<[string, string, Uint8Array, string]>([
    ['another shard', tell, bytesOf(elsewhere), 'shard: is 4, the subject says 3'],
    [
      'another actor',
      tell,
      bytesOf(other),
      'to: is podclique/default/b, the subject says podclique/default/a',
    ],
    ['a fact', subjectOf({ type: 'fact', about: key('a'), what: 'ended' }), nothing, 'for facts'],
    ['no envelope', tell, jsonOf({ v: 1 }), 'copy: must be true or false, is missing'],
    ['no object', asking('why'), jsonOf([]), 'must be an object, is a list'],
    ['no subject of ours', 'coppice.tell.x.podclique.default.a', nothing, 'subject.shard'],
  ])('and is of %s is refused, and answered with why', async (_what, subject, bytes, problem) => {
    const { handlers, logged } = registry();
    const answer = await handlers.receive(subject, bytes);
    expect(answer).toEqual({
      ok: false,
      code: 'MALFORMED',
      message: expect.stringContaining(problem),
    });
    expect(handlers.rejected).toBe(1);
    expect(logged[0]).toContain('debug refused a message');
  });

  it('is logged with the first 256 characters of its subject', async () => {
    const { handlers, logged } = registry();
    const long = `coppice.${'x'.repeat(300)}`;
    await handlers.receive(long, nothing);
    expect(JSON.parse(logged[0]?.slice('debug refused a message '.length) ?? '')).toMatchObject({
      subject: long.slice(0, 256),
    });
  });

  it('is a question with its payload, handed on where it is for the owner of a shard', () => {
    const about = key('a');
    const ask = { about, question: 'why', payload: { a: 1 } };
    const owner = subjectOf({ type: 'owner', shard: 3, about, question: 'why' });
    const payload = jsonOf({ a: 1 });
    expect(readInbound(asking('why'), payload)).toEqual({
      ok: true,
      value: { type: 'question', ask },
    });
    expect(readInbound(owner, payload)).toEqual({
      ok: true,
      value: { type: 'question', ask: { ...ask, handedOn: true } },
    });
    expect(readInbound(asking('why'), nothing)).toMatchObject({ value: { ask: { payload: {} } } });
  });
});

describe('A question', () => {
  const fine: Answer = { ok: true, data: { a: 1 } };

  it('is answered by the handler that came last, as long as there is one', async () => {
    const { handlers } = registry();
    const nobody = { ok: false, code: 'UNREACHABLE' };
    expect(await handlers.receive(asking('why'), nothing)).toMatchObject(nobody);
    const removeFirst = handlers.setAsk(() => Promise.resolve(fine));
    const asked: Ask[] = [];
    const remove = handlers.setAsk((ask) => {
      asked.push(ask);
      return Promise.resolve({ ok: true, data: {} });
    });
    removeFirst();
    expect(handlers.answers).toBe(true);
    expect(await handlers.receive(asking('why'), nothing)).toEqual({ ok: true, data: {} });
    expect(asked).toEqual([{ about: key('a'), question: 'why', payload: {} }]);
    remove();
    expect(handlers.answers).toBe(false);
    expect(await handlers.receive(asking('why'), nothing)).toMatchObject(nobody);
  });

  it('is answered with ASSERTION where its handler rejects, which is logged as an error', async () => {
    const { handlers, logged } = registry();
    handlers.setAsk(() => Promise.reject(new Error('broken')));
    const answer = await handlers.receive(asking('why'), nothing);
    expect(answer).toEqual({ ok: false, code: 'ASSERTION', message: 'broken' });
    expect([handlers.failed, handlers.rejected]).toEqual([1, 0]);
    const fields = { subject: asking('why'), error: 'Error: broken' };
    expect(logged).toEqual([`error a handler of questions threw ${JSON.stringify(fields)}`]);
  });

  it.each([
    ['that every actor answers', 'why', busLimits.concurrentAsks],
    ['of a behaviour, for which half of the room is', 'join', busLimits.concurrentAsks / 2],
  ])('%s is put off where as many are open as may be', async (_what, question, room) => {
    const { handlers } = registry();
    const open: ((answer: Answer) => void)[] = [];
    handlers.setAsk(() => new Promise((resolve) => open.push(resolve)));
    const given = Array.from({ length: room }, () => handlers.receive(asking(question), nothing));
    expect(await handlers.receive(asking(question), nothing)).toEqual({
      ok: false,
      code: 'THROTTLED',
      message: '256 questions are being answered already',
    });
    expect(open).toHaveLength(room);
    open[0]?.(fine);
    expect(await given[0]).toEqual(fine);
    const next = handlers.receive(asking(question), nothing);
    expect(open).toHaveLength(room + 1);
    for (const answer of open) answer(fine);
    expect(await next).toEqual(fine);
  });
});
