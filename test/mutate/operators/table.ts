// All operators by name, each with the same weight, and all mutants that they make of the sources.
import { Visitor } from 'rolldown/utils';
import { isUnder, type Source } from '#test/tidy/sources.ts';
import { type Edit, folders, type Mutant, mutantsOf } from '../mutant.ts';
import { branch, comparison, guard } from './logic.ts';
import type { Operator } from './operator.ts';
import { order } from './order.ts';
import { constant, reason, reset } from './values.ts';
import { identity, requeue } from './writes.ts';

export const operators: Readonly<Record<string, Operator>> = {
  comparison,
  guard,
  constant,
  reason,
  order,
  reset,
  identity,
  requeue,
  branch,
};

/** In the order of the text. */
export function editsOf(source: Source, operator: Operator): readonly Edit[] {
  const edits: Edit[] = [];
  new Visitor(operator(source, (edit) => edits.push(edit))).visit(source.ast.program);
  const isChange = ({ start, end, text }: Edit): boolean => source.text.slice(start, end) !== text;
  return edits.filter(isChange).toSorted((a, b) => a.start - b.start || a.end - b.end);
}

export const allMutants = (sources: readonly Source[]): readonly Mutant[] =>
  sources.flatMap((source) => {
    const folder = folders.find((one) => isUnder(source.path, one));
    if (folder === undefined || !source.path.endsWith('.ts')) return [];
    return Object.entries(operators).flatMap(([name, operator]) =>
      mutantsOf(source, folder, name, editsOf(source, operator)),
    );
  });
