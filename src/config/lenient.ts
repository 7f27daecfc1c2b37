// Grove reads its file leniently: a field that it does not know is passed over. So is an empty
// text, which stands for none. What is passed over is noted, for whoever misspelt a field.
import type { Field } from './field.ts';

/** The value with only what the schema knows; `notes` gets the paths of the rest. */
export function known(
  value: unknown,
  { fields }: Pick<Field<unknown>, 'fields'>,
  path: string,
  notes: string[],
): unknown {
  if (fields === undefined) return value === '' ? undefined : value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => known(item, { fields }, `${path}[${index}]`, notes));
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) notes.push(`${at} is not known and is passed over`);
    else kept[name] = known(inner, field, at, notes);
  }
  return kept;
}
