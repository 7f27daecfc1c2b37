// The trace that a client has put an object into: the annotation `opentelemetry.io/trace-context`,
// a JSON object of W3C headers (spec agent-sandbox 2.7). Read by the intake for facts that begin a
// trace.
import type { ObjectMeta } from './objects.ts';
import { isObject } from './json.ts';

export const traceContextAnnotation = 'opentelemetry.io/trace-context';

/** Longer ones are not read: three headers of W3C have room in it. */
const maxLength = 4_096;

/** https://www.w3.org/TR/trace-context/#traceparent-header, of any version but ff. */
const form = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The header `traceparent` of the annotation; undefined: there is none, or it cannot be read. */
export function traceparentIn({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const text: unknown = annotations?.[traceContextAnnotation];
  if (typeof text !== 'string' || text.length > maxLength) return undefined;
  const headers = parsed(text);
  const parent = isObject(headers) ? headers['traceparent'] : undefined;
  return typeof parent === 'string' && form.test(parent) ? parent : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
