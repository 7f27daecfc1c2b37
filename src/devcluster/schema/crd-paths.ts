// The JSONPaths of a CRD: printer columns and the scale subresource. Called by crd.ts only.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { jsonPath, JsonPathError } from './jsonpath.ts';
import { textAt, valueAt } from './record.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

const required = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  detail,
});
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});

function pathError(path: string): string | undefined {
  if (!path.startsWith('.')) return 'must start with a dot, e.g. .spec.replicas';
  try {
    jsonPath(path);
    return undefined;
  } catch (error) {
    if (error instanceof JsonPathError) return error.message;
    throw error;
  }
}

/** What is wrong with one of additionalPrinterColumns. */
export function validateColumn(column: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const type = textAt(column, 'type');
  const path = textAt(column, 'jsonPath');
  if (textAt(column, 'name') === '') errors.push(required(`${field}.name`));
  if (!columnTypes.includes(type)) {
    const detail = `must be one of ${columnTypes.join(',')}`;
    errors.push(
      type === '' ? required(`${field}.type`, detail) : invalid(`${field}.type`, type, detail),
    );
  }
  if (path === '') errors.push(required(`${field}.jsonPath`));
  else {
    const wrong = pathError(path);
    if (wrong !== undefined) errors.push(invalid(`${field}.jsonPath`, path, wrong));
  }
  return errors;
}

/** What is wrong with the scale subresource: its paths name plain fields of spec and status. */
export function validateScale(scale: unknown, field: string): FieldError[] {
  const check = (name: string, roots: readonly string[]): FieldError[] => {
    const path = textAt(scale, name);
    const at = `${field}.${name}`;
    if (path === '') return [required(at)];
    if (!/^(\.[A-Za-z_][A-Za-z0-9_-]*)+$/.test(path)) {
      return [invalid(at, path, 'must be a path of fields in dot notation, without lists')];
    }
    if (roots.some((root) => path.startsWith(`${root}.`))) return [];
    return [invalid(at, path, `should be a json path under ${roots.join(' or ')}`)];
  };
  const errors = [
    ...check('specReplicasPath', ['.spec']),
    ...check('statusReplicasPath', ['.status']),
  ];
  const selector = valueAt(scale, 'labelSelectorPath');
  if (selector === undefined || selector === '') return errors;
  return [...errors, ...check('labelSelectorPath', ['.spec', '.status'])];
}
