// Who edited what: the part of an `observed` fact that says which fields of an object somebody has
// changed, and who that was. It names fields and never what is in them, as that may be a secret.
// Called by the intake for changes that nothing of ours led to.
import type { Editors } from '#machines/kubernetes/editors.ts';
import { isObject, object as objectIn } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { epoch } from '#machines/kubernetes/time.ts';
import type { Limits } from '../limits.ts';
import type { Observation } from '../ports.ts';

type Bounds = Pick<Limits, 'editPaths' | 'editPathText'>;

/** Undefined where nobody is named, and of a deletion, of which nobody keeps the name. */
export function editIn(
  observation: Observation,
  before: KubeObject | undefined,
  bounds: Bounds,
): JsonObject | undefined {
  if (observation.type === 'gone' || observation.editors === undefined) return undefined;
  const { editors, object: after } = observation;
  const { paths, isCut } = changedPaths(before, after, bounds);
  const wasThere = before?.metadata.deletionTimestamp;
  if (paths.length === 0 && after.metadata.deletionTimestamp !== wasThere) return undefined;
  const { manager, operation, at, subresource } = editorOf(editors, paths);
  return {
    manager: manager.slice(0, bounds.editPathText),
    operation: operation.slice(0, bounds.editPathText),
    ...(subresource === '' ? {} : { subresource: subresource.slice(0, bounds.editPathText) }),
    at: epoch(at) ?? null,
    paths: [...paths],
    ...(isCut && { more: true }),
  };
}

/** Several may have written between two versions that were seen: the newest of those who write
 *  what has changed. */
function editorOf(editors: Editors, paths: readonly string[]): Editors['newest'] {
  if (paths.some((path) => path.startsWith('spec'))) return editors.ofSpec;
  return paths.length > 0 ? editors.besidesStatus : editors.newest;
}

/** Of spec, labels and annotations. None for an object that is new: all of it is. */
function changedPaths(
  before: KubeObject | undefined,
  after: KubeObject,
  bounds: Bounds,
): { readonly paths: readonly string[]; readonly isCut: boolean } {
  const paths: string[] = [];
  if (before === undefined) return { paths, isCut: false };
  const most = bounds.editPaths + 1;
  collect(before['spec'], after['spec'], 'spec', paths, most);
  for (const field of ['labels', 'annotations'] as const) {
    const [old, fresh] = [objectIn(before.metadata[field]), objectIn(after.metadata[field])];
    collect(old, fresh, `metadata.${field}`, paths, most);
  }
  const shown = paths.slice(0, bounds.editPaths);
  return { paths: shown.map((path) => cut(path, bounds)), isCut: paths.length === most };
}

/** Goes down to the deepest field that differs, to a whole list where that has another length. */
function collect(a: unknown, b: unknown, path: string, paths: string[], most: number): void {
  if (a === b || paths.length === most) return;
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      collect(valueAt(a, key), valueAt(b, key), `${path}${step(key)}`, paths, most);
    }
  } else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    a.forEach((item, index) => collect(item, b[index], `${path}[${index}]`, paths, most));
  } else paths.push(path);
}

const valueAt = (value: JsonObject, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** As in a JSONPath of kubectl. */
const step = (key: string): string => (/^[\w-]+$/.test(key) ? `.${key}` : `['${key}']`);

const cut = (path: string, { editPathText }: Bounds): string =>
  path.length > editPathText ? `${path.slice(0, editPathText - 1)}…` : path;
