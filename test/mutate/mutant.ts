// A mutant: the sources with one small, plausible mistake. What it is called, what it changes and
// how that is shown. Made by operators/, drawn by draw.ts.
import { createHash } from 'node:crypto';
import type { Source } from '#test/tidy/sources.ts';

/** What stands from `start` to `end` becomes `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Mutant extends Edit {
  /** Stays as long as the lines that it changes, wherever they move in their file. */
  readonly id: string;
  readonly operator: string;
  readonly file: string;
  /** One of `folders`. */
  readonly folder: string;
  readonly line: number;
  /** Whole lines, before and after. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Those that mutants are made in, each with the same weight. */
export const folders = [
  'machines',
  'actors',
  'bus',
  'src/kube',
  'src/admission',
  'src/leases',
] as const;

export const applied = (text: string, { start, end, text: instead }: Edit): string =>
  `${text.slice(0, start)}${instead}${text.slice(end)}`;

/** In order; two that change the same lines in the same way are told apart by their number. */
export function mutantsOf(
  source: Source,
  folder: string,
  operator: string,
  edits: readonly Edit[],
): readonly Mutant[] {
  const seen = new Map<string, number>();
  return edits.map((edit) => {
    const { removed, added } = linesOf(source.text, edit);
    const what = [operator, source.path, ...removed, '', ...added].join('\n');
    const number = (seen.get(what) ?? 0) + 1;
    seen.set(what, number);
    const id = createHash('sha1').update(`${what}\n${number}`).digest('hex').slice(0, 10);
    const line = source.lineOf(edit.start);
    return { ...edit, id, operator, file: source.path, folder, line, removed, added };
  });
}

function linesOf(text: string, edit: Edit) {
  const from = text.lastIndexOf('\n', edit.start - 1) + 1;
  const last = text.indexOf('\n', edit.end);
  const to = last < 0 ? text.length : last;
  const before = text.slice(from, to);
  const moved = { ...edit, start: edit.start - from, end: edit.end - from };
  const trimmed = (lines: string) =>
    lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  return { removed: trimmed(before), added: trimmed(applied(before, moved)) };
}

export const diffOf = ({ file, line, removed, added }: Mutant): readonly string[] => [
  `${file}:${line}`,
  ...removed.map((text) => `  - ${text}`),
  ...added.map((text) => `  + ${text}`),
];
