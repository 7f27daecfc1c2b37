// What of an object is kept in memory. Reflectors and the writer pass every object through here
// before anybody else sees it: managedFields never get in, pods shrink to what machines decide
// on, and of a Secret only the metadata. Pure; the object given is not changed.
import { isObject, object, pick } from '#machines/json.ts';
import { apiKind, kindRow, type Kind } from '#machines/kinds.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '#machines/objects.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * The object as Coppice keeps it, or undefined when it has no name and so cannot be one.
 * `apiVersion` and `kind` are filled in: the items of a list come without them.
 */
export function prune(kind: Kind, raw: unknown): KubeObject | undefined {
  if (!isObject(raw)) return undefined;
  const metadata = pruneMetadata(raw['metadata']);
  if (metadata === undefined) return undefined;
  const { apiVersion } = kindRow(kind);
  if (kind === 'Pod') return { apiVersion, kind, metadata, ...prunePod(raw) };
  if (kind === 'ResourceClaim' || kind === 'Secret') return { apiVersion, kind, metadata };
  return { ...raw, apiVersion, kind: apiKind(kind), metadata };
}

function pruneMetadata(raw: unknown): ObjectMeta | undefined {
  const { managedFields: _owned, annotations, name, ...rest } = object(raw);
  if (typeof name !== 'string' || name === '') return undefined;
  if (!isObject(annotations)) return { name, ...rest };
  return { name, ...rest, annotations: pruneAnnotations(annotations) };
}

/** Copied only where something is to go: there may be very many. */
function pruneAnnotations(annotations: JsonObject): Record<string, string> {
  if (!Object.hasOwn(annotations, lastApplied) && areTexts(annotations)) return annotations;
  const { [lastApplied]: _applied, ...kept } = annotations;
  return textsOf(kept);
}

function areTexts(map: JsonObject): map is Record<string, string> {
  for (const key of Object.keys(map)) if (typeof map[key] !== 'string') return false;
  return true;
}

const textsOf = (map: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(map).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value]] : [],
    ),
  );

const podSpecFields = ['hostname', 'subdomain', 'nodeName', 'schedulerName', 'schedulingGates'];
const conditionFields = ['type', 'status', 'reason', 'message', 'lastTransitionTime'];

function prunePod(raw: JsonObject): Record<string, unknown> {
  const spec = object(raw['spec']);
  const status = object(raw['status']);
  return {
    spec: pick(spec, podSpecFields),
    status: {
      ...pick(status, ['phase', 'reason']),
      ...each(status, 'conditions', (condition) => pick(condition, conditionFields)),
      ...each(status, 'initContainerStatuses', pruneContainerStatus),
      ...each(status, 'containerStatuses', pruneContainerStatus),
    },
  };
}

function pruneContainerStatus(status: JsonObject): Record<string, unknown> {
  const state = Object.entries(object(status['state'])).map(([phase, detail]) => [
    phase,
    pick(object(detail), ['reason', 'exitCode', 'finishedAt']),
  ]);
  const exitCode = object(object(status['lastState'])['terminated'])['exitCode'];
  return {
    ...pick(status, ['name', 'ready', 'started', 'restartCount']),
    ...(state.length === 0 ? {} : { state: Object.fromEntries(state) }),
    ...(exitCode === undefined ? {} : { lastState: { terminated: { exitCode } } }),
  };
}

/** The list under `field`, each entry reduced; nothing where there is no such list. */
function each(
  from: JsonObject,
  field: string,
  reduce: (entry: JsonObject) => Record<string, unknown>,
): Record<string, unknown> {
  const list = from[field];
  return Array.isArray(list) ? { [field]: list.map((entry) => reduce(object(entry))) } : {};
}
