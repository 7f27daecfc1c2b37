// Follows the CustomResourceDefinitions: serves their resources from the moment they are stored,
// follows their changes, and on deletion removes the objects first, then the definition.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { resourcesOfCrd } from '#src/devcluster/schema/crd.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Core } from '../call.ts';
import type { Change, Collection } from '../store/collection.ts';
import { nameOf, namespaceOf } from '../store/collection.ts';
import { finalizersOf } from '../verbs/meta.ts';
import { cleanupFinalizer } from './definitions.ts';
import { apiVersionOf, storageKey } from './registry.ts';

const definitionsKey = 'apiextensions.k8s.io/customresourcedefinitions';

/** Runs until the returned function is called. `transport` acts for the server itself. */
export function watchDefinitions(core: Core, transport: KubeTransport): () => void {
  const cleaning = new Map<string, () => void>();
  const end = core.store.collection(definitionsKey).onChange((change) => {
    const name = nameOf(change.object);
    if (change.type === 'DELETED') {
      core.registry.removeCustom(name);
      endWatches(core, change.object);
      cleaning.get(name)?.();
      cleaning.delete(name);
      return;
    }
    if (isNewSpec(change)) core.registry.setCustom(name, servedRows(change.object));
    const terminating = textAt(change.object.metadata, 'deletionTimestamp') !== '';
    if (terminating && !cleaning.has(name))
      cleaning.set(name, cleanUp(core, transport, change.object));
  });
  return () => {
    end();
    for (const stop of cleaning.values()) stop();
  };
}

/** What is no longer served is no longer watched; a new definition of the name is another one. */
function endWatches(core: Core, definition: Stored): void {
  const key = storageKey(resourceOf(definition));
  for (const watch of core.watches) if (storageKey(watch.resource) === key) watch.close();
}

function resourceOf(definition: Stored): { group: string; plural: string } {
  const spec = objectAt(definition, 'spec');
  return { group: textAt(spec, 'group'), plural: textAt(objectAt(spec, 'names'), 'plural') };
}

const isNewSpec = ({ object, previous }: Change): boolean =>
  previous === undefined ||
  object['spec'] !== previous['spec'] ||
  object.metadata['deletionTimestamp'] !== previous.metadata['deletionTimestamp'];

/** The rows of a definition whose names were accepted. */
const servedRows = (definition: Stored): readonly ResourceInfo[] =>
  conditionStatus(definition, 'Established') === 'False' ? [] : resourcesOfCrd(definition);

function conditionStatus(object: Stored, type: string): string {
  const conditions = objectAt(object, 'status')?.['conditions'];
  if (!Array.isArray(conditions)) return '';
  for (const each of conditions) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) continue;
    if (each['type'] === type) return textAt(each, 'status');
  }
  return '';
}

/** Deletes all objects of the definition; when the last is gone, lets the definition go. */
function cleanUp(core: Core, transport: KubeTransport, definition: Stored): () => void {
  const collection = core.store.collection(storageKey(resourceOf(definition)));
  let stopped = false;
  const check = (): void => {
    if (collection.size > 0 || stopped) return;
    stopped = true;
    void release(core, transport, nameOf(definition));
  };
  const end = collection.onChange(() => core.environment.clock.soon(check));
  core.environment.clock.soon(() => {
    const rows = core.registry.custom(nameOf(definition));
    // Whoever converts may be gone already.
    const row = rows.find((each) => apiVersionOf(each) === each.storage?.apiVersion) ?? rows[0];
    if (row !== undefined) void deleteAll(transport, row, collection);
    check();
  });
  return () => {
    stopped = true;
    end();
  };
}

async function deleteAll(
  transport: KubeTransport,
  row: ResourceInfo,
  collection: Collection,
): Promise<void> {
  for (const object of collection.list()) {
    const place = row.namespaced ? `/namespaces/${namespaceOf(object)}` : '';
    const path = `/apis/${apiVersionOf(row)}${place}/${row.plural}/${nameOf(object)}`;
    await transport.request({ method: 'DELETE', path });
  }
}

async function release(core: Core, transport: KubeTransport, name: string): Promise<void> {
  const live = core.store.collection(definitionsKey).get('', name);
  if (live === undefined) return;
  const finalizers = finalizersOf(live).filter((each) => each !== cleanupFinalizer);
  await transport.request({
    method: 'PATCH',
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { finalizers } },
  });
}
