// The limits of the bus: each field and message is taken as long as it may be, and refused where it
// is longer by one.
import { describe, expect, it } from 'vitest';
import * as codec from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
import { decodeObject, encodeRecord, encodeSummed, isWhole, wireVersion } from '#bus/wire.ts';
import { allActorKinds } from '#machines/kinds.ts';

const encoded = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** An object whose JSON has so many bytes. */
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
const most = busLimits.maxMessageBytes;

const key = { kind: allActorKinds()[0], namespace: 'n', name: 'a' };
const fact = {
  ...{ v: wireVersion, id: 'i', cause: 'c', trace: 't', at: 1, about: key },
  ...{ what: 'wrote', data: {} },
};
const envelope = {
  ...{ copy: false, id: 'i', cause: 'c', trace: 't', at: 1, to: key, root: key },
  ...{ shard: 0, epoch: 0, view: 'v', key: 'k', value: 'w' },
};

describe('A message', () => {
  it.each([
    ['written', (bytes: number) => encodeRecord(ofBytes(bytes))],
    ['read', (bytes: number) => decodeObject(encoded(ofBytes(bytes)))],
  ])('is %s up to the limit, and no byte more', (_what, pass) => {
    expect(pass(most).ok).toBe(true);
    expect(pass(most + 1)).toMatchObject({
      ok: false,
      problem: `must have at most ${most} bytes, has ${most + 1}`,
    });
  });

  it('is whole with its checksum alone', () => {
    const bytes = encodeSummed({ a: 1 });
    if (!bytes.ok) throw new Error(bytes.problem);
    expect(isWhole(bytes.value)).toBe(true);
    const sum = ',"sum":"00000000"}'.length;
    for (const part of [bytes.value.slice(0, -1), bytes.value.slice(-sum), new Uint8Array()]) {
      expect(isWhole(part)).toBe(false);
    }
  });
});

const texts: readonly (readonly [string, number])[] = [
  ['id', busLimits.maxIdLength],
  ['cause', busLimits.maxIdLength],
  ['trace', busLimits.maxIdLength],
];

describe.each([
  ['A fact', fact, codec.decodeFact, [...texts, ['about', busLimits.maxTokenLength]]],
  [
    'An envelope',
    envelope,
    (bytes: Uint8Array) => {
      const summed = encodeSummed({
        v: wireVersion,
        ...JSON.parse(new TextDecoder().decode(bytes)),
      });
      return summed.ok ? codec.decodeEnvelope(summed.value) : summed;
    },
    [
      ...texts,
      ['to', busLimits.maxTokenLength],
      ['root', busLimits.maxTokenLength],
      ['view', busLimits.maxIdLength],
      ['key', busLimits.maxSubjectLength],
      ['value', busLimits.maxErrorText],
    ],
  ],
] as const)('%s', (_what, record, decode, fields) => {
  it.each(fields)('has %s of at most %i characters', (field, length) => {
    const given: Readonly<Record<string, unknown>> = record;
    for (const name of typeof given[field] === 'object' ? ['namespace', 'name'] : ['']) {
      const put = (text: string) =>
        encoded({ ...record, [field]: name === '' ? text : { ...key, [name]: text } });
      expect(decode(put('x'.repeat(length))).ok).toBe(true);
      expect(decode(put('x'.repeat(length + 1)))).toMatchObject({
        ok: false,
        field: name === '' ? field : `${field}.${name}`,
        problem: `must have at most ${length} characters, has ${length + 1}`,
      });
    }
  });
});

describe('An envelope', () => {
  it.each([
    ['shard', 0, busLimits.maxShard],
    ['epoch', 0, Number.MAX_SAFE_INTEGER],
  ])('has %s from %i to %i', (field, least, last) => {
    const decode = (value: number) => {
      const bytes = encodeSummed({ v: wireVersion, ...envelope, [field]: value });
      return bytes.ok ? codec.decodeEnvelope(bytes.value) : bytes;
    };
    for (const value of [least, last]) expect(decode(value).ok).toBe(true);
    for (const value of [least - 1, last + 1, 0.5]) {
      expect(decode(value)).toMatchObject({ ok: false, field });
    }
  });
});
