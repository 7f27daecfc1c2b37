// How rules for updates compare: parts of a PodCliqueSet with their former selves by name, and
// values as Kubernetes does.
import { forbidden, immutableField, invalid } from '#machines/kubernetes/field-errors.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { type FieldError, unless } from '../rule.ts';
import { isSame, namesOf } from '../view.ts';

type Named = { readonly name: string };

/** Each part with the one that had its name before; new ones are left out. */
export function pairs<Part extends Named>(
  now: readonly Part[],
  then: readonly Part[],
): readonly (readonly [Part, Part])[] {
  const byName = new Map(then.map((part) => [part.name, part]));
  return now.flatMap((part) => {
    const before = byName.get(part.name);
    return before === undefined ? [] : [[part, before] as const];
  });
}

/** Of the cliques, or the scaling groups, at a path. */
export const sameNumber = (
  path: string,
  what: string,
  now: readonly Named[],
  then: readonly Named[],
): readonly FieldError[] =>
  unless(now.length === then.length, () =>
    forbidden(path, `the number of ${what}s cannot change (it was ${then.length})`),
  );

export function noNewNames(
  path: string,
  what: string,
  now: readonly Named[],
  then: readonly Named[],
): readonly FieldError[] {
  const known = new Set(namesOf(then));
  return namesOf(now)
    .filter((name) => !known.has(name))
    .map((name) => forbidden(`${path}.name`, `there was no ${what} of the name "${name}"`));
}

/** An error where a field that must stay has changed. */
export const same = (field: string, value: unknown, before: unknown): readonly FieldError[] =>
  unless(isSame(value, before), () => invalid(field, value ?? null, immutableField));

/** The same for fields below a path, `podSpec.schedulerName` among them. */
export const sameFields = (
  path: string,
  fields: readonly string[],
  now: JsonObject,
  before: JsonObject,
): readonly FieldError[] =>
  fields.flatMap((field) => {
    const keys = field.split('.');
    return same(`${path}.${field}`, at(now, ...keys), at(before, ...keys));
  });
