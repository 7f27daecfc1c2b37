// Questions that actors of a kind answer besides those that every actor does. A behaviour declares
// them with the schema of their payload; the runtime checks that, hands a question over as an
// event, and the behaviour answers when it can, e.g. once a write that the question led to is seen.
// Who asks may ask again: an answer that is lost is no reason to do anything twice.
import type { JsonObject } from '../kubernetes/objects.ts';
import type { ErrorCode } from './errors.ts';

/** A small part of JSON Schema. */
type FieldSchema =
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength: number }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'boolean' };

export interface PayloadSchema {
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

export interface Question {
  /** For people: what is answered. */
  readonly description: string;
  readonly payload: PayloadSchema;
  /** An actor that does not run is started for it, e.g. to create its object. It ends when the
   *  question is over, unless there is anything of it in the cluster by then. */
  readonly startsActor?: true;
}

/** As a token of a subject. */
export const questionName = /^[a-z][a-zA-Z0-9]{0,31}$/;

const place = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
const nothing: PayloadSchema = { properties: {}, required: [] };
const reason: PayloadSchema = {
  properties: { reason: { type: 'string', maxLength: 500 } },
  required: [],
};

/** What every actor answers, with what it takes. Of `state`, `why`, `park` and `unpark` other
 *  fields of the payload are ignored. */
export const commonQuestions = {
  state: { description: 'the actor, and its view of its object', payload: nothing },
  why: {
    description: 'what the actor waits for, its last decisions, and writes that are backing off',
    payload: nothing,
  },
  history: {
    description: 'facts about the actor, newest first',
    payload: {
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 500 },
        /** A place in the ring of the process: facts before that. */
        before: place,
        /** The same in the stream, for what the process does not remember. */
        stream: place,
      },
      required: [],
    },
  },
  trace: {
    description: 'facts of a trace about actors of the same namespace, oldest first',
    payload: {
      properties: {
        id: { type: 'string', minLength: 1, maxLength: 256 },
        /** A place in the ring: facts behind that. */
        after: place,
      },
      required: ['id'],
    },
  },
  park: { description: 'stops the actor', payload: reason },
  unpark: { description: 'restarts the actor', payload: reason },
} as const satisfies Readonly<Record<string, Question>>;

type CommonQuestion = keyof typeof commonQuestions;

const isCommon = (question: string): question is CommonQuestion =>
  Object.hasOwn(commonQuestions, question);

export const questions: readonly CommonQuestion[] = Object.keys(commonQuestions).filter(isCommon);

/** What a question takes that every actor answers; undefined: it is none. */
export const commonPayload = (question: string): PayloadSchema | undefined =>
  isCommon(question) ? commonQuestions[question].payload : undefined;

/** One that a behaviour has declared, if there is such. */
export const isOfBehaviour = (question: string): boolean => !isCommon(question);

const reading: ReadonlySet<string> = new Set(['state', 'why', 'history', 'trace']);

/** It may lead to a write, or stop those of an actor. */
export const isCommand = (question: string): boolean => !reading.has(question);

/** A question to the actor, as its `reduce` takes it. */
export interface AskedEvent {
  readonly type: 'question.asked';
  readonly question: string;
  /** By which it is answered. */
  readonly id: string;
  /** As its schema wants it. */
  readonly payload: JsonObject;
}

/** Nobody waits for the answer any more. */
export interface DroppedEvent {
  readonly type: 'question.dropped';
  readonly id: string;
}

export type QuestionEvent = AskedEvent | DroppedEvent;

export type Answer =
  | { readonly ok: true; readonly data: JsonObject }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Ends a question. One that was answered already, or given up, is over: nothing happens. */
export interface AnswerQuestion {
  readonly type: 'answer';
  readonly id: string;
  readonly answer: Answer;
}

/** What is wrong with a payload: the field, what it is, and what would be right. */
export function payloadError(
  { properties, required }: PayloadSchema,
  payload: JsonObject,
): string | undefined {
  const missing = required.find((name) => !Object.hasOwn(payload, name));
  if (missing !== undefined) return `payload.${missing} is missing: ${right(properties[missing])}`;
  for (const [name, value] of Object.entries(payload)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) {
      return `payload.${name} is not a field; there is ${Object.keys(properties).join(', ') || 'none'}`;
    }
    if (!fits(schema, value))
      return `payload.${name} is ${JSON.stringify(value)}: ${right(schema)}`;
  }
  return undefined;
}

function fits(schema: FieldSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'string': {
      const { minLength = 0, maxLength } = schema;
      return typeof value === 'string' && value.length >= minLength && value.length <= maxLength;
    }
    case 'integer':
      return (
        typeof value === 'number' &&
        Number.isSafeInteger(value) &&
        value >= schema.minimum &&
        value <= schema.maximum
      );
    case 'boolean':
      return typeof value === 'boolean';
  }
}

function right(schema: FieldSchema | undefined): string {
  switch (schema?.type) {
    case 'string':
      return `it must be a string of ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
    case 'integer':
      return `it must be an integer from ${schema.minimum} to ${schema.maximum}`;
    default:
      return 'it must be true or false';
  }
}
