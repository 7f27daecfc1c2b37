// Does on the embedded cluster what other actors did on the real one - scheduler, kubelet, garbage
// collector, token controller - from the objects as they left them.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import type { Foreign } from './log.ts';

export interface Stage {
  /** A client that says it is this program. */
  readonly as: (program: string) => KubeTransport;
}

/** The object as it is now, or undefined when it is gone. `wanted` has the names of here. */
export async function playOther(
  stage: Stage,
  { type, object: wanted }: Foreign,
): Promise<JsonObject | undefined> {
  const path = pathOf(wanted);
  const client = stage.as(lastManager(wanted));
  const live = await get(client, path);
  if (type === 'DELETED') {
    if (live !== undefined) await end(client, path, live);
    return undefined;
  }
  if (live === undefined) {
    await must(client, { method: 'POST', path: collectionOf(path), body: unborn(wanted) });
  } else {
    await bring(stage, client, { path, wanted, live });
  }
  return get(client, path);
}

interface Change {
  readonly path: string;
  readonly wanted: JsonObject;
  readonly live: JsonObject;
}

async function bring(stage: Stage, client: KubeTransport, change: Change): Promise<void> {
  const { path, wanted, live } = change;
  const node = textAt(objectAt(wanted, 'spec'), 'nodeName');
  if (wanted['kind'] === 'Pod' && node !== textAt(objectAt(live, 'spec'), 'nodeName')) {
    const name = textAt(meta(wanted), 'name');
    const body = { metadata: { name }, target: { kind: 'Node', name: node } };
    await must(stage.as('kube-scheduler'), { method: 'POST', path: `${path}/binding`, body });
    return;
  }
  const isEnding = meta(wanted)['deletionTimestamp'] !== undefined;
  if (isEnding && meta(live)['deletionTimestamp'] === undefined) {
    await must(client, { method: 'DELETE', path });
  }
  const now = (await get(client, path)) ?? live;
  const version = meta(now)['resourceVersion'] ?? '';
  const status = withBindingOf(now, wanted);
  const metadata = { ...meta(wanted), resourceVersion: version };
  const body = { ...wanted, metadata, ...(status === undefined ? {} : { status }) };
  if (!isEqual(now['status'], status)) {
    await must(client, { method: 'PUT', path: `${path}/status`, body });
  } else if (wanted['kind'] !== 'Pod') {
    await must(client, { method: 'PUT', path, body });
  }
}

/** The wanted status with the condition that the binding set here, at the time that it has here. */
function withBindingOf(now: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const status = objectAt(wanted, 'status');
  const isBinding = (condition: JsonObject): boolean => condition['type'] === 'PodScheduled';
  const here = objectsAt(objectAt(now, 'status'), 'conditions').find(isBinding);
  if (status === undefined || here === undefined) return status;
  const conditions = objectsAt(status, 'conditions').map((each) => (isBinding(each) ? here : each));
  return { ...status, conditions };
}

/** Past its grace and its finalizers. */
async function end(client: KubeTransport, path: string, live: JsonObject): Promise<void> {
  if (meta(live)['finalizers'] !== undefined) {
    const contentType = 'application/merge-patch+json';
    const body = { metadata: { finalizers: null } };
    await must(client, { method: 'PATCH', path, contentType, body });
  }
  if ((await get(client, path)) === undefined) return;
  await must(client, { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
}

async function must(client: KubeTransport, request: KubeRequest): Promise<KubeResponse> {
  const response = await client.request(request);
  if (response.status < 300) return response;
  throw new Error(
    `${request.method} ${request.path}: ${response.status} ${JSON.stringify(response.body)}`,
  );
}

async function get(client: KubeTransport, path: string): Promise<JsonObject | undefined> {
  const { status, body } = await client.request({ method: 'GET', path });
  return status === 200 && isObject(body) ? body : undefined;
}

const meta = (object: JsonObject): JsonObject => objectAt(object, 'metadata') ?? {};

function unborn(object: JsonObject): JsonObject {
  const { resourceVersion: _version, uid: _uid, managedFields: _fields, ...rest } = meta(object);
  return { ...object, metadata: rest };
}

function pathOf(object: JsonObject): string {
  const version = textAt(object, 'apiVersion');
  const base = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  const { namespace, name } = meta(object);
  const plural = `${textAt(object, 'kind').toLowerCase()}s`;
  return `${base}/namespaces/${String(namespace)}/${plural}/${String(name)}`;
}

const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** Who wrote last, as far as the object tells. */
function lastManager(object: JsonObject): string {
  const fields = meta(object)['managedFields'];
  const entries = Array.isArray(fields) ? fields.filter(isObject) : [];
  const [last] = entries.toSorted((a, b) => (textAt(a, 'time') < textAt(b, 'time') ? 1 : -1));
  return last === undefined ? 'other' : textAt(last, 'manager');
}
