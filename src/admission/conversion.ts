// The ConversionReview that comes in and the one that goes out, in version v1. Pure; the server
// (src/admission/server.ts) carries them, a webhook of a module converts.
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const version = 'apiextensions.k8s.io/v1';

/** The object in the version; throws ConversionError where that cannot be done. */
export type Convert = (from: unknown, apiVersion: string) => JsonObject;

/** What keeps an object from being converted, for a person. */
export class ConversionError extends Error {}

export type Converted =
  | { readonly ok: true; readonly review: JsonObject; readonly allowed: boolean }
  | { readonly ok: false; readonly problem: string };

/** The answer to the body of a POST: all objects, or why one of them cannot be converted. `onError`
 *  hears of bugs. */
export function convertAll(
  body: unknown,
  convert: Convert,
  onError: (error: unknown) => void,
): Converted {
  const isReview = at(body, 'kind') === 'ConversionReview' && at(body, 'apiVersion') === version;
  if (!isReview) return { ok: false, problem: `the body must be a ConversionReview of ${version}` };
  const request = at(body, 'request');
  if (!isObject(request)) return { ok: false, problem: 'request is missing' };
  const { objects } = request;
  const uid = text(request['uid']);
  const apiVersion = text(request['desiredAPIVersion']);
  if (uid === '' || apiVersion === '' || !Array.isArray(objects)) {
    const problem = 'request must have a uid, a desiredAPIVersion and a list of objects';
    return { ok: false, problem };
  }
  const response = responseTo(objects, apiVersion, convert, onError);
  const review = { apiVersion: version, kind: 'ConversionReview', response: { uid, ...response } };
  return { ok: true, review, allowed: 'convertedObjects' in response };
}

function responseTo(
  objects: readonly unknown[],
  apiVersion: string,
  convert: Convert,
  onError: (error: unknown) => void,
): JsonObject {
  const converted: JsonObject[] = [];
  for (const from of objects) {
    try {
      converted.push(convert(from, apiVersion));
    } catch (error) {
      if (!(error instanceof ConversionError)) onError(error);
      const message =
        error instanceof ConversionError
          ? `${nameOf(from)}: ${error.message}`
          : 'the webhook failed, see the log of the controller';
      return { result: { status: 'Failure', message } };
    }
  }
  return { convertedObjects: converted, result: { status: 'Success' } };
}

const nameOf = (from: unknown): string =>
  `${text(at(from, 'metadata', 'namespace'))}/${text(at(from, 'metadata', 'name'))}`;
