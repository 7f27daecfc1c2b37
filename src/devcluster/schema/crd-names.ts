// The names of a CRD: group, plural, singular, kinds, short names, scope. Called by crd.ts only.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Stored } from '../contract.ts';
import { listAt, recordAt, textAt, valueAt } from './record.ts';

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const labelText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name', or 'abc-123', " +
  "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const required = (field: string): FieldError => ({ type: 'FieldValueRequired', field, detail: '' });
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  value,
  detail,
});

function checkLabel(value: string, field: string): FieldError[] {
  if (value === '') return [required(field)];
  return label.test(value) && value.length <= 63 ? [] : [invalid(field, value, labelText)];
}

/** Everything that is wrong with the names. */
export function validateNames(crd: Stored): FieldError[] {
  const spec = recordAt(crd, 'spec');
  const names = recordAt(spec, 'names');
  const group = textAt(spec, 'group');
  const errors: FieldError[] = [];
  const expected = `${textAt(names, 'plural')}.${group}`;
  if (textAt(crd.metadata, 'name') !== expected) {
    const detail = 'must be spec.names.plural+"."+spec.group';
    errors.push(invalid('metadata.name', textAt(crd.metadata, 'name'), detail));
  }
  if (group === '') errors.push(required('spec.group'));
  else if (!subdomain.test(group))
    errors.push(invalid('spec.group', group, 'must be a DNS-1123 subdomain'));
  else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
  errors.push(...checkScope(textAt(spec, 'scope')));
  errors.push(...checkLabel(textAt(names, 'plural'), 'spec.names.plural'));
  errors.push(...checkKinds(names));
  for (const key of ['shortNames', 'categories']) {
    for (const [index, name] of listAt(names, key).entries()) {
      errors.push(...checkLabel(String(name), `spec.names.${key}[${index}]`));
    }
  }
  if (valueAt(names, 'singular') !== undefined) {
    errors.push(...checkLabel(textAt(names, 'singular'), 'spec.names.singular'));
  }
  return errors;
}

function checkScope(scope: string): FieldError[] {
  if (scope === '') return [required('spec.scope')];
  if (scope === 'Namespaced' || scope === 'Cluster') return [];
  const detail = 'supported values: "Cluster", "Namespaced"';
  return [{ type: 'FieldValueNotSupported', field: 'spec.scope', value: scope, detail }];
}

function checkKinds(names: Record<string, unknown>): FieldError[] {
  const kind = textAt(names, 'kind');
  const listKind = textAt(names, 'listKind');
  const errors: FieldError[] = [];
  const may = (value: string, field: string): void => {
    if (!label.test(value.toLowerCase())) {
      errors.push(
        invalid(field, value, `may have mixed case, but should otherwise match: ${labelText}`),
      );
    }
  };
  if (kind === '') errors.push(required('spec.names.kind'));
  else may(kind, 'spec.names.kind');
  if (listKind !== '') may(listKind, 'spec.names.listKind');
  if (kind !== '' && kind === listKind) {
    const detail = 'kind and listKind may not be the same';
    errors.push(invalid('spec.names.listKind', listKind, detail));
  }
  return errors;
}
