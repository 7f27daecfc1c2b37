// The annotation of client-side `kubectl apply` beside server-side apply: kubectl's first
// server-side apply takes over what its client-side apply set, and the annotation follows the new
// configuration.
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Stored } from '../contract.ts';
import { objectSchema } from '../schema/object-schema.ts';
import { isRecord, valueAt } from '../schema/record.ts';
import type { ApplyConflict } from './conflicts.ts';
import { pathsOf, printPath } from './field-set.ts';
import type { ApplyRequest } from './ownership.ts';
import { compare, fieldsOf } from './typed.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Only kubectl's own manager name takes over; another `--field-manager` opts out. */
const upgrader = 'kubectl';

function lastApplied(live: Stored | undefined): Record<string, unknown> | undefined {
  const text = valueAt(live, 'metadata', 'annotations', annotation);
  if (typeof text !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** True where every conflict is about a field that client-side apply set and nobody changed
 *  since. */
export function allowUpgrade(request: ApplyRequest, conflicts: readonly ApplyConflict[]): boolean {
  if (request.manager !== upgrader) return false;
  const last = lastApplied(request.live);
  if (last === undefined) return false;
  const schema = objectSchema(request.schema);
  const changed = compare(last, request.live, schema).modified;
  const foreign = new Set(pathsOf(changed).map(printPath));
  const own = new Set(pathsOf(fieldsOf(last, schema)).map(printPath));
  return conflicts.every(({ field }) => own.has(field) && !foreign.has(field));
}

/** The object with the annotation brought up to date, where it has one and kubectl applies. */
export function refreshLastApplied(request: ApplyRequest, object: Stored): Stored {
  const { annotations } = object.metadata;
  if (request.manager !== upgrader || !isRecord(annotations)) return object;
  const current = annotations[annotation];
  if (typeof current !== 'string') return object;
  if (isEqual(lastApplied(object), request.applied)) return object;
  const text = `${JSON.stringify(request.applied)}\n`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [annotation]: text } },
  };
}
