// Messages as bytes: what was written is read, and nothing that is sent makes a decoder throw.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '#actors/ports.ts';
import * as codec from '#bus/codec.ts';
import { decodeErrorText } from '#bus/decoded.ts';
import type { Decoded } from '#bus/decoded.ts';
import { readInbound } from '#bus/handlers.ts';
import { busLimits } from '#bus/limits.ts';
import { formatSubject } from '#bus/subjects.ts';
import { encodeRecord, encodeSummed, wireVersion } from '#bus/wire.ts';
import { errorTable } from '#machines/contract/errors.ts';
import { allActorKinds } from '#machines/kinds.ts';
import {
  anyData,
  anyEnvelope,
  anyFact,
  envelopeTo,
  factOf,
  key,
} from '#test/support/bus/samples.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const damaged = Uint8Array.from(bytes);
  damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return damaged;
}

function get<T>(result: Decoded<T>): T {
  if (!result.ok) throw new Error(decodeErrorText(result));
  return result.value;
}

const decoders = {
  fact: codec.decodeFact,
  envelope: codec.decodeEnvelope,
  payload: codec.decodePayload,
  answer: codec.decodeAnswer,
};

describe('the codec', () => {
  it('reads the facts that it wrote', () => {
    fc.assert(
      fc.property(anyFact, (fact) => {
        expect(get(codec.decodeFact(get(codec.encodeFact(fact))))).toEqual(fact);
      }),
    );
  });

  it('reads the envelopes that it wrote, and whether they are copies', () => {
    fc.assert(
      fc.property(anyEnvelope, fc.boolean(), (envelope, copy) => {
        const bytes = get(codec.encodeEnvelope(envelope, copy));
        expect(get(codec.decodeEnvelope(bytes))).toEqual({ envelope, copy });
        expect(codec.isPlainlyCopy(bytes)).toBe(copy);
      }),
    );
  });

  it('reads the answers that it wrote', () => {
    const codes = fc.constantFrom(...Object.keys(errorTable));
    const anyAnswer = fc.oneof(
      anyData.map((data) => ({ ok: true, data })),
      fc.record({ ok: fc.constant(false), code: codes, message: fc.string() }),
    );
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        const bytes = bytesOf(JSON.stringify({ v: wireVersion, ...answer }));
        const read = get(codec.decodeAnswer(bytes));
        expect(read).toEqual(answer);
        expect(get(codec.decodeAnswer(codec.encodeAnswer(read)))).toEqual(answer);
      }),
    );
  });

  it('never throws at bytes, whatever they are', () => {
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(bytesOf),
      anyData.map((data) => bytesOf(JSON.stringify({ v: wireVersion, ...data }))),
    );
    fc.assert(
      fc.property(anyBytes, fc.constantFrom(...Object.values(decoders)), (bytes, decode) => {
        const result = decode(bytes);
        if (!result.ok) expect(result.problem).not.toBe('');
      }),
    );
  });

  it('never throws at a good message with one field replaced, and names the field', () => {
    const fields = ['id', 'cause', 'trace', 'to', 'root', 'shard', 'epoch', 'view', 'key', 'value'];
    const wrong = fc.constantFrom(null, [], 1.5, -1, true, { kind: 'pod' }, 'x'.repeat(3_000));
    fc.assert(
      fc.property(fc.constantFrom(...fields), wrong, (field, value) => {
        const good = JSON.parse(
          new TextDecoder().decode(get(codec.encodeEnvelope(envelopeTo(key('a')), false))),
        );
        const result = codec.decodeEnvelope(bytesOf(JSON.stringify({ ...good, [field]: value })));
        expect(result.ok).toBe(false);
        if (!result.ok) expect(result.field.split('.')[0]).toBe(field);
      }),
    );
  });

  it.each([
    ['{', '', 'is not JSON'],
    ['\u0000', '', 'is not JSON'],
    ['[1]', '', 'must be an object, is a list'],
    ['null', '', 'must be an object, is null'],
    ['{}', 'v', 'must be 1, is missing'],
    ['{"v":2}', 'v', 'must be 1, is 2'],
    ['{"v":"1"}', 'v', 'must be 1, is "1"'],
    ['{"v":1}', 'id', 'must be a string, is missing'],
    ['{"v":1,"id":"a","cause":"","trace":"","at":"now"}', 'at', 'must be a number, is "now"'],
    ['{"v":1,"id":"a","cause":"","trace":"","at":1e999}', 'at', 'must be a number, is Infinity'],
    [
      '{"v":1,"id":"a","cause":"","trace":"","at":1,"about":{"kind":"pod"}}',
      'about.kind',
      `must be one of ${allActorKinds().join(', ')}, is "pod"`,
    ],
  ])('says of %j which field is wrong and how', (text, field, problem) => {
    const result = codec.decodeFact(bytesOf(text));
    expect(result).toMatchObject({ ok: false, field });
    expect(result.ok ? '' : result.problem).toContain(problem);
  });

  it('takes fields that it does not know', () => {
    const fact = factOf(key('a'));
    const bytes = bytesOf(JSON.stringify({ v: wireVersion, ...fact, mood: 'good' }));
    expect(get(codec.decodeFact(bytes))).toEqual(fact);
  });

  it('leaves out what would replace a prototype, however it is spelled', () => {
    for (const name of ['__proto__', '\\u005f_proto__', '__prot\\u006f__']) {
      const payload = get(codec.decodePayload(bytesOf(`{"a":{"${name}":{"evil":1},"b":2}}`)));
      const inner = payload['a'];
      expect(JSON.stringify(inner)).toBe('{"b":2}');
      expect(Object.assign({}, inner)).not.toHaveProperty('evil');
    }
  });

  it('refuses broken UTF-8, endless nesting and messages beyond the limit', () => {
    expect(codec.decodeFact(Uint8Array.of(0x7b, 0xff, 0x7d)).ok).toBe(false);
    expect(codec.decodePayload(bytesOf('['.repeat(200_000))).ok).toBe(false);
    const large = codec.decodePayload(new Uint8Array(busLimits.maxMessageBytes + 1));
    expect(large.ok ? '' : large.problem).toContain('must have at most 262144 bytes, has 262145');
  });

  it('writes a fact without its data when the data is too large', () => {
    const fact = factOf(key('a'), { log: 'x'.repeat(busLimits.maxMessageBytes) });
    const read = get(codec.decodeFact(get(codec.encodeFact(fact))));
    expect(read).toMatchObject({ id: fact.id, about: fact.about, what: fact.what });
    expect(Object.keys(read.data)).toEqual(['omitted']);
  });

  it('answers TOO_LARGE in place of an answer that is', () => {
    const answer: Answer = { ok: true, data: { log: 'x'.repeat(busLimits.maxMessageBytes) } };
    const read = get(codec.decodeAnswer(codec.encodeAnswer(answer)));
    expect(read).toMatchObject({ ok: false, code: 'TOO_LARGE' });
  });

  it('has an error, not a throw, for what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const envelope = envelopeTo(key('a'));
    Object.assign(envelope, { value: cycle });
    expect(codec.encodeEnvelope(envelope, false)).toMatchObject({ ok: false });
  });
});

