// The files that the tidy test reads: sources of the project, parsed once. Every rule takes these
// and returns violations; nothing here judges.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ParseResult, parseSync, Visitor } from 'rolldown/utils';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** One thing that a person must look at. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** An import of any form: static, re-exported, dynamic, or `import()` as a type. */
export interface Import {
  /** As written. */
  readonly specifier: string;
  /** Path from the root of the checkout; undefined for a package or a builtin. */
  readonly target: string | undefined;
  /** Names taken from it; `*` for all. */
  readonly names: readonly string[];
  readonly line: number;
  /** Of `new URL(file, import.meta.url)`: a file to be started, by path and not by alias. */
  readonly isStarted: boolean;
  /** Types alone: nothing is loaded. */
  readonly isType: boolean;
}

export interface Source {
  /** From the root of the checkout, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly ast: ParseResult;
  readonly imports: readonly Import[];
  readonly lineOf: (offset: number) => number;
}

const folders = ['client', 'machines', 'actors', 'bus', 'src', 'test', 'tools'];

export function readSources(): readonly Source[] {
  const patterns = [
    ...folders.map((folder) => `${folder}/**/*.{ts,tsx,mjs}`),
    '.ci/*.mjs',
    'vitest.config.ts',
    'tools/site/.vitepress/config.ts',
  ];
  return globSync(patterns, { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .toSorted()
    .map((path) => parse(path, readFileSync(join(root, path), 'utf8')));
}

const languageOf = (path: string) =>
  path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js';

/** A source from its text; `path` decides the language. */
export function parse(path: string, text: string): Source {
  const ast = parseSync(path, text, { lang: languageOf(path) });
  const starts = [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)];
  const lineOf = (offset: number) => {
    const after = starts.findIndex((start) => start > offset);
    return after < 0 ? starts.length : after;
  };
  const lines = text.split('\n');
  return { path, text, lines, ast, lineOf, imports: importsOf(path, ast, lineOf) };
}

function importsOf(path: string, ast: ParseResult, lineOf: Source['lineOf']): readonly Import[] {
  const make = (specifier: string, names: readonly (string | null)[], offset: number): Import => ({
    specifier,
    target: resolve(path, specifier),
    names: names.map((name) => name ?? '*'),
    line: lineOf(offset),
    isStarted: false,
    isType: false,
  });
  const { module } = ast;
  return [
    ...module.staticImports.map((statement) => ({
      ...make(
        statement.moduleRequest.value,
        statement.entries.map(({ importName }) =>
          importName.kind === 'Default' ? 'default' : importName.name,
        ),
        statement.start,
      ),
      isType: statement.entries.length > 0 && statement.entries.every(({ isType }) => isType),
    })),
    ...module.staticExports.flatMap((statement) =>
      statement.entries.flatMap(({ moduleRequest, importName }) =>
        moduleRequest === null
          ? []
          : [make(moduleRequest.value, [importName.name], statement.start)],
      ),
    ),
    ...startedFiles(ast).map(({ specifier, start, isStarted }) => ({
      ...make(specifier, ['*'], start),
      isStarted,
    })),
  ];
}

/** Dynamic imports, and files that are started: `new URL(file, import.meta.url)`. */
function startedFiles(
  ast: ParseResult,
): readonly { specifier: string; start: number; isStarted: boolean }[] {
  const found: { specifier: string; start: number; isStarted: boolean }[] = [];
  new Visitor({
    ImportExpression: ({ source, start }) => {
      if (source.type !== 'Literal' || typeof source.value !== 'string') return;
      found.push({ specifier: source.value, start, isStarted: false });
    },
    NewExpression: ({ callee, arguments: [file], start }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || file?.type !== 'Literal') return;
      if (typeof file.value !== 'string' || !/^\..*\.(?:tsx?|mjs)$/.test(file.value)) return;
      found.push({ specifier: file.value, start, isStarted: true });
    },
  }).visit(ast.program);
  return found;
}

/** Aliases and relative specifiers become paths from the root; packages become undefined. */
function resolve(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  return specifier.startsWith('#') ? specifier.slice(1) : undefined;
}

/** The file or folder itself, or inside of it. */
export const isUnder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** `machines`, `src`, ...; for files of the root the empty text. */
export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
