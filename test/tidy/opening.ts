// Rules about texts: each file opens with a comment, nothing is left for later, no test is alone.
import { Visitor } from 'rolldown/utils';
import type { Source, Violation } from './sources.ts';

/** Shorter than this is a title, not an explanation. */
const minOpeningLength = 40;

export function checkOpening(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ path, text, ast }) => {
    const start = text.startsWith('#!') ? text.indexOf('\n') + 1 : 0;
    const body = ast.program.body[0]?.start ?? text.length;
    const opening = ast.comments.filter((comment) => comment.end <= body);
    const length = opening.reduce((sum, comment) => sum + comment.value.trim().length, 0);
    const isFirst = opening[0]?.start === start;
    if (isFirst && length >= minOpeningLength) return [];
    const message = 'must open with a comment: what it is for and who calls it';
    return [{ path, line: 1, message }];
  });
}

export function checkLeftovers(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ path, ast, lineOf }) =>
    ast.comments
      .filter((comment) => /\b(?:TODO|FIXME|XXX|HACK)\b|@ts-(?:ignore|nocheck)/.test(comment.value))
      .map((comment) => ({
        path,
        line: lineOf(comment.start),
        message: 'nothing is left for later: do it now or write it down where it is planned',
      })),
  );
}

export function checkLonelyTests(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(({ path }) => path.endsWith('.test.ts'))
    .flatMap((source) => {
      const found: Violation[] = [];
      new Visitor({
        MemberExpression: ({ object, property, start }) => {
          if (object.type !== 'Identifier' || property.type !== 'Identifier') return;
          if (!['it', 'test', 'describe', 'suite'].includes(object.name)) return;
          if (property.name !== 'only' && property.name !== 'todo') return;
          found.push({
            path: source.path,
            line: source.lineOf(start),
            message: `${object.name}.${property.name} must not stay`,
          });
        },
      }).visit(source.ast.program);
      return found;
    });
}

/** Files that comments name by path or by name alone. */
const mention = /(?<![\w*{/-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|mjs)(?![\w*])/g;

/** Comments name no files that are gone. */
export function checkMentions(sources: readonly Source[]): readonly Violation[] {
  const paths = sources.map(({ path }) => `/${path}`);
  const isThere = (name: string): boolean =>
    paths.some((path) => path.endsWith(`/${name.replace(/^(?:\.{1,2}\/)+/, '')}`));
  return sources.flatMap(({ path, ast, lineOf }) =>
    ast.comments.flatMap(({ value, start }) =>
      [...value.matchAll(mention)]
        .filter(([name]) => !isThere(name))
        .map(([name]) => ({ path, line: lineOf(start), message: `there is no ${name}` })),
    ),
  );
}
