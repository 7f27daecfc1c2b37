// The AdmissionReview that goes to a webhook and the one that comes back, in version v1. Pure.
// call.ts puts them together.
import { isTrue, listAt, numberAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import { ApiError } from '#src/devcluster/api/errors.ts';
import { apiVersionOf } from '#src/devcluster/api/resources/registry.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import type { Webhook } from './webhook.ts';

/** The kind that the objects of a request have: that of the subresource where it has its own. */
function kindOf(resource: ResourceInfo, subresource: string): JsonObject {
  const own = resource.subresources.find((each) => each.name === subresource);
  return {
    group: own?.group ?? resource.group,
    version: own?.version ?? resource.version,
    kind: own?.kind ?? resource.kind,
  };
}

const resourceOf = ({ group, version, plural }: ResourceInfo): JsonObject => ({
  group,
  version,
  resource: plural,
});

/** An object as another version of its resource has it: only apiVersion differs. */
function asVersion(object: Stored | undefined, resource: ResourceInfo): Stored | null {
  return object === undefined ? null : { ...object, apiVersion: apiVersionOf(resource) };
}

/** `resource`: the version that the webhook asked for. */
export function reviewRequest(
  attempt: AdmissionAttempt,
  resource: ResourceInfo,
  uid: string,
): JsonObject {
  const { user, subresource, namespace } = attempt;
  const within =
    subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  const extra: JsonObject = {};
  for (const [key, values] of Object.entries(user.extra ?? {})) extra[key] = [...values];
  return {
    uid,
    kind: kindOf(resource, subresource),
    resource: resourceOf(resource),
    ...within,
    requestKind: kindOf(attempt.resource, subresource),
    requestResource: resourceOf(attempt.resource),
    name: attempt.name,
    ...(namespace === '' ? {} : { namespace }),
    operation: attempt.operation,
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    },
    object: asVersion(attempt.object, resource),
    oldObject: asVersion(attempt.oldObject, resource),
    dryRun: attempt.dryRun,
    options: attempt.options,
  };
}

export interface Verdict {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
  /** Operations of a JSON patch; undefined: none. */
  readonly patch: unknown;
  /** The Status of a refusal. */
  readonly status: JsonObject;
}

/** Throws an Error that says what is wrong with the answer. */
export function readVerdict(body: unknown, uid: string, mutating: boolean): Verdict {
  if (!isObject(body)) throw new Error('the answer is not a JSON object');
  const version = textAt(body, 'apiVersion');
  if (textAt(body, 'kind') !== 'AdmissionReview' || version !== 'admission.k8s.io/v1') {
    const got = `${version}, Kind=${textAt(body, 'kind')}`;
    throw new Error(
      `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`,
    );
  }
  const response = objectAt(body, 'response');
  if (response === undefined) throw new Error('webhook response was absent');
  const sent = textAt(response, 'uid');
  if (sent !== uid) throw new Error(`expected response.uid="${uid}", got "${sent}"`);
  return {
    allowed: isTrue(response, 'allowed'),
    warnings: listAt(response, 'warnings').filter((each) => typeof each === 'string'),
    patch: readPatch(response, mutating),
    status: objectAt(response, 'status') ?? {},
  };
}

function readPatch(response: JsonObject, mutating: boolean): unknown {
  const encoded = textAt(response, 'patch');
  const type = textAt(response, 'patchType');
  if (encoded === '' && type === '') return undefined;
  if (!mutating) throw new Error('validating webhook may not return a patch');
  if (encoded === '') throw new Error('webhook returned response.patchType but not response.patch');
  if (type !== 'JSONPatch')
    throw new Error(`webhook returned invalid response.patchType of "${type}"`);
  return JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
}

/** What a client sees of a refusal. */
export function denial(webhook: Webhook, status: JsonObject): ApiError {
  const by = `admission webhook "${webhook.name}" denied the request`;
  const code = numberAt(status, 'code') ?? 0;
  const reason = textAt(status, 'reason');
  const why = textAt(status, 'message') || reason;
  const details = objectAt(status, 'details');
  return new ApiError({
    // A refusal is an error whatever the webhook says.
    code: code < 400 ? 400 : code,
    reason,
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(details === undefined ? {} : { details }),
  });
}

export const internalError = (why: string): ApiError =>
  new ApiError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  });
