// The schemas of answers against what answers are like: they let a good one pass, and none that
// lacks a field or has one of another type.
import { describe, expect, it } from 'vitest';
import { answerSchema, payloadSchema } from '#bus/schemas.ts';
import { wireVersion } from '#bus/wire.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

/** Of JSON Schema what these use. */
function fits(schema: unknown, value: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, items, properties, required, oneOf, additionalProperties } = schema;
  const kind = typeOf(value);
  const types = [type].flat();
  const isNumber = kind === 'integer' && types.includes('number');
  if (type !== undefined && !types.includes(kind) && !isNumber) return false;
  if ('const' in schema && schema['const'] !== value) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].some((one) => one === value)) return false;
  if (Array.isArray(oneOf)) return oneOf.filter((one) => fits(one, value)).length === 1;
  if (Array.isArray(value)) return items === undefined || value.every((one) => fits(items, one));
  if (!isObject(value)) return true;
  const known = isObject(properties) ? properties : {};
  const isWhole = [required].flat().every((name) => name === undefined || String(name) in value);
  const isClosed = additionalProperties === false;
  return (
    isWhole &&
    Object.entries(value).every(([name, one]) =>
      name in known ? fits(known[name], one) : !isClosed,
    )
  );
}

const summary = {
  key: 'podcliqueset/n/demo',
  machine: 'podcliqueset',
  mode: 'alive',
  value: 'active',
  uid: 'u',
  generation: 1,
  restarts: 0,
  parked: false,
  error: '',
  mailbox: 0,
  wakesAt: 1.5,
};
const fact = {
  sequence: 1,
  id: 'i',
  cause: 'c',
  trace: 't',
  at: 1.5,
  about: 'podcliqueset/n/demo',
  what: 'parked',
  data: {},
};

const samples: Readonly<Record<string, JsonObject>> = {
  state: { ...summary, state: {} },
  why: {
    ...summary,
    because: ['it waits'],
    decisions: [{ at: 1.5, what: 'w', why: 'y' }],
    blocked: [{ object: 'o', code: 'CONFLICT', message: 'm', retryAt: 1.5 }],
  },
  history: { facts: [fact], older: 'more', stream: 1 },
  trace: { trace: 't', facts: [fact], isWhole: true, more: false, elsewhere: 0 },
  park: { parked: true },
  unpark: { parked: true, wasParked: false },
};

const others: readonly Json[] = [[], {}, 'no such word', 0.5, true];

/** The value with one of its fields changed, and where that is. */
function* changed(value: Json, at: string): Generator<readonly [string, Json | undefined]> {
  if (Array.isArray(value)) {
    const [first] = value;
    if (first === undefined) return;
    for (const [where, one] of changed(first, `${at}[0]`)) {
      if (one !== undefined) yield [where, [one]];
    }
    return;
  }
  if (!isObject(value)) return;
  for (const [name, inner = null] of Object.entries(value)) {
    const { [name]: _, ...rest } = value;
    const where = `${at}.${name}`;
    yield [`${where} is not there`, rest];
    const isWord = ['mode', 'older', 'what', 'code'].includes(name);
    for (const other of others.filter((one) => typeOf(one) !== typeOf(inner) || isWord)) {
      yield [`${where} is ${JSON.stringify(other)}`, { ...value, [name]: other }];
    }
    for (const [deep, one] of changed(inner, where)) {
      if (one !== undefined) yield [deep, { ...value, [name]: one }];
    }
  }
}

/** What a schema may let pass all the same. */
const isLax = (where: string): boolean =>
  where === 'history.stream is not there' ||
  /(?:at|wakesAt|retryAt) is 0\.5$/.test(where) ||
  where.endsWith('.value is {}') ||
  where.endsWith('blocked[0].code is "no such word"') ||
  where.endsWith('decisions[0].what is "no such word"');

describe.each(Object.entries(samples))('The schema of the answer to %s', (name, data) => {
  const schema: unknown = JSON.parse(answerSchema(name));
  const answer = (one: Json): Json => ({ v: wireVersion, ok: true, data: one });

  it('lets an answer pass, also one of a field that may be null, and a refusal', () => {
    const nulls: JsonObject = 'wakesAt' in data ? { wakesAt: null, value: null } : {};
    expect(fits(schema, answer({ ...data, ...nulls }))).toBe(true);
    const refusal = { v: wireVersion, ok: false, code: 'NOT_FOUND', message: 'm' };
    expect(fits(schema, refusal)).toBe(true);
    expect(fits(schema, { ...refusal, code: 'no such word' })).toBe(false);
    expect(fits(schema, { ...refusal, v: wireVersion + 1 })).toBe(false);
    expect(fits(schema, { ...refusal, ok: true })).toBe(false);
  });

  it('lets none pass that lacks a field or has one of another type', () => {
    expect(fits(schema, answer(data))).toBe(true);
    const passing = [...changed(data, name)].filter(
      ([where, one]) => one !== undefined && fits(schema, answer(one)) && !isLax(where),
    );
    expect(passing.map(([where]) => where)).toEqual([]);
  });
});

describe('The schema of a payload', () => {
  const ask = {
    description: 'd',
    payload: { properties: { node: { type: 'string', maxLength: 9 } }, required: ['node'] },
  } as const;

  it('is that of the question, and lets nothing else through', () => {
    const schema: unknown = JSON.parse(payloadSchema('join', ask));
    expect(fits(schema, { node: 'n' })).toBe(true);
    expect(fits(schema, {})).toBe(false);
    expect(fits(schema, { node: 'n', more: 1 })).toBe(false);
  });

  it('lets more through where any client may ask', () => {
    const common = ['state', 'why', 'park', 'unpark'] as const;
    for (const name of common) {
      expect(JSON.parse(payloadSchema(name, ask))).not.toHaveProperty('additionalProperties');
    }
  });
});
