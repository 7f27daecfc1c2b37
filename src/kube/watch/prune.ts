// What of an object is kept in memory. Reflectors and the writer pass every object through here
// before anybody else sees it: managedFields never get in, and of the rest what the row of its kind
// keeps (machines/contract/kind.ts). Of the object given only strings are changed, for equal ones.
import { kindRow, type Kind } from '#machines/kinds.ts';
import { isObject, object, stringMap, type StringMap } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '#machines/kubernetes/objects.ts';
import { shareStrings } from './strings.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object as Coppice keeps it, or undefined when it has no name and so cannot be one.
 * `apiVersion` and `kind` are filled in: the items of a list come without them.
 */
export function prune(kind: Kind, raw: unknown): KubeObject | undefined {
  if (!isObject(raw)) return undefined;
  const metadata = pruneMetadata(raw['metadata']);
  if (metadata === undefined) return undefined;
  const { apiVersion, kind: name = kind, keeps } = kindRow(kind);
  const kept = keeps === undefined ? raw : keeps(raw);
  return shareStrings({ ...kept, apiVersion, kind: name, metadata });
}

function pruneMetadata(raw: unknown): ObjectMeta | undefined {
  const { managedFields: _owned, annotations, name, ...rest } = object(raw);
  if (typeof name !== 'string' || name === '') return undefined;
  if (!isObject(annotations)) return { name, ...rest };
  return { name, ...rest, annotations: pruneAnnotations(annotations) };
}

/** Copied only where something is to go: there may be very many. */
function pruneAnnotations(annotations: JsonObject): StringMap {
  if (!Object.hasOwn(annotations, lastApplied)) return stringMap(annotations);
  const { [lastApplied]: _applied, ...kept } = annotations;
  return stringMap(kept);
}
