// What every object goes through between its arrival and its commit: unknown fields, defaults, the
// kind's own preparation, webhooks, validation. create.ts and update.ts call it; it writes nothing.
import type { FieldError, Stored } from '#src/devcluster/contract.ts';
import { applyDefaults, prune, validate } from '#src/devcluster/schema/structural.ts';
import { duplicateFields } from '#src/devcluster/schema/duplicates.ts';
import { validateRules } from '#src/devcluster/schema/cel.ts';
import {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '#src/devcluster/strategies/object-meta.ts';
import { nameRuleOf } from '#src/devcluster/strategies/index.ts';
import type { AdmissionAttempt } from './admission.ts';
import { mediaTypeOf } from './body.ts';
import type { Call } from './call.ts';
import { nameOf } from './collection.ts';
import { isDefinition } from './definitions.ts';
import { badOption, badRequest, invalid } from './errors.ts';
import { apiVersionOf, storageKey } from './registry.ts';

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

const cannotHandle = ({ resource }: Call, why: string): Error =>
  badRequest(
    `${resource.kind} in version "${resource.version}" ` +
      `cannot be handled as a ${resource.kind}: ${why}`,
  );

/** Fills in defaults: the schema's, then the kind's own. Wrong types are refused before. */
export function setDefaults(call: Call, object: Stored): void {
  const { resource, core } = call;
  applyDefaults(resource.schema, object);
  if (!resource.custom) refuseWrongTypes(call, object);
  resource.strategy.defaults?.(object, core.environment);
}

/** A built-in kind with a wrong type cannot even be decoded: 400, not 422, as with Go's types. */
function refuseWrongTypes(call: Call, object: Stored): void {
  const wrong = validate(call.resource.schema, object).find(
    (error) => error.type === 'FieldValueTypeInvalid',
  );
  if (wrong === undefined) return;
  throw cannotHandle(call, `json: cannot unmarshal ${wrong.field}: ${wrong.detail}`);
}

/** Throws Invalid with everything that is wrong with the object. */
export function checkObject(call: Call, object: Stored, live: Stored | undefined): void {
  const { resource } = call;
  const { subresource } = call.target;
  const rule = nameRuleOf(storageKey(resource));
  const native = !resource.custom && !isDefinition(resource);
  const errors: FieldError[] = [...validateObjectMeta(object, resource.namespaced, rule, native)];
  if (live !== undefined) errors.push(...validateObjectMetaUpdate(object, live));
  const shape = resource.custom ? validate(resource.schema, object) : [];
  errors.push(...shape);
  // Rules may assume the shape, as in Kubernetes.
  if (resource.custom && shape.length === 0) {
    errors.push(...validateRules(resource.schema, object, live));
  }
  if (live === undefined) errors.push(...(resource.strategy.validate?.(object, subresource) ?? []));
  else errors.push(...(resource.strategy.validateUpdate?.(object, live, subresource) ?? []));
  if (errors.length > 0) throw invalid(resource, nameOf(object), errors);
}

/** What the webhooks are told about this request. */
export function attemptOf(call: Call, parts: Attempted): AdmissionAttempt {
  const { resource, target, user, dryRun } = call;
  return {
    ...parts,
    resource,
    subresource: target.subresource,
    namespace: target.namespace,
    user,
    dryRun,
  };
}

type Attempted = Pick<AdmissionAttempt, 'operation' | 'name' | 'options' | 'object' | 'oldObject'>;

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
