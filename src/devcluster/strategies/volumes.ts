// The strategy of PersistentVolumeClaims: defaults, what is wrong with one, and that its spec stays
// but for what a binder writes.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { forbidden, invalid, notSupported, required } from '#machines/kubernetes/field-errors.ts';
import { invalidEach } from '#machines/kubernetes/field-errors.ts';
import { ensureObject, listAt, objectAt, setDefault, textAt } from '#machines/kubernetes/fields.ts';
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { withStatus } from './base.ts';
import { canonicaliseQuantities, quantityOf } from './quantity.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function defaultClaim(claim: Stored): void {
  const spec = ensureObject(claim, 'spec');
  setDefault(spec, 'volumeMode', 'Filesystem');
  const resources = ensureObject(spec, 'resources');
  for (const part of ['requests', 'limits']) canonicaliseQuantities(resources, part);
}

const storageOf = (spec: JsonObject): unknown =>
  objectAt(objectAt(spec, 'resources'), 'requests')?.['storage'];

function validateModes(spec: JsonObject): FieldError[] {
  const field = 'spec.accessModes';
  const modes = listAt(spec, 'accessModes').map(String);
  if (modes.length === 0) return [required(field, 'at least 1 access mode is required')];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(field, mode, accessModes));
  const known = modes.filter((mode) => accessModes.includes(mode));
  const isMixed = known.includes('ReadWriteOncePod') && new Set(known).size > 1;
  if (!isMixed) return errors;
  return [...errors, forbidden(field, 'may not use ReadWriteOncePod with other access modes')];
}

function validateClaim(claim: Stored): FieldError[] {
  const spec = objectAt(claim, 'spec') ?? {};
  const errors = validateModes(spec);
  const field = 'spec.resources[storage]';
  const storage = storageOf(spec);
  if (storage === undefined) errors.push(required(field));
  else if ((quantityOf(storage) ?? 0) <= 0) {
    errors.push(invalid(field, storage, 'must be greater than zero'));
  }
  const name = textAt(spec, 'storageClassName');
  if (name !== '') errors.push(...invalidEach('spec.storageClassName', name, checkSubdomain(name)));
  const mode = textAt(spec, 'volumeMode');
  const isMode = mode === 'Filesystem' || mode === 'Block';
  if (!isMode) errors.push(notSupported('spec.volumeMode', mode, ['Block', 'Filesystem']));
  return errors;
}

/** Where a claim had neither, it gets its volume and its class once; where it is bound, size and
 *  attributes of the volume change. The rest stays. */
function fixedOf(spec: JsonObject, before: JsonObject, isBound: boolean): JsonObject {
  const { volumeAttributesClassName, volumeName, storageClassName, resources, ...fixed } = spec;
  return {
    ...fixed,
    ...(textAt(before, 'volumeName') === '' ? {} : { volumeName: volumeName ?? '' }),
    ...(before['storageClassName'] === undefined
      ? {}
      : { storageClassName: storageClassName ?? '' }),
    ...(isBound ? {} : { attributes: volumeAttributesClassName ?? '', resources: resources ?? {} }),
  };
}

function validateClaimUpdate(claim: Stored, old: Stored): FieldError[] {
  const before = objectAt(old, 'spec') ?? {};
  const isBound = textAt(objectAt(claim, 'status'), 'phase') === 'Bound';
  const fixed = ({ spec }: Stored): JsonObject =>
    fixedOf(isObject(spec) ? spec : {}, before, isBound);
  const errors = validateClaim(claim);
  if (!isEqual(fixed(claim), fixed(old))) {
    const detail =
      'spec is immutable after creation except resources.requests and ' +
      'volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', detail));
  }
  return errors;
}

export const volumeClaimStrategy: Strategy = withStatus({
  countsGeneration: false,
  defaults: defaultClaim,
  prepareCreate: (claim) => {
    claim['status'] = { phase: 'Pending' };
  },
  validate: validateClaim,
  validateUpdate: validateClaimUpdate,
});
