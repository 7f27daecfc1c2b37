// What a sample is drawn of: every operator and folder alike, the same for the same seed.
import { describe, expect, it } from 'vitest';
import { drawn } from './draw.ts';
import { folders, type Mutant } from './mutant.ts';

const operators = ['guard', 'order', 'reset'];

function mutant(operator: string, folder: string, number: number): Mutant {
  const file = `${folder}/${number}.ts`;
  const id = `${operator} ${file}`;
  return {
    id,
    operator,
    folder,
    file,
    line: 1,
    removed: [],
    added: [],
    start: 0,
    end: 0,
    text: '',
  };
}

/** Of one folder a hundred times as many as of the others, as of machines/. */
const all = operators.flatMap((operator) =>
  folders.flatMap((folder) =>
    Array.from({ length: folder === 'machines' ? 300 : 3 }, (_, number) =>
      mutant(operator, folder, number),
    ),
  ),
);

const idsOf = (seed: number, mutants = all): readonly string[] =>
  [...drawn(mutants, seed)].map(({ id }) => id);

describe('A sample', () => {
  it('takes each operator in each folder once before any of them twice', () => {
    const many = operators.length * folders.length;
    const first = [...drawn(all, 1)].slice(0, many);
    expect(new Set(first.map(({ operator, folder }) => `${operator} ${folder}`)).size).toBe(many);
  });

  it('gives every operator the same number, however small it is', () => {
    const first = [...drawn(all, 1)].slice(0, 42);
    for (const operator of operators) {
      expect(first.filter((one) => one.operator === operator)).toHaveLength(14);
    }
  });

  it('draws all in the end, each once', () => {
    expect(idsOf(1).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  });

  it('is the same for the same seed, and another one for another', () => {
    expect(idsOf(7)).toEqual(idsOf(7));
    expect(idsOf(7)).not.toEqual(idsOf(8));
  });

  it('keeps the order within each operator where the sources gain a mutant', () => {
    const more = idsOf(7, [...all, mutant('guard', 'bus', 99)]);
    for (const start of operators.map((operator) => `${operator} machines`)) {
      const ofOne = (ids: readonly string[]) => ids.filter((id) => id.startsWith(start));
      expect(ofOne(more)).toEqual(ofOne(idsOf(7)));
    }
  });
});
