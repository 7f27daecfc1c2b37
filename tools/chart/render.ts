// The texts of charts/coppice that are written from the table of its values. Called by
// test/surface, which checks them in.
import { stringify } from 'yaml';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Field } from '#src/config/field.ts';
import { ofHelm, values } from './values.ts';

const columns = 100;
const origin = 'Written by `npm run surface` from tools/chart/values.ts; do not edit by hand.';

type Fields = Readonly<Record<string, Field<unknown>>>;

const shown: Fields = Object.fromEntries(
  Object.entries<Field<unknown>>(values.fields).filter(([name]) => !ofHelm.includes(name)),
);

/** values.yaml: each default under its description. */
export const valuesFile = (): string =>
  [`# ${origin}`, ...linesOf(shown, 0)].join('\n').replace(/\n+$/, '') + '\n';

function linesOf(fields: Fields, depth: number): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    ...(depth === 0 ? [''] : []),
    ...valueOf(name, field, field.fallback, depth),
  ]);
}

function valueOf(name: string, field: Field<unknown>, value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const comment = wrapped(field.doc, columns - indent.length - 2).map(
    (line) => `${indent}# ${line}`,
  );
  const { fields } = field;
  if (fields === undefined || !isObject(value)) {
    const lines = stringify({ [name]: value }, { lineWidth: 0, singleQuote: true }).trimEnd();
    return [...comment, ...lines.split('\n').map((line) => indent + line)];
  }
  const below = Object.entries(value).flatMap(([key, each]) => {
    const inner = fields[key];
    return inner === undefined ? [] : valueOf(key, inner, each, depth + 1);
  });
  return [...comment, `${indent}${name}:`, ...below];
}

function wrapped(doc: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of doc.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}

/** values.schema.json: what Helm refuses. */
export const valuesSchema = (): string => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return `${JSON.stringify({ $schema, $comment: origin, ...values.schema }, null, 2)}\n`;
};

/** Rows of the README: path, type, default, description. The fields of `config` have a page of
 *  their own. */
export const valueRows = (): readonly (readonly string[])[] => rowsOf(shown, '');

const rowsOf = (fields: Fields, prefix: string): readonly (readonly string[])[] =>
  Object.entries(fields).flatMap(([name, { type, fallback, doc, fields: inner }]) => {
    const path = `${prefix}${name}`;
    if (path === 'config') return [['`config`', type, 'values.yaml', doc]];
    const isPart = inner !== undefined && type === 'an object';
    if (isPart) return [[`**\`${path}\`**`, '', '', doc], ...rowsOf(inner, `${path}.`)];
    return [[`\`${path}\``, type, `\`${JSON.stringify(fallback)}\``, doc]];
  });
