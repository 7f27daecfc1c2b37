// CustomResourceDefinitions as the server understands them: the resources that one adds, and what
// is wrong with one. The REST layer calls resourcesOfCrd; the built-in row of CRDs calls
// validateCrd.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import type {
  PrinterColumn,
  ResourceInfo,
  Schema,
  StorageInfo,
  Stored,
  Strategy,
  SubresourceInfo,
} from '../contract.ts';
import { withStatus } from '../strategies/index.ts';
import { validateNames } from './crd-names.ts';
import { validateColumn, validateScale } from './crd-paths.ts';
import { compareVersions } from './discovery.ts';
import { isRecord, listAt, recordAt, textAt, valueAt } from './record.ts';
import { validateStructure } from './structure.ts';

const everyVerb = 'create delete deletecollection get list patch update watch'.split(' ');
const readWrite = ['get', 'patch', 'update'];

/** One row for each served version of a CRD that validateCrd finds right. */
export function resourcesOfCrd(crd: Stored): ResourceInfo[] {
  const spec = recordAt(crd, 'spec');
  const storage = storageOf(spec);
  return listAt(spec, 'versions')
    .filter((version) => valueAt(version, 'served') === true)
    .map((version) => rowOf(spec, version, storage));
}

function storageOf(spec: Record<string, unknown>): StorageInfo {
  const stored = listAt(spec, 'versions').find((each) => valueAt(each, 'storage') === true);
  const config = valueAt(spec, 'conversion', 'webhook', 'clientConfig');
  const isConverted = valueAt(spec, 'conversion', 'strategy') === 'Webhook' && isObject(config);
  return {
    apiVersion: `${textAt(spec, 'group')}/${textAt(stored, 'name')}`,
    schema: schemaOf(stored),
    ...(isConverted ? { converter: config } : {}),
  };
}

function rowOf(
  spec: Record<string, unknown>,
  version: unknown,
  storage: StorageInfo,
): ResourceInfo {
  const names = recordAt(spec, 'names');
  const kind = textAt(names, 'kind');
  const subresources = subresourcesOf(spec, version);
  return {
    group: textAt(spec, 'group'),
    version: textAt(version, 'name'),
    kind,
    listKind: textAt(names, 'listKind') || `${kind}List`,
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    shortNames: listAt(names, 'shortNames').map(String),
    categories: listAt(names, 'categories').map(String),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    verbs: everyVerb,
    subresources,
    schema: schemaOf(version),
    columns: columnsOf(version),
    strategy: strategyOf(version, subresources),
    storage,
    ...deprecationOf(spec, version),
    custom: true,
  };
}

function deprecationOf(spec: Record<string, unknown>, version: unknown): { deprecation?: string } {
  if (!isDeprecated(version)) return {};
  const said = textAt(version, 'deprecationWarning');
  if (said !== '') return { deprecation: said };
  const own = textAt(version, 'name');
  const nameOf = (name: string): string =>
    `${textAt(spec, 'group')}/${name} ${textAt(recordAt(spec, 'names'), 'kind')}`;
  const [best] = listAt(spec, 'versions')
    .filter((each) => valueAt(each, 'served') === true && !isDeprecated(each))
    .map((each) => textAt(each, 'name'))
    .filter((name) => compareVersions(name, own) < 0)
    .toSorted(compareVersions);
  const instead = best === undefined ? '' : `; use ${nameOf(best)}`;
  return { deprecation: `${nameOf(own)} is deprecated${instead}` };
}

const isDeprecated = (version: unknown): boolean => valueAt(version, 'deprecated') === true;

const schemaOf = (version: unknown): Schema =>
  recordAt(recordAt(version, 'schema'), 'openAPIV3Schema');

function subresourcesOf(spec: Record<string, unknown>, version: unknown): SubresourceInfo[] {
  const declared = recordAt(version, 'subresources');
  const rows: SubresourceInfo[] = [];
  if (isRecord(declared['scale'])) {
    const scale = declared['scale'];
    const labelSelectorPath = textAt(scale, 'labelSelectorPath');
    rows.push({
      name: 'scale',
      kind: 'Scale',
      group: 'autoscaling',
      version: 'v1',
      verbs: readWrite,
      scale: {
        specReplicasPath: textAt(scale, 'specReplicasPath'),
        statusReplicasPath: textAt(scale, 'statusReplicasPath'),
        ...(labelSelectorPath === '' ? {} : { labelSelectorPath }),
      },
    });
  }
  if (isRecord(declared['status'])) {
    const kind = textAt(recordAt(spec, 'names'), 'kind');
    const group = textAt(spec, 'group');
    rows.push({ name: 'status', kind, group, version: textAt(version, 'name'), verbs: readWrite });
  }
  return rows;
}

