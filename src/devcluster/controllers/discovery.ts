// Which kinds the server serves, as its discovery documents tell: the garbage collector and the
// namespace controller must know all of them, also those of CRDs that come and go.
import { isTrue, listAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { isOk, RetryLater } from './client.ts';
import type { KubeClient } from './client.ts';

export interface ServedKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly base: string;
}

/** The path of the collection over all namespaces. */
export const collectionPath = (kind: ServedKind): string => `${kind.base}/${kind.plural}`;

export const objectPath = (kind: ServedKind, namespace: string, name: string): string =>
  kind.namespaced
    ? `${kind.base}/namespaces/${namespace}/${kind.plural}/${name}`
    : `${kind.base}/${kind.plural}/${name}`;

/** Every kind once, at the version that its group prefers. Throws RetryLater. */
export async function discover(client: KubeClient): Promise<ServedKind[]> {
  const groups = await read(client, '/apis');
  const kinds = await kindsAt(client, '', '/api/v1');
  for (const group of objectsAt(groups, 'groups')) {
    const preferred = textAt(objectAt(group, 'preferredVersion'), 'groupVersion');
    if (preferred === '') continue;
    kinds.push(...(await kindsAt(client, textAt(group, 'name'), `/apis/${preferred}`)));
  }
  return kinds;
}

async function read(client: KubeClient, path: string): Promise<JsonObject> {
  const answer = await client.get(path);
  if (!isOk(answer)) throw new RetryLater(`discovery at ${path}`, answer);
  return answer.body;
}

async function kindsAt(client: KubeClient, group: string, base: string): Promise<ServedKind[]> {
  const answer = await client.get(base);
  // The group may have gone between the two requests.
  if (answer.status === 404) return [];
  if (!isOk(answer)) throw new RetryLater(`discovery at ${base}`, answer);
  return objectsAt(answer.body, 'resources')
    .filter((resource) => !textAt(resource, 'name').includes('/'))
    .map((resource) => ({
      group,
      kind: textAt(resource, 'kind'),
      plural: textAt(resource, 'name'),
      namespaced: isTrue(resource, 'namespaced'),
      verbs: listAt(resource, 'verbs').filter((verb) => typeof verb === 'string'),
      base,
    }));
}
