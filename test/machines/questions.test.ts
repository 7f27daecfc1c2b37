// What every question takes, with its numbers: each field is taken at its bounds and refused beyond
// them.
import { describe, expect, it } from 'vitest';
import { commonQuestions, payloadError } from '#machines/contract/question.ts';
import type { PayloadSchema, Question } from '#machines/contract/question.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { allBehaviours } from '#test/support/modules.ts';

const all: ReadonlyMap<string, Question> = new Map<string, Question>([
  ...Object.entries(commonQuestions),
  ...allBehaviours.flatMap(({ kind, questions }) =>
    [...questions].map(([name, question]) => [`${kind} ${name}`, question] as const),
  ),
]);

const anyPlace = [1, Number.MAX_SAFE_INTEGER] as const;

/** Of each field the shortest and the longest text, or the least and the greatest number. */
const bounds: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
  state: {},
  why: {},
  history: { limit: [1, 500], before: anyPlace, stream: anyPlace },
  trace: { id: [1, 256], after: anyPlace },
  park: { reason: [0, 500] },
  unpark: { reason: [0, 500] },
  'clique join': { node: [1, 253], podUid: [1, 63], ip: [0, 45] },
};

const required: Readonly<Record<string, readonly string[]>> = {
  trace: ['id'],
  'clique join': ['node', 'podUid'],
};

const rows = Object.entries(bounds).flatMap(([question, fields]) =>
  Object.entries(fields).map(([field, [least, most]]) => ({ question, field, least, most })),
);

function payloadOf(question: string): PayloadSchema {
  const found = all.get(question);
  if (found === undefined) throw new Error(`there is no question ${question}`);
  return found.payload;
}

/** Each field that has to be there, as short as it may be. */
const least = (question: string): JsonObject =>
  Object.fromEntries((required[question] ?? []).map((field) => [field, 'x']));

describe('A question', () => {
  it('is one of these, with these fields', () => {
    const fields = [...all].map(([name, { payload }]) => [name, Object.keys(payload.properties)]);
    expect(Object.fromEntries(fields)).toEqual(
      Object.fromEntries(Object.entries(bounds).map(([name, of]) => [name, Object.keys(of)])),
    );
  });

  it.each([...all.keys()])('%s is asked with what it needs, and not without', (question) => {
    const schema = payloadOf(question);
    const given = least(question);
    expect(payloadError(schema, given)).toBeUndefined();
    for (const field of Object.keys(given)) {
      const { [field]: _, ...others } = given;
      expect(payloadError(schema, others)).toContain(`payload.${field} is missing`);
    }
  });

  it.each(rows)('$question takes a $field from $least to $most', ({ question, field, ...of }) => {
    const schema = payloadOf(question);
    const isText = schema.properties[field]?.type === 'string';
    const at = (size: number): Json => (isText ? 'x'.repeat(Math.max(0, size)) : size);
    const problem = (value: Json) => payloadError(schema, { ...least(question), [field]: value });
    expect([problem(at(of.least)), problem(at(of.most))]).toEqual([undefined, undefined]);
    const right = `${of.least} to ${of.most}`;
    if (!isText || of.least > 0) expect(problem(at(of.least - 1))).toContain(right);
    expect(problem(at(of.most + 1))).toContain(right);
    expect(problem(null)).toContain(right);
  });

  it('starts an actor that does not run only where it is join', () => {
    const starting = [...all].filter(([, { startsActor }]) => startsActor === true);
    expect(starting.map(([name]) => name)).toEqual(['clique join']);
  });
});