describe('a message that arrives', () => {
  const subjectOf = (name: string, shard = 3): string =>
    get(formatSubject({ type: 'tell', shard, to: key(name) }));
  const bytes = get(codec.encodeEnvelope(envelopeTo(key('a')), false));

  it('is read when subject and content agree', () => {
    const value = { type: 'message', envelope: envelopeTo(key('a')) };
    expect(readInbound(subjectOf('a'), bytes)).toEqual({ ok: true, value });
  });

  it.each([
    ['another actor', subjectOf('b'), 'to'],
    ['another shard', subjectOf('a', 4), 'shard'],
    ['a fact subject', 'coppice.fact.podclique.default.a.wrote', 'subject'],
    ['no subject of the grammar', 'coppice.tell.x', 'subject'],
  ])('is refused on the subject of %s', (_, subject, field) => {
    expect(readInbound(subject, bytes)).toMatchObject({ ok: false, field });
  });

  it('is not acted upon when it is a copy, also one that others wrote', () => {
    const copy = get(codec.encodeEnvelope(envelopeTo(key('a')), true));
    const { sum: _, copy: __, ...rest } = JSON.parse(new TextDecoder().decode(copy));
    const turned = get(encodeSummed({ ...rest, copy: true }));
    const value = { type: 'copy' };
    expect(readInbound(subjectOf('a'), copy)).toEqual({ ok: true, value });
    expect(readInbound(subjectOf('a'), turned)).toEqual({ ok: true, value });
  });

  it('is refused, and so is a copy that it might become, whichever single bit of it is flipped', () => {
    fc.assert(
      fc.property(anyEnvelope, fc.boolean(), (envelope, copy) => {
        const { shard, to } = envelope;
        const subject = formatSubject({ type: 'tell', shard, to });
        const sent = get(codec.encodeEnvelope(envelope, copy));
        for (let bit = 0; bit < 8 * sent.length; bit++) {
          const came = flipped(sent, bit);
          const read = readInbound(get(subject), came);
          // Of a copy that can still be told by its first bytes nobody reads the rest.
          const isUnread = copy && codec.isPlainlyCopy(came);
          expect(isUnread ? read : read.ok).toEqual(
            isUnread && { ok: true, value: { type: 'copy' } },
          );
        }
      }),
      { numRuns: 20 },
    );
  });

  it('leaves every decoder standing, whichever single bit of any message is flipped', () => {
    const samples = [
      codec.encodeFact(factOf(key('a'), { from: 'idle', to: 'busy' })),
      encodeRecord({ reason: 'a look at it' }),
      { ok: true, value: codec.encodeAnswer({ ok: true, data: { state: 'idle' } }) },
      { ok: true, value: codec.encodeAnswer({ ok: false, code: 'STOPPING', message: 'later' }) },
    ] as const;
    for (const sent of samples.map(get)) {
      for (let bit = 0; bit < 8 * sent.length; bit++) {
        for (const decode of Object.values(decoders)) {
          const result = decode(flipped(sent, bit));
          if (!result.ok) expect(result.problem).not.toBe('');
        }
      }
    }
  });

  it('is a question with an empty payload when there is none', () => {
    const subject = 'coppice.ask.podclique.default.a.why';
    const ask = { about: key('a'), question: 'why', payload: {} };
    const value = { type: 'question', ask };
    expect(readInbound(subject, new Uint8Array())).toEqual({ ok: true, value });
    expect(readInbound(subject, bytesOf('[]'))).toMatchObject({ ok: false });
    expect(readInbound('coppice.ask.podclique.default.a.How', bytesOf('{}'))).toMatchObject({
      ok: false,
      field: 'subject.question',
    });
  });
});
