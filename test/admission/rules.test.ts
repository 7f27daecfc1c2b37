// Every rule of admission refuses what its table says that it refuses, with exactly that message,
// and accepts what it says that it accepts.
import { describe, expect, it } from 'vitest';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { Example, Refusal, Rule } from '#src/admission/rule.ts';
import {
  advice,
  adviseOn,
  bindingSections,
  type Finding,
  findBindingErrors,
  findSetErrors,
  type Section,
  setSections,
  updateSections,
} from '#src/admission/validate.ts';
import { bindingSubject, setSubject } from './examples.ts';

type Find = (example: Example) => readonly Finding[];

const onSet: Find = (example) => findSetErrors(setSubject(example));
const onBinding: Find = (example) => findBindingErrors(bindingSubject(example));

const rulesOf = <Subject>(sections: readonly Section<Subject>[]): readonly Rule<Subject>[] =>
  sections.flatMap(({ stages }) => stages.flat());

const texts = (found: readonly Finding[]): readonly string[] =>
  found.map(({ error }) => fieldErrorTexts([error]));

interface Row {
  readonly id: string;
  readonly demands: string;
  readonly accepts: Example;
  readonly refuses: Refusal | readonly Refusal[];
  readonly find: Find;
}

const rows: readonly Row[] = [
  ...rulesOf(setSections).map((rule) => ({ ...rule, find: onSet })),
  ...rulesOf(updateSections).map((rule) => ({ ...rule, find: onSet })),
  ...rulesOf(bindingSections).map((rule) => ({ ...rule, find: onBinding })),
];

describe('The base objects', () => {
  it('are accepted, new and updated', () => {
    expect(onSet({})).toEqual([]);
    expect(onSet({ before: {} })).toEqual([]);
    expect(onBinding({})).toEqual([]);
  });
});

describe('A clique without replicas', () => {
  it('is refused as one with none', () => {
    const path = 'spec.template.cliques[0].spec.replicas';
    expect(texts(onSet({ given: { [path]: null } }))).toEqual(
      texts(onSet({ given: { [path]: 0 } })),
    );
    expect(texts(onSet({ given: { [path]: null } }))[0]).toContain(`${path}: Invalid value: 0`);
  });
});

describe.each(rows)('Rule $id', ({ id, accepts, refuses, find }) => {
  it('has an id of its own', () => {
    expect(rows.filter((row) => row.id === id)).toHaveLength(1);
  });

  it('accepts its accepting example', () => {
    expect(texts(find(accepts))).toEqual([]);
  });

  it.each([refuses].flat().map((refusal, index) => ({ refusal, index })))(
    'refuses example $index with its message',
    ({ refusal }) => {
      const found = find(refusal);
      expect(texts(found)).toEqual([refusal.says].flat());
      expect([...new Set(found.map(({ rule }) => rule))].toSorted()).toEqual(
        [id, ...(refusal.also ?? [])].toSorted(),
      );
    },
  );
});

describe.each(advice)('Advice $id', ({ id, accepts, advises }) => {
  it('has an id of its own', () => {
    expect(advice.filter((row) => row.id === id)).toHaveLength(1);
  });

  it('is silent where nothing is to be said', () => {
    expect(adviseOn(setSubject(accepts))).toEqual([]);
  });

  it('is given where it should', () => {
    expect(adviseOn(setSubject(advises))).toEqual([advises.says].flat());
    expect(onSet(advises)).toEqual([]);
  });
});
