// What every object goes through between its arrival and its commit: unknown fields, defaults, the
// kind's own preparation, webhooks, validation. create.ts and update.ts call it; it writes nothing.
import type { FieldError, FieldErrorType } from '#machines/kubernetes/field-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '#machines/kubernetes/object-meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { hasRules, validateRules } from '#src/devcluster/schema/cel/validate.ts';
import { duplicateFields } from '#src/devcluster/schema/duplicates.ts';
import { applyDefaults, prune, validate } from '#src/devcluster/schema/structural.ts';
import { nameRuleOf } from '#src/devcluster/strategies/index.ts';
import type { ResourceInfo, Stored } from '../../contract.ts';
import type { AdmissionAttempt } from '../admission.ts';
import type { Call } from '../call.ts';
import { ApiError, badOption, badRequest, invalid } from '../errors.ts';
import { depthLimit } from '../limits.ts';
import { isDefinition } from '../resources/definitions.ts';
import { apiVersionOf, storageKey } from '../resources/registry.ts';
import { scaleErrors } from '../resources/scale-paths.ts';
import { nameOf } from '../store/collection.ts';
import { mediaTypeOf } from '../wire/body.ts';
import { isTooDeep } from '../wire/depth.ts';

const optionsKind: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  patch: 'PatchOptions',
};

const validationModes = ['Strict', 'Warn', 'Ignore'];

/**
 * Drops what the schema does not know. `fieldValidation` decides whether that, or a field that was
 * sent twice, is refused (Strict), told (Warn, the default) or passed over (Ignore).
 */
export function dropUnknown(call: Call, object: Stored): void {
  // Patches, one after the other, may have built it up.
  if (isTooDeep(object)) throw cannotHandle(call, `it is nested deeper than ${depthLimit}`);
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (!validationModes.includes(mode)) {
    throw badOption(optionsKind[call.target.verb] ?? 'UpdateOptions', {
      type: 'FieldValueNotSupported',
      field: 'fieldValidation',
      value: mode,
      detail: 'supported values: "", "Ignore", "Strict", "Warn"',
    });
  }
  const unknown = prune(call.resource.schema, object);
  if (mode === 'Ignore') return;
  const complaints = [
    ...repeatedFields(call).map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
  if (complaints.length === 0) return;
  if (mode === 'Strict') {
    throw cannotHandle(call, `strict decoding error: ${complaints.join(', ')}`);
  }
  call.warnings.push(...complaints);
}

/** Fields that the sent JSON has twice; a client in this process sends no text and has none. */
function repeatedFields({ request }: Call): string[] {
  const isText = request.body.kind === 'text' && !mediaTypeOf(request).endsWith('yaml');
  return isText ? duplicateFields(request.body.text) : [];
}

const cannotHandle = ({ resource }: Call, why: string): ApiError =>
  badRequest(
    `${resource.kind} in version "${resource.version}" ` +
      `cannot be handled as a ${resource.kind}: ${why}`,
  );

/** An object of a built-in kind that cannot be decoded. A PATCH has words of its own for it. */
export class WrongType extends ApiError {
  readonly why: string;

  constructor(call: Call, why: string) {
    super(cannotHandle(call, why).parts);
    this.why = why;
  }
}

/** Fills in defaults: the schema's, then the kind's own. Wrong types are refused before. */
export function setDefaults(call: Call, object: Stored): void {
  const { resource, core } = call;
  dropEmpty(object.metadata);
  applyDefaults(resource.schema, object);
  if (!resource.custom) refuseWrongTypes(call, object);
  resource.strategy.defaults?.(object, core.environment);
}

/** Fields of `metadata` that are not told when there is nothing in them. */
const optional = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'generateName'];

function dropEmpty(metadata: JsonObject): void {
  for (const field of optional) {
    const value = metadata[field];
    if (value === undefined) continue;
    if (value === null || value === '') delete metadata[field];
    else if (typeof value === 'object' && Object.keys(value).length === 0) delete metadata[field];
  }
}

/** A built-in kind with a wrong type cannot even be decoded: 400, not 422, as with Go's types. */
function refuseWrongTypes(call: Call, object: Stored): void {
  const wrong = validate(call.resource.schema, object).find(
    (error) => error.type === 'FieldValueTypeInvalid',
  );
  if (wrong === undefined) return;
  const { detail, field } = wrong;
  throw new WrongType(
    call,
    detail.startsWith('quantities') ? detail : `json: cannot unmarshal ${field}: ${detail}`,
  );
}

/** Throws Invalid with everything that is wrong with the object. */
export function checkObject(call: Call, object: Stored, live: Stored | undefined): void {
  const { resource } = call;
  const { subresource } = call.target;
  const rule = nameRuleOf(storageKey(resource));
  const native = !resource.custom && !isDefinition(resource);
  const errors: FieldError[] = [...validateObjectMeta(object, resource.namespaced, rule, native)];
  if (live !== undefined) errors.push(...validateObjectMetaUpdate(object, live));
  if (resource.custom) errors.push(...customErrors(resource, object, live));
  if (live === undefined) errors.push(...(resource.strategy.validate?.(object, subresource) ?? []));
  else errors.push(...(resource.strategy.validateUpdate?.(object, live, subresource) ?? []));
  if (errors.length > 0) throw invalid(resource, nameOf(object), errors);
}

/** Errors after which nobody can say what a rule would find. */
const blocking: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

function customErrors(
  resource: ResourceInfo,
  object: Stored,
  live: Stored | undefined,
): FieldError[] {
  const { schema } = resource;
  const shape = [...validate(schema, object), ...scaleErrors(resource, object)];
  if (!shape.some(({ type }) => blocking.has(type))) {
    return [...shape, ...validateRules(schema, object, live)];
  }
  if (!hasRules(schema)) return shape;
  const detail =
    'some validation rules were not checked because the object was invalid; ' +
    'correct the existing errors to complete validation';
  return [...shape, { type: 'FieldValueInvalid', field: '', value: null, detail }];
}

/** What the webhooks are told about this request. */
export function attemptOf(call: Call, parts: Attempted): AdmissionAttempt {
  const { resource, target, user, dryRun } = call;
  return {
    resource,
    subresource: target.subresource,
    namespace: target.namespace,
    user,
    dryRun,
    ...parts,
  };
}

type Attempted = Pick<
  AdmissionAttempt,
  'operation' | 'name' | 'options' | 'object' | 'oldObject'
> & {
  /** Where the options in the body have the last word. */
  readonly dryRun?: boolean;
};

/** Asks the mutating webhooks and puts their answer through the same defaults. */
export async function mutate(
  call: Call,
  attempt: AdmissionAttempt,
  object: Stored,
): Promise<Stored> {
  const { admission } = call.core;
  const mutated = await admission.mutate(attempt, (warning) => call.warnings.push(warning));
  if (mutated['apiVersion'] !== apiVersionOf(call.resource)) {
    throw badRequest('a mutating webhook changed apiVersion, which it may not');
  }
  if (mutated === object) return object;
  prune(call.resource.schema, mutated);
  setDefaults(call, mutated);
  return mutated;
}
