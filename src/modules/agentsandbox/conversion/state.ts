// What v1beta1 cannot express of a v1alpha1 object is kept beside it: the object as it was, as JSON
// in an annotation, which is not shown in v1alpha1 (spec agent-sandbox 1.9).
import { ConversionError } from '#src/admission/conversion.ts';
import { at, isObject, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** Name of the annotation of a kind. */
const stateOf = (kind: string): string =>
  `api.agents.x-k8s.io/v1alpha1-${kind.toLowerCase()}-state`;

/** The object without an annotation; none is left without any. */
export function withoutAnnotation(from: JsonObject, name: string): JsonObject {
  const { annotations, ...metadata } = object(from['metadata']);
  const { [name]: _dropped, ...others } = object(annotations);
  const kept = Object.keys(others).length === 0 ? {} : { annotations: others };
  return { ...from, metadata: { ...metadata, ...kept } };
}

export function withAnnotation(to: JsonObject, name: string, value: string): JsonObject {
  const metadata = object(to['metadata']);
  const annotations = { ...object(metadata['annotations']), [name]: value };
  return { ...to, metadata: { ...metadata, annotations } };
}

export const annotationOf = (from: JsonObject, name: string): string | undefined => {
  const value = at(from, 'metadata', 'annotations', name);
  return typeof value === 'string' ? value : undefined;
};

const kindOf = (from: JsonObject): string => text(from['kind']);

/** The v1beta1 object with the v1alpha1 object that it was made of. */
export function keepState(converted: JsonObject, original: JsonObject): JsonObject {
  const name = stateOf(kindOf(original));
  return withAnnotation(converted, name, JSON.stringify(withoutAnnotation(original, name)));
}

export const dropState = (from: JsonObject): JsonObject =>
  withoutAnnotation(from, stateOf(kindOf(from)));

/** The v1alpha1 object that a v1beta1 object was made of; undefined: it was made in v1beta1. Throws
 *  ConversionError for one that cannot be read. */
export function readState(from: JsonObject): JsonObject | undefined {
  const name = stateOf(kindOf(from));
  const state = annotationOf(from, name);
  if (state === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(state);
  } catch (error) {
    throw new ConversionError(`annotation ${name} is not JSON: ${String(error)}`);
  }
  if (!isObject(value)) throw new ConversionError(`annotation ${name} does not hold an object`);
  return value;
}
