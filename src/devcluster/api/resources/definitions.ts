// What the server itself says of a CustomResourceDefinition: accepted names, stored versions and
// the conditions that clients wait for. Written into the same commit as the definition, so a CRD is
// established the moment it is created.
import { listAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import type { Core } from '../call.ts';
import { copyJson } from '../store/copy.ts';
import { finalizersOf } from '../verbs/meta.ts';

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const isDefinition = ({ group, plural }: Pick<ResourceInfo, 'group' | 'plural'>): boolean =>
  group === 'apiextensions.k8s.io' && plural === 'customresourcedefinitions';

/** Fills in the server's part of a definition that is about to be stored. */
export function completeDefinition(core: Core, definition: Stored, live: Stored | undefined): void {
  if (live === undefined) addFinalizer(definition);
  const now = rfc3339(core.environment.clock.now());
  const status: JsonObject = copyJson(objectAt(live, 'status') ?? {});
  const clash = findClash(core, definition);
  const names = copyJson(objectAt(objectAt(definition, 'spec'), 'names') ?? {});
  const terminating = textAt(definition.metadata, 'deletionTimestamp') !== '';
  const wanted = [...nameConditions(clash), ...(terminating ? [terminatingCondition] : [])];
  const conditions = objectsAt(status, 'conditions');
  for (const condition of wanted) setCondition(conditions, condition, now);
  definition['status'] = {
    ...status,
    conditions,
    acceptedNames:
      clash === undefined ? names : (status['acceptedNames'] ?? { kind: '', plural: '' }),
    storedVersions: storedVersions(definition, status),
  };
}

function addFinalizer(definition: Stored): void {
  const present = finalizersOf(definition);
  if (present.includes(cleanupFinalizer)) return;
  definition.metadata['finalizers'] = [...present, cleanupFinalizer];
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const terminatingCondition: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

function nameConditions(clash: string | undefined): Condition[] {
  if (clash !== undefined) {
    return [
      { type: 'NamesAccepted', status: 'False', reason: 'NameConflict', message: clash },
      {
        type: 'Established',
        status: 'False',
        reason: 'NotAccepted',
        message: 'not all names are accepted',
      },
    ];
  }
  const initial = 'the initial names have been accepted';
  return [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: initial },
  ];
}

function setCondition(conditions: JsonObject[], wanted: Condition, now: string): void {
  const at = conditions.findIndex((each) => each['type'] === wanted.type);
  const old = conditions[at];
  const since = old?.['status'] === wanted.status ? (old['lastTransitionTime'] ?? now) : now;
  const next: JsonObject = { lastTransitionTime: since, ...wanted };
  if (at < 0) conditions.push(next);
  else conditions[at] = next;
}

/** Why the names cannot be had; undefined when they are free. */
function findClash(core: Core, definition: Stored): string | undefined {
  const spec = objectAt(definition, 'spec');
  const group = textAt(spec, 'group');
  const names = objectAt(spec, 'names');
  const plural = textAt(names, 'plural');
  const wanted = [
    plural,
    textAt(names, 'singular'),
    ...listAt(names, 'shortNames').filter((name) => typeof name === 'string'),
  ];
  const kinds = [textAt(names, 'kind'), textAt(names, 'listKind')];
  for (const other of core.registry.all) {
    if (other.group !== group || other.plural === plural) continue;
    const taken = [other.plural, other.singular, ...other.shortNames];
    const name = wanted.find((each) => taken.includes(each));
    if (name !== undefined) return `"${name}" is already in use`;
    const kind = kinds.find((each) => each === other.kind || each === other.listKind);
    if (kind !== undefined) return `"${kind}" is already in use`;
  }
  return undefined;
}

function storedVersions(definition: Stored, status: JsonObject): Json[] {
  const versions = objectsAt(objectAt(definition, 'spec'), 'versions');
  const storage = versions.find((each) => each['storage'] === true);
  const before = listAt(status, 'storedVersions');
  const name = textAt(storage, 'name');
  return name === '' || before.includes(name) ? before : [...before, name];
}
