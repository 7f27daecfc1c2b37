// JSON Schemas of questions: what each takes and what its answer is, for people and tools that find
// them in the metadata of the micro service (`nats micro info coppice`). Texts, as metadata is.
import { factKinds } from '#actors/ports.ts';
import { errorTable } from '#machines/contract/errors.ts';
import { commonPayload, isOfBehaviour, type Question } from '#machines/contract/question.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { wireVersion } from './wire.ts';

const text = { type: 'string' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const texts = { type: 'array', items: text };
const any = { type: 'object' };

const object = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const fact = object({
  sequence: integer,
  id: text,
  cause: text,
  trace: text,
  at: { type: 'number' },
  about: text,
  what: { enum: [...factKinds] },
  data: any,
});

const facts = { type: 'array', items: fact };

const summary = {
  key: text,
  machine: text,
  mode: { enum: ['alive', 'waiting', 'parked', 'ended'] },
  value: { type: ['string', 'object', 'null'] },
  uid: text,
  generation: integer,
  restarts: integer,
  parked: boolean,
  error: text,
  mailbox: integer,
  wakesAt: { type: ['number', 'null'] },
};

const decision = object({ at: { type: 'number' }, what: text, why: text });
const blocked = object({
  object: text,
  code: text,
  message: text,
  retryAt: { type: ['number', 'null'] },
});

/** `data` of the answer to what every actor answers. */
const answers: Readonly<Record<string, JsonObject>> = {
  state: object({ ...summary, state: any }),
  why: object({
    ...summary,
    because: texts,
    decisions: { type: 'array', items: decision },
    blocked: { type: 'array', items: blocked },
  }),
  history: object(
    { facts, older: { enum: ['more', 'begin', 'restarted', 'dropped'] }, stream: integer },
    ['facts', 'older'],
  ),
  trace: object({ trace: text, facts, isWhole: boolean, more: boolean, elsewhere: integer }),
  park: object({ parked: boolean }),
  unpark: object({ parked: boolean, wasParked: boolean }),
};

const lenient: ReadonlySet<string> = new Set(['state', 'why', 'park', 'unpark']);

export function payloadSchema(name: string, { payload }: Question): string {
  const { properties, required } = commonPayload(name) ?? payload;
  const fields: Json = JSON.parse(JSON.stringify(properties));
  return JSON.stringify({
    type: 'object',
    properties: fields,
    required,
    ...(lenient.has(name) ? {} : { additionalProperties: false }),
  });
}

export function answerSchema(name: string): string {
  const data = (isOfBehaviour(name) ? undefined : answers[name]) ?? any;
  const v = { const: wireVersion };
  const refused = {
    v,
    ok: { const: false },
    code: { enum: Object.keys(errorTable) },
    message: text,
  };
  return JSON.stringify({ oneOf: [object({ v, ok: { const: true }, data }), object(refused)] });
}
