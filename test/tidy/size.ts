// Rules: how long files, functions and lines may be. What must be longer stands with its reason in
// exceptions.ts.
import { Visitor } from 'rolldown/utils';
import type { Source, Violation } from './sources.ts';

export const maxFileLines = 300;
export const maxFunctionLines = 60;
export const maxColumns = 100;

/** A line may be wider where one text that cannot be broken makes it so. */
const unbreakableColumns = 60;

export function checkFileLength(sources: readonly Source[]): readonly Violation[] {
  return sources
    .map(({ path, lines }) => ({ path, count: lines.length - 1 }))
    .filter(({ count }) => count > maxFileLines)
    .map(({ path, count }) => ({
      path,
      line: maxFileLines,
      message: `${count} lines, the limit is ${maxFileLines}: this is two files`,
    }));
}

/** In tests only named functions count: the callback of a `describe` is a chapter, not a
 *  function. */
export function checkFunctionLength(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap((source) => {
    const found: Violation[] = [];
    const isTest = source.path.endsWith('.test.ts');
    const judge = (node: { readonly start: number; readonly end: number }, name: string) => {
      const line = source.lineOf(node.start);
      const count = source.lineOf(node.end) - line + 1;
      if (count <= maxFunctionLines || (isTest && name === '')) return;
      const message = `function ${name} of ${count} lines, the limit is ${maxFunctionLines}`;
      found.push({ path: source.path, line, message });
    };
    new Visitor({
      FunctionDeclaration: (node) => judge(node, node.id?.name ?? ''),
      FunctionExpression: (node) => judge(node, node.id?.name ?? ''),
      ArrowFunctionExpression: (node) => judge(node, ''),
    }).visit(source.ast.program);
    return found;
  });
}

export function checkColumns(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap((source) => {
    const wide = source.lines.flatMap((line, index) =>
      line.length > maxColumns ? [{ line: index + 1, columns: line.length }] : [],
    );
    if (wide.length === 0) return [];
    const excused = linesWithLongTexts(source);
    return wide
      .filter(({ line }) => !excused.has(line))
      .map(({ line, columns }) => ({
        path: source.path,
        line,
        message: `${columns} columns, the limit is ${maxColumns}`,
      }));
  });
}

/** Lines that a long text, pattern or address makes wide. */
function linesWithLongTexts(source: Source): ReadonlySet<number> {
  const excused = new Set<number>();
  const excuse = ({ start, end }: { readonly start: number; readonly end: number }) => {
    if (end - start < unbreakableColumns) return;
    for (let line = source.lineOf(start); line <= source.lineOf(end); line += 1) excused.add(line);
  };
  new Visitor({
    Literal: (node) => excuse(node),
    TemplateLiteral: (node) => excuse(node),
  }).visit(source.ast.program);
  source.lines.forEach((line, index) => {
    if (/https?:\/\/\S{40}/.test(line)) excused.add(index + 1);
  });
  return excused;
}
