// The rules that Kubernetes' NamespaceLifecycle admission has: nothing is created in a namespace
// that is not there or is going away, and the namespaces that the cluster itself lives in stay.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Call } from '../call.ts';
import { forbidden, notFound } from '../errors.ts';
import { storageKey } from '../resources/registry.ts';

const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' };

/** Namespaces that exist from the start; the first three may not be deleted. */
export const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

export function requireOpenNamespace(call: Call): void {
  const { namespace } = call.target;
  if (!call.resource.namespaced || namespace === '') return;
  const found = call.core.store.collection(storageKey(namespaces)).get('', namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  const terminating =
    textAt(found.metadata, 'deletionTimestamp') !== '' ||
    textAt(objectAt(found, 'status'), 'phase') === 'Terminating';
  if (!terminating) return;
  const where = `unable to create new content in namespace ${namespace}`;
  const why = `${where} because it is being terminated`;
  throw forbidden(call.resource, '', why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** A definition that goes away lets nothing new be created. */
export function requireStayingDefinition({ core, resource, target }: Call): void {
  if (!resource.custom) return;
  const definitions = core.store.collection('apiextensions.k8s.io/customresourcedefinitions');
  const definition = definitions.get('', `${resource.plural}.${resource.group}`);
  if (definition === undefined || textAt(definition.metadata, 'deletionTimestamp') === '') return;
  const why = 'create not allowed while custom resource definition is terminating';
  throw forbidden(resource, target.name, why);
}

export function requireDeletable(call: Call, name: string): void {
  const isNamespace = call.resource.group === '' && call.resource.plural === 'namespaces';
  if (isNamespace && systemNamespaces.slice(0, 3).includes(name)) {
    throw forbidden(namespaces, name, 'this namespace may not be deleted');
  }
}
