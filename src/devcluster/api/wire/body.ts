// Request bodies: JSON, YAML or protobuf into plain JSON of the expected kind. Anything else is
// refused with the media types that are understood.
import { parse as parseYaml } from 'yaml';
import { textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { decodeProtobuf } from '#src/devcluster/protobuf/decode.ts';
import { duplicateFields } from '#src/devcluster/schema/duplicates.ts';
import { type ApiError, badRequest, invalid, unsupportedMediaType } from '../errors.ts';
import { depthLimit } from '../limits.ts';
import { apiVersionOf } from '../resources/registry.ts';
import { isTooDeep } from './depth.ts';
import type { ApiRequest } from './request.ts';

export const objectMediaTypes = ['application/json', 'application/yaml'];

/** `application/json; charset=utf-8` to `application/json`. */
export const mediaTypeOf = (request: ApiRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** The body as plain JSON that belongs to the caller; undefined when there is none. */
export function readJson(request: ApiRequest, mediaTypes: readonly string[]): Json | undefined {
  const value = readValue(request, mediaTypes);
  if (isTooDeep(value)) throw tooDeep();
  return value;
}

const tooDeep = (): ApiError =>
  badRequest(`the body of the request is nested deeper than ${depthLimit}: make it flatter`);

function readValue(request: ApiRequest, mediaTypes: readonly string[]): Json | undefined {
  const { body } = request;
  if (body.kind === 'none') return undefined;
  if (body.kind === 'bytes') return readProtobuf(body.bytes);
  const mediaType = mediaTypeOf(request);
  if (mediaType !== '' && !mediaTypes.includes(mediaType)) throw unsupportedMediaType(mediaTypes);
  if (body.kind === 'value') return body.value;
  if (body.text.trim() === '') return undefined;
  if (!mediaType.endsWith('yaml')) return readText(body.text);
  return plainJson(body.text) ?? readYaml(body.text);
}

/** Most YAML that clients send is JSON, which is read in a tenth of the time. Not with a field
 *  twice: the parser of YAML refuses that. */
function plainJson(text: string): Json | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return duplicateFields(text).length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

function readText(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

function readYaml(text: string): Json {
  try {
    // YAML is a superset of JSON; the core schema yields only what JSON can hold.
    return JSON.parse(JSON.stringify(parseYaml(text) ?? null));
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
}

function readProtobuf(bytes: Uint8Array): Json {
  try {
    return decodeProtobuf(bytes);
  } catch (error) {
    throw badRequest(`error decoding protobuf: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** What the body must be. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  /** True: both must be said, as for custom kinds; otherwise the address says them. */
  readonly strict?: boolean;
}

export const expectedOf = (resource: ResourceInfo): Expected => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  strict: resource.custom,
});

/** The body as an object of the expected kind. A missing apiVersion or kind is filled in. */
export function readObject(request: ApiRequest, expected: Expected): Stored {
  const value = readJson(request, objectMediaTypes);
  if (!isObject(value)) throw badRequest('the body of the request must hold an object');
  return asExpected(value, expected);
}

/** Checks and completes apiVersion, kind and metadata. */
export function asExpected(value: JsonObject, expected: Expected): Stored {
  const { apiVersion, kind } = expected;
  const sentVersion = value['apiVersion'] ?? apiVersion;
  const sentKind = value['kind'] ?? kind;
  if (expected.strict === true && (value['kind'] ?? '') === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing`,
    );
  }
  const told = `${String(sentKind)} in version "${String(sentVersion)}"`;
  if (sentVersion !== apiVersion) {
    const why =
      `the API version in the data (${String(sentVersion)}) ` +
      `does not match the expected API version (${apiVersion})`;
    throw badRequest(
      expected.strict === true ? why : `${told} cannot be handled as a ${kind}: ${why}`,
    );
  }
  if (sentKind !== kind && expected.strict === true) {
    const group = apiVersion.split('/').at(-2) ?? '';
    const metadata = isObject(value['metadata']) ? value['metadata'] : {};
    throw invalid({ group, kind: String(sentKind) }, textAt(metadata, 'name'), [
      { type: 'FieldValueInvalid', field: 'kind', value: sentKind, detail: `must be ${kind}` },
    ]);
  }
  if (sentKind !== kind) {
    throw badRequest(
      `${told} cannot be handled as a ${kind}: the kind in the data ` +
        `(${String(sentKind)}) does not match the expected kind (${kind})`,
    );
  }
  const metadata = value['metadata'] ?? {};
  if (!isObject(metadata)) throw badRequest('metadata must be an object');
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = value;
  return { apiVersion, kind, metadata, ...rest };
}