const types = ['string', 'integer', 'number', 'boolean', 'date'] as const;

function columnsOf(version: unknown): PrinterColumn[] {
  const declared = listAt(version, 'additionalPrinterColumns');
  if (declared.length === 0) {
    return [{ name: 'Age', type: 'date', priority: 0, jsonPath: '.metadata.creationTimestamp' }];
  }
  return declared.map((column) => {
    const priority = valueAt(column, 'priority');
    return {
      name: textAt(column, 'name'),
      type: types.find((type) => type === textAt(column, 'type')) ?? 'string',
      format: textAt(column, 'format'),
      description: textAt(column, 'description'),
      priority: typeof priority === 'number' ? priority : 0,
      jsonPath: textAt(column, 'jsonPath'),
    };
  });
}

/** Fields that `kubectl get --field-selector` may name, declared by the CRD. */
function strategyOf(version: unknown, subresources: readonly SubresourceInfo[]): Strategy {
  const fields = listAt(version, 'selectableFields').map((each) => textAt(each, 'jsonPath'));
  const base: Strategy = subresources.some((each) => each.name === 'status')
    ? withStatus({})
    : { hasStatus: false };
  if (fields.length === 0) return base;
  return {
    ...base,
    selectableFields: (object) =>
      Object.fromEntries(
        fields.map((path) => {
          const keys = path.split('.').filter((key) => key !== '');
          const value = valueAt(object, ...keys);
          return [keys.join('.'), value === undefined ? '' : String(value)];
        }),
      ),
  };
}

/** Everything that is wrong with a CRD, in kube-apiserver's words. */
export function validateCrd(crd: Stored): FieldError[] {
  const spec = recordAt(crd, 'spec');
  const errors = validateNames(crd);
  if (spec['preserveUnknownFields'] === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in ' +
      'spec.versions[*].schema instead';
    errors.push({
      type: 'FieldValueInvalid',
      field: 'spec.preserveUnknownFields',
      value: true,
      detail,
    });
  }
  errors.push(...validateVersions(listAt(spec, 'versions')));
  return errors;
}

function validateVersions(versions: readonly unknown[]): FieldError[] {
  const field = 'spec.versions';
  const names = versions.map((version) => textAt(version, 'name'));
  const errors: FieldError[] = [];
  const complain = (detail: string): void => {
    errors.push({ type: 'FieldValueInvalid', field, value: names, detail });
  };
  if (versions.length === 0) {
    errors.push({ type: 'FieldValueRequired', field, detail: 'must have at least one version' });
  }
  if (new Set(names).size < names.length) complain('must contain unique version names');
  if (versions.filter((version) => valueAt(version, 'storage') === true).length !== 1) {
    complain('must have exactly one version marked as storage version');
  }
  for (const [index, version] of versions.entries()) {
    errors.push(...validateVersion(version, `${field}[${index}]`));
  }
  return errors;
}

function validateVersion(version: unknown, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = textAt(version, 'name');
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    const detail = 'a version must be a DNS-1035 label, e.g. v1alpha1';
    errors.push({ type: 'FieldValueInvalid', field: `${field}.name`, value: name, detail });
  }
  const schema = valueAt(version, 'schema', 'openAPIV3Schema');
  const place = `${field}.schema.openAPIV3Schema`;
  if (!isRecord(schema)) {
    errors.push({ type: 'FieldValueRequired', field: place, detail: 'schemas are required' });
    return errors;
  }
  errors.push(...validateStructure(schema, place));
  for (const [index, column] of listAt(version, 'additionalPrinterColumns').entries()) {
    errors.push(...validateColumn(column, `${field}.additionalPrinterColumns[${index}]`));
  }
  const scale = valueAt(version, 'subresources', 'scale');
  if (isRecord(scale)) errors.push(...validateScale(scale, `${field}.subresources.scale`));
  return errors;
}

const fixed = [['group'], ['scope'], ['names', 'kind'], ['names', 'plural']] as const;

/** What may not change once the CRD is there. */
export const validateCrdUpdate = (crd: Stored, old: Stored): FieldError[] => [
  ...fixed.flatMap((path): FieldError[] => {
    const value = valueAt(crd, 'spec', ...path);
    if (isEqual(value, valueAt(old, 'spec', ...path))) return [];
    const field = ['spec', ...path].join('.');
    return [{ type: 'FieldValueInvalid', field, value, detail: 'field is immutable' }];
  }),
  ...validateCrd(crd),
];
