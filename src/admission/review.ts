// The AdmissionReview that comes in and the one that goes out, in version v1. Pure; the server
// (src/admission/server.ts) carries them.
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { PatchOperation } from './defaults.ts';
import type { FieldError } from './rule.ts';

const version = 'admission.k8s.io/v1';

/** The part of a request that the webhooks read. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  /** Group and plural, without the version: `grove.io/podcliquesets`, `pods`. */
  readonly resource: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly object: unknown;
  readonly oldObject: unknown;
}

/** What a webhook says to a request. */
export interface Answer {
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  readonly patch?: readonly PatchOperation[];
  /** Of a refusal: Kubernetes' Status, without its `kind`. */
  readonly status?: JsonObject;
}

export const allowed: Answer = { allowed: true };

/** A refusal for any other reason than field errors. */
export const refused = (code: number, reason: string, message: string): Answer => ({
  allowed: false,
  status: { status: 'Failure', code, reason, message },
});

/** More errors than anybody reads; an answer must stay small. */
const shownErrors = 200;

/**
 * A refusal as Grove sends it: 403 with all field errors as one text (spec api 3.1), and each of
 * them as a cause for programs.
 */
export function invalid(
  { kind, name }: { readonly kind: string; readonly name: string },
  errors: readonly FieldError[],
): Answer {
  const shown = errors.slice(0, shownErrors);
  const rest = errors.length - shown.length;
  const causes: Json[] = shown.map((error) => ({
    reason: error.type,
    message: fieldErrorTexts([error]).slice(error.field.length + 2),
    field: error.field,
  }));
  const message = fieldErrorTexts(shown) + (rest === 0 ? '' : ` and ${rest} more errors`);
  const details = { ...(name === '' ? {} : { name }), group: 'grove.io', kind, causes };
  return {
    allowed: false,
    status: { status: 'Failure', code: 403, reason: 'Forbidden', message, details },
  };
}

export type Decoded =
  | { readonly ok: true; readonly request: AdmissionRequest }
  | { readonly ok: false; readonly problem: string };

/** The request in the body of a POST. */
export function decodeReview(body: unknown): Decoded {
  const kind = at(body, 'kind');
  const apiVersion = at(body, 'apiVersion');
  if (kind !== 'AdmissionReview' || apiVersion !== version) {
    return { ok: false, problem: `the body must be an AdmissionReview of ${version}` };
  }
  const request = at(body, 'request');
  if (!isObject(request)) return { ok: false, problem: 'request is missing' };
  const uid = text(request['uid']);
  if (uid === '') return { ok: false, problem: 'request.uid is missing' };
  const group = text(at(request, 'resource', 'group'));
  const plural = text(at(request, 'resource', 'resource'));
  return {
    ok: true,
    request: {
      uid,
      operation: text(request['operation']),
      resource: group === '' ? plural : `${group}/${plural}`,
      plural,
      namespace: text(request['namespace']),
      name: text(request['name']),
      user: text(at(request, 'userInfo', 'username')),
      object: request['object'] ?? undefined,
      oldObject: request['oldObject'] ?? undefined,
    },
  };
}

/** What is sent back. */
export function encodeReview(uid: string, answer: Answer): JsonObject {
  const { warnings = [], patch = [], status } = answer;
  const operations: Json[] = patch.map((operation) => ({ ...operation }));
  return {
    apiVersion: version,
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: answer.allowed,
      ...(status === undefined ? {} : { status }),
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
      ...(operations.length === 0
        ? {}
        : {
            patchType: 'JSONPatch',
            patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
          }),
    },
  };
}
