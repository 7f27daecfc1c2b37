// Objects as the API server has them, with the user's rights: of one kind, of all, or one by name.
// What a cluster does not serve is left out. Read by tree, get, completion and support-bundle.
import { isClusterScoped, type Kind, useVersion, versionsOf } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isSuccess } from '#src/kube/errors.ts';
import { collectionPath } from '#src/kube/paths.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { PluginError, refusedBy } from './errors.ts';
import { namesOf, resourceOf, shownKinds, type Wanted } from './kinds.ts';

/** An object with the kind by which Coppice knows it; undefined: a kind of others, such as Pod. */
export interface Item {
  readonly kind: Kind | undefined;
  readonly object: KubeObject;
}

/** Objects of one page. */
const pageSize = 500;

/** Absent namespace: all. Undefined: the cluster does not serve the kind. */
export async function listKind(
  transport: KubeTransport,
  kind: Kind,
  namespace: string | undefined,
): Promise<readonly KubeObject[] | undefined> {
  for (const version of versionsOf(kind)) {
    useVersion(kind, version);
    const path = collectionPath(kind, namespace);
    const objects = await listPath(transport, path, `list ${resourceOf(kind)}`);
    if (objects !== undefined) return objects;
  }
  return undefined;
}

/** All pages; undefined: 404. */
export async function listPath(
  transport: KubeTransport,
  path: string,
  what: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly KubeObject[] | undefined> {
  const objects: KubeObject[] = [];
  let more = '';
  do {
    const page = { ...query, limit: String(pageSize), ...(more === '' ? {} : { continue: more }) };
    const parameters = new URLSearchParams(page).toString();
    const response = await transport.request({ method: 'GET', path: `${path}?${parameters}` });
    if (response.status === 404) return undefined;
    if (!isSuccess(response)) throw refusedBy(response, what);
    const apiVersion = text(at(response.body, 'apiVersion'));
    const kind = text(at(response.body, 'kind')).replace(/List$/, '');
    for (const item of list(at(response.body, 'items'))) {
      // Items of a list do not repeat what they are, and the server says they have names.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      objects.push({ apiVersion, kind, ...(item as object) } as KubeObject);
    }
    more = text(at(response.body, 'metadata', 'continue'));
  } while (more !== '');
  return objects;
}

/** What a command was asked for. Rejects where nothing of that name is there. */
export async function itemsWanted(
  transport: KubeTransport,
  { kind, name }: Wanted,
  namespace: string | undefined,
): Promise<readonly Item[]> {
  const kinds = kind === undefined ? shownKinds() : [kind];
  const lists = await Promise.all(
    kinds.map(async (one) => {
      const where = isClusterScoped(one) ? undefined : namespace;
      const objects = await listKind(transport, one, where);
      return objects?.map((object): Item => ({ kind: one, object }));
    }),
  );
  if (kind !== undefined && lists[0] === undefined) {
    const problem = `the cluster does not serve ${resourceOf(kind)}: its CRD is missing`;
    throw new PluginError('notFound', `${problem}; kubectl coppice check says more`);
  }
  const items = lists.flatMap((found) => found ?? []);
  if (name === undefined) return items;
  const named = items.filter(({ object }) => object.metadata.name === name);
  if (named.length > 0) return named;
  const where = namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
  const there = items.slice(0, namesShown).map(({ object }) => object.metadata.name);
  const others = there.length === 0 ? 'there is none' : `there is ${there.join(', ')}`;
  const what = kind === undefined ? '' : (namesOf(kind)[0] ?? kind);
  throw new PluginError('notFound', `no ${what} "${name}" in ${where}; ${others}`);
}

/** In a message about a name that is not there. */
const namesShown = 10;
