// The answers that say no: Kubernetes' Status objects with the reasons, codes and wordings that
// clients compare and users see. Thrown anywhere below server.ts, rendered there.
import { fieldErrorBody, fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { ResourceInfo } from '../contract.ts';

/** What an error message needs to know of a resource. */
export type Named = Pick<ResourceInfo, 'group' | 'plural' | 'kind'>;

export interface StatusParts {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly metadata?: JsonObject;
  /** Also sent as the header Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** A refusal with its Status object. */
export class ApiError extends Error {
  readonly parts: StatusParts;

  constructor(parts: StatusParts) {
    super(parts.message);
    this.name = 'ApiError';
    this.parts = parts;
  }

  get code(): number {
    return this.parts.code;
  }

  toStatus(): JsonObject {
    return statusOf(this.parts);
  }
}

export function statusOf(parts: StatusParts): JsonObject {
  const details: JsonObject = { ...parts.details };
  if (parts.retryAfterSeconds !== undefined) details['retryAfterSeconds'] = parts.retryAfterSeconds;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: parts.metadata ?? {},
    status: 'Failure',
    message: parts.message,
    ...(parts.reason === '' ? {} : { reason: parts.reason }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    code: parts.code,
  };
}

/** `pods`, `deployments.apps`. */
export const qualified = (resource: Named): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;

const detailsOf = (resource: Named, name: string, more: JsonObject = {}): JsonObject => ({
  ...(name === '' ? {} : { name }),
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
  ...more,
});

export const notFound = (resource: Named, name: string): ApiError =>
  new ApiError({
    code: 404,
    reason: 'NotFound',
    message: `${qualified(resource)} "${name}" not found`,
    details: detailsOf(resource, name),
  });

export const alreadyExists = (resource: Named, name: string): ApiError =>
  new ApiError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${qualified(resource)} "${name}" already exists`,
    details: detailsOf(resource, name),
  });

export const conflict = (resource: Named, name: string, why: string): ApiError =>
  new ApiError({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
    details: detailsOf(resource, name),
  });

export const modified = (resource: Named, name: string): ApiError =>
  conflict(
    resource,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const forbidden = (
  resource: Named,
  name: string,
  why: string,
  causes?: JsonObject[],
): ApiError =>
  new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${qualified(resource)} "${name}" is forbidden: ${why}`,
    details: detailsOf(resource, name, causes === undefined ? {} : { causes }),
  });

export const badRequest = (message: string): ApiError =>
  new ApiError({ code: 400, reason: 'BadRequest', message });

export const otherName = (sent: string, addressed: string): ApiError =>
  badRequest(`the name of the object (${sent}) does not match the name on the URL (${addressed})`);

export const unauthorized = (): ApiError =>
  new ApiError({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });

/** 404 for a path that no resource answers. */
export const noSuchPath = (): ApiError =>
  new ApiError({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  });

export const methodNotAllowed = (): ApiError =>
  new ApiError({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  });

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - ' +
      `accepted media types include: ${accepted.join(', ')}`,
  });

export const tooLarge = (limit: number): ApiError =>
  new ApiError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });

/** The version or continue token is older than what is kept. */
export const expired = (message: string, metadata?: JsonObject): ApiError =>
  new ApiError({
    code: 410,
    reason: 'Expired',
    message,
    ...(metadata === undefined ? {} : { metadata }),
  });

export const versionTooLarge = (asked: number, current: number): ApiError =>
  new ApiError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    },
    retryAfterSeconds: 1,
  });

/** An option of the request that is not one, e.g. of `CreateOptions`. */
export const badOption = (kind: string, error: FieldError): ApiError =>
  invalid({ group: 'meta.k8s.io', kind }, '', [error]);

/** A fault of the server in the words of its library: a 500 without a reason. */
export const unexplained = (message: string): ApiError =>
  new ApiError({ code: 500, reason: '', message });

/** 422 with one cause per field error. */
export function invalid(
  resource: Pick<Named, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const kind = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`;
  const listed = fieldErrorTexts(errors);
  const causes: Json[] = errors.map((error) => ({
    reason: error.type,
    message: fieldErrorBody(error),
    field: error.field || '<nil>',
  }));
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid: ${listed}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.kind,
      causes,
    },
  });
}
