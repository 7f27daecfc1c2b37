// PATCH in its four forms. JSON, merge and strategic patches derive the next object from the live
// one; server-side apply merges by field ownership and creates what is not there.
import { textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Schema, Stored } from '#src/devcluster/contract.ts';
import { serverSideApply } from '#src/devcluster/patch/apply.ts';
import { conflictCauses, conflictMessage } from '#src/devcluster/patch/conflicts.ts';
import type { ApplyConflict } from '#src/devcluster/patch/conflicts.ts';
import { goText } from '#src/devcluster/patch/go-text.ts';
import { jsonPatch } from '#src/devcluster/patch/json.ts';
import type { PatchResult } from '#src/devcluster/patch/json.ts';
import { mergePatch } from '#src/devcluster/patch/merge.ts';
import { strategicPatch } from '#src/devcluster/patch/strategic.ts';
import { unknownFields, validate } from '#src/devcluster/schema/structural.ts';
import { collectionOf } from '../call.ts';
import type { Call } from '../call.ts';
import { once } from '../conversion.ts';
import {
  badOption,
  unexplained,
  ApiError,
  badRequest,
  invalid,
  notFound,
  unsupportedMediaType,
} from '../errors.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { copyJson } from '../store/copy.ts';
import { shownAs } from '../store/versions.ts';
import { expectedOf, asExpected, mediaTypeOf, readJson } from '../wire/body.ts';
import { stored } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';
import { isOn } from '../wire/request.ts';
import { createObject } from './create.ts';
import { dropUnknown, WrongType } from './prepare.ts';
import { replace } from './update.ts';
import type { Wanted } from './update.ts';

export const jsonPatchType = 'application/json-patch+json';
export const mergePatchType = 'application/merge-patch+json';
export const strategicPatchType = 'application/strategic-merge-patch+json';
export const applyPatchType = 'application/apply-patch+yaml';

/** PATCH of an object, or of it through `/status`. */
export async function patch(call: Call): Promise<Reply> {
  if (mediaTypeOf(call.request) === applyPatchType) return apply(call);
  const derive = deriver(call);
  let wanted: Stored | undefined;
  let object: Stored;
  try {
    object = await replace(call, 'PatchOptions', (live) => {
      wanted = derive(live);
      return { object: wanted };
    });
  } catch (error) {
    throw error instanceof WrongType ? undecodable(patchedText(call, wanted), error.why) : error;
  }
  return once(shownAs(call, object), (shown) => stored(shown));
}

/** How a refusal shows what was patched: a strategic patch is shown itself. */
function patchedText({ request }: Call, next: Stored | undefined): string {
  const body = readJson(request, [mediaTypeOf(request)]);
  return mediaTypeOf(request) === strategicPatchType
    ? goText(body ?? null)
    : JSON.stringify(next ?? null);
}

/** The patch leaves something that is no object of the kind. */
export const undecodable = (value: string, detail: string): ApiError =>
  invalid({ group: '', kind: '' }, '', [
    { type: 'FieldValueInvalid', field: 'patch', value, detail },
  ]);

/** The patch types that the resource takes: custom resources have no strategic merge. */
export const patchTypesOf = (custom: boolean): string[] =>
  custom
    ? [jsonPatchType, mergePatchType, applyPatchType]
    : [jsonPatchType, mergePatchType, strategicPatchType, applyPatchType];

function deriver(call: Call): (live: Stored) => Stored {
  const patched = patcher(call);
  return (live) => {
    const next = copyJson(patched(live));
    if (!isObject(next)) throw badRequest('the patch leaves no object');
    const { resource } = call;
    const object = asExpected(next, expectedOf(resource));
    dropUnknown(call, object);
    return object;
  };
}

/** The patch of the request as a function; also used for the scale subresource. */
export function patcher(call: Call): (target: Stored) => Json {
  const accepted = patchTypesOf(call.resource.custom);
  const mediaType = mediaTypeOf(call.request);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  const body = readJson(call.request, accepted);
  if (mediaType === jsonPatchType) {
    if (!Array.isArray(body))
      throw badRequest(
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      );
    return (target) => valueOf(jsonPatch(target, body), unprocessable);
  }
  if (!isObject(body)) throw badRequest('a merge patch must be an object');
  if (mediaType === mergePatchType) return (target) => mergePatch(target, body);
  const { schema } = call.resource;
  return (target) => {
    const result = strategicPatch(target, body, schema);
    if (!('error' in result)) return result.value;
    throw result.isFault === true ? unexplained(result.error) : badRequest(result.error);
  };
}

