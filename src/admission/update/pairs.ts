// How rules for updates compare: parts of a PodCliqueSet with their former selves by name, and
// values as Kubernetes does.
import { immutableField, invalid } from '#machines/kubernetes/field-errors.ts';
import { type FieldError, unless } from '../rule.ts';
import { isSame } from '../view.ts';

/** Each part with the one that had its name before; new ones are left out. */
export function pairs<Part extends { readonly name: string }>(
  now: readonly Part[],
  then: readonly Part[],
): readonly (readonly [Part, Part])[] {
  const byName = new Map(then.map((part) => [part.name, part]));
  return now.flatMap((part) => {
    const before = byName.get(part.name);
    return before === undefined ? [] : [[part, before] as const];
  });
}

/** An error where a field that must stay has changed. */
export const same = (field: string, value: unknown, before: unknown): readonly FieldError[] =>
  unless(isSame(value, before), () => invalid(field, value ?? null, immutableField));
