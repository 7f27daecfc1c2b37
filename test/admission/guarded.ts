// What the authorizer guards, by hand from the rules of spec api 3.9, and every verb tried on one
// object of each kind. For the embedded cluster and the real control plane; requests are dry runs,
// so that whatever they are answered nothing changes.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';

const all = ['create', 'update', 'patch', 'apply', 'delete', 'deletecollection'] as const;
export type Verb = (typeof all)[number];

/** Of a kind whose creation by others is nobody's business. */
const existing: readonly Verb[] = ['update', 'patch', 'apply', 'delete', 'deletecollection'];

/** Collection, without the namespace, to the verbs that a stranger is refused. */
export const guarded: Readonly<Record<string, readonly Verb[]>> = {
  '/api/v1/secrets': existing,
  '/api/v1/serviceaccounts': existing,
  '/api/v1/services': existing,
  '/api/v1/pods': ['update', 'patch', 'apply'],
  '/apis/rbac.authorization.k8s.io/v1/roles': existing,
  '/apis/rbac.authorization.k8s.io/v1/rolebindings': existing,
  '/apis/autoscaling/v1/horizontalpodautoscalers': existing,
  '/apis/autoscaling/v2/horizontalpodautoscalers': existing,
  '/apis/grove.io/v1alpha1/podcliques': all,
  '/apis/grove.io/v1alpha1/podcliquescalinggroups': all,
  '/apis/scheduler.grove.io/v1alpha1/podgangs': all,
};

/** Collections with their subresources, which nobody is kept from. */
export const unguarded: Readonly<Record<string, readonly string[]>> = {
  '/api/v1/services': ['status'],
  '/api/v1/pods': ['status'],
  '/apis/autoscaling/v2/horizontalpodautoscalers': ['status'],
  '/apis/grove.io/v1alpha1/podcliques': ['status', 'scale'],
  '/apis/grove.io/v1alpha1/podcliquescalinggroups': ['status', 'scale'],
  '/apis/scheduler.grove.io/v1alpha1/podgangs': ['status'],
};

/** `/api/v1/pods` in a namespace. */
export const inNamespace = (collection: string, namespace: string): string =>
  collection.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);

type Send = (request: KubeRequest) => Promise<KubeResponse>;

const dryRun = 'dryRun=All';
const selector = 'labelSelector=app.kubernetes.io%2Fpart-of%3D';
const json = 'application/merge-patch+json';
const applied = 'application/apply-patch+yaml';
const changed = { 'test.io/changed': 'yes' };
const change: JsonObject = { metadata: { annotations: changed } };

/** Tries all verbs on an object that is there; resolves with the refused ones and with what the
 *  others were answered. */
export async function tryVerbs(
  send: Send,
  collection: string,
  object: JsonObject,
): Promise<{ readonly refused: readonly Verb[]; readonly failed: readonly string[] }> {
  const { managedFields: _fields, ...metadata } = object['metadata'] as JsonObject;
  const { name, namespace, labels, annotations } = metadata;
  const set = (labels as JsonObject)['app.kubernetes.io/part-of'];
  const path = `${collection}/${String(name)}`;
  const { apiVersion, kind } = object;
  const marks = { ...(annotations as JsonObject | undefined), ...changed };
  const withChange = { ...metadata, annotations: marks };
  const fresh = {
    name: `${String(name)}-other`,
    namespace: namespace ?? null,
    labels: labels ?? {},
    annotations: marks,
  };
  const requests: Readonly<Record<Verb, KubeRequest>> = {
    create: {
      method: 'POST',
      path: `${collection}?${dryRun}`,
      body: { ...object, metadata: fresh },
    },
    update: {
      method: 'PUT',
      path: `${path}?${dryRun}`,
      body: { ...object, metadata: withChange },
    },
    patch: { method: 'PATCH', path: `${path}?${dryRun}`, contentType: json, body: change },
    apply: {
      method: 'PATCH',
      path: `${path}?${dryRun}&fieldManager=stranger`,
      contentType: applied,
      body: { apiVersion, kind, ...change },
    },
    delete: { method: 'DELETE', path: `${path}?${dryRun}` },
    deletecollection: {
      method: 'DELETE',
      path: `${collection}?${dryRun}&${selector}${String(set)}`,
    },
  };
  const refused: Verb[] = [];
  const failed: string[] = [];
  for (const verb of all) {
    const { status, body } = await send(requests[verb]);
    const message = JSON.stringify(body);
    if (status === 403 && message.includes('is managed by the PodCliqueSet')) refused.push(verb);
    else if (status >= 300) failed.push(`${verb} ${status} ${message.slice(0, 300)}`);
  }
  return { refused, failed };
}

/** Patches a subresource; the answer is the status code. */
export async function trySubresource(send: Send, path: string, resource: string): Promise<number> {
  const body = resource === 'scale' ? { spec: { replicas: 1 } } : change;
  const request = { path: `${path}/${resource}?${dryRun}`, contentType: json, body };
  return (await send({ method: 'PATCH', ...request })).status;
}
