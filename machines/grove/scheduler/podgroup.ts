// A backend's PodGroup as its PodGang wants it: built where it is missing, patched where it
// differs. The same for all backends; what differs between them is the desired object (backend.ts).
import { apiKind, kindRow } from '../../contract/kinds.ts';
import { isObject, list, text } from '../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../kubernetes/merge.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import type { BackendPodGroup, ObservedGang, PodGroupKind } from '../objects/podgang.ts';
import type { Desired } from './backend.ts';
import { controlledBy } from '../objects/labels.ts';

export const buildPodGroup = (
  kind: PodGroupKind,
  gang: ObservedGang,
  desired: Desired,
): KubeObject => ({
  apiVersion: kindRow(kind).apiVersion,
  kind: apiKind(kind),
  metadata: {
    name: gang.name,
    namespace: gang.namespace,
    labels: desired.labels,
    ...(Object.keys(desired.annotations).length > 0 ? { annotations: desired.annotations } : {}),
    ownerReferences: [controlledBy(gang)],
  },
  spec: withoutNulls(desired.spec),
});

/** The patch that puts the PodGroup right, or undefined. What the desired object lacks stays. */
export function patchOfPodGroup(
  gang: ObservedGang,
  there: BackendPodGroup,
  desired: Desired,
): JsonObject | undefined {
  const metadata: JsonObject = {
    ...changes('labels', there.labels, desired.labels),
    ...changes('annotations', there.annotations, desired.annotations),
    ...(isControlledBy(there, gang) ? {} : { ownerReferences: owners(gang, there) }),
  };
  const spec = Object.fromEntries(
    Object.entries(patchToward(there.spec, desired.spec)).map(([key, value]) => [
      key,
      Array.isArray(value) ? merged(value, there.spec[key]) : value,
    ]),
  );
  const patch: JsonObject = {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Somebody else's object has the name: it is not ours to change. One without a controller, or of
 *  an earlier gang of this name, is taken over. */
export const isForeign = ({ owner }: BackendPodGroup, gang: ObservedGang): boolean =>
  owner !== undefined && (owner.kind !== 'PodGang' || owner.name !== gang.name);

export const isControlledBy = ({ owner }: BackendPodGroup, gang: ObservedGang): boolean =>
  owner?.kind === 'PodGang' && owner.uid === gang.uid;

function changes(
  field: string,
  there: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): JsonObject {
  return isWithin(wanted, there) ? {} : { [field]: patchToward(there, wanted) };
}

/** An object has one controller. */
const owners = (gang: ObservedGang, there: BackendPodGroup): Json[] => [
  ...there.ownerReferences.filter((reference) => reference['controller'] !== true),
  { ...controlledBy(gang) },
];

/** A list is replaced as a whole, so each entry takes over what is not ours of its namesake. */
const merged = (wanted: readonly Json[], there: unknown): Json[] =>
  wanted.map((entry) => {
    if (!isObject(entry)) return entry;
    const name = text(entry['name']);
    const old = list(there)
      .filter(isObject)
      .find((one) => name !== '' && one['name'] === name);
    return withoutNulls({ ...old, ...entry });
  });

function withoutNulls(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([key, field]) => [key, cleaned(field)]));
}

function cleaned(value: Json): Json {
  if (Array.isArray(value)) return value.map(cleaned);
  return isObject(value) ? withoutNulls(value) : value;
}