function valueOf<T>(result: PatchResult<T>, refusal: (message: string) => Error): T {
  if ('error' in result) throw refusal(result.error);
  return result.value;
}

/** A JSON patch that does not fit the object, e.g. a failed `test`. Which part, the server keeps to
 *  itself. */
const unprocessable = (): Error =>
  new ApiError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });

async function apply(call: Call): Promise<Reply> {
  const { resource, target } = call;
  const manager = call.query.get('fieldManager') ?? '';
  if (manager === '') {
    throw badOption('PatchOptions', {
      type: 'FieldValueRequired',
      field: 'fieldManager',
      detail: 'is required for apply patch',
    });
  }
  const applied = readApplied(call);
  const live = collectionOf(call).get(target.namespace, target.name);
  if (live === undefined) {
    if (target.subresource !== '') throw notFound(resource, target.name);
    const { object } = merged(call, undefined, applied, manager);
    object.metadata['name'] = target.name;
    delete object.metadata['resourceVersion'];
    const created = await createObject(call, object, { managed: true });
    return once(shownAs(call, created), (shown) => stored(shown, 201));
  }
  const object = await replace(call, 'PatchOptions', (now) => merged(call, now, applied, manager));
  return once(shownAs(call, object), (shown) => stored(shown));
}

function readApplied(call: Call): Stored {
  const { resource, target } = call;
  const body = readJson(call.request, [applyPatchType]);
  if (!isObject(body)) throw badRequest('the body of an apply must be an object');
  if (textAt(body, 'kind') === '' || textAt(body, 'apiVersion') === '') {
    throw badRequest(
      'invalid object type: an apply must say apiVersion and kind, ' +
        `here ${apiVersionOf(resource)} and ${resource.kind}`,
    );
  }
  if (body['kind'] !== resource.kind || body['apiVersion'] !== apiVersionOf(resource)) {
    const [version = '', group = ''] = textAt(body, 'apiVersion').split('/').toReversed();
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${textAt(body, 'kind')}`);
  }
  const applied = asExpected(body, expectedOf(resource));
  const name = textAt(applied.metadata, 'name');
  if (name !== '' && name !== target.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${target.name})`,
    );
  }
  if (Array.isArray(applied.metadata['managedFields'])) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const sentNamespace = textAt(applied.metadata, 'namespace');
  applied.metadata['name'] = target.name;
  if (resource.namespaced) applied.metadata['namespace'] = target.namespace;
  const complaint = typeComplaint(resource.schema, applied);
  if (complaint === undefined) return applied;
  const { group, version, kind } = resource;
  const place = `${sentNamespace}/${target.name}; ${group}/${version}, Kind=${kind}`;
  throw unexplained(`failed to create typed patch object (${place}): ${complaint}`);
}

/** As the library of server-side apply names the types. */
const typeWords: Readonly<Record<string, string>> = {
  array: 'list',
  object: 'map',
  integer: 'numeric (int or float)',
  number: 'numeric (int or float)',
};

function typeComplaint(schema: Schema, applied: Stored): string | undefined {
  const [unknown] = unknownFields(schema, applied);
  if (unknown !== undefined) return `.${unknown}: field not declared in schema`;
  for (const { type, field, value, detail } of validate(schema, applied)) {
    // A wrong format, or a fraction for an integer, is found later.
    const expected = /must be of type (string|boolean|array|object|integer|number): "(?!number)/;
    const word = expected.exec(detail)?.[1];
    if (type !== 'FieldValueTypeInvalid' || word === undefined) continue;
    return `.${field}: expected ${typeWords[word] ?? word}, got ${String(value)}`;
  }
  return undefined;
}

/** The live object with the applied fields; throws the conflicts with other owners. */
function merged(call: Call, live: Stored | undefined, applied: Stored, manager: string): Wanted {
  const force = isOn(call.query.get('force'));
  const result = serverSideApply({
    live,
    applied: copyJson(applied),
    manager,
    force,
    schema: call.resource.schema,
    now: rfc3339(call.core.environment.clock.now()),
    subresource: call.target.subresource,
    apiVersion: apiVersionOf(call.resource),
  });
  if ('conflicts' in result) throw applyConflict(result.conflicts);
  if ('error' in result) throw badRequest(result.error);
  return { object: copyJson(result.object), managed: true };
}

const applyConflict = (conflicts: readonly ApplyConflict[]): ApiError =>
  new ApiError({
    code: 409,
    reason: 'Conflict',
    message: conflictMessage(conflicts),
    details: { causes: conflictCauses(conflicts) },
  });
