// Paths of the Kubernetes API for the kinds of machines/kinds.ts, and the way back from a path to
// verb and resource for metrics and rate limits. Everything that sends a request builds it here.
import type { ObjectRef } from '#machines/contract/address.ts';
import { isClusterScoped, kindRow, type Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest } from './transport/transport.ts';

const managedLabel = 'app.kubernetes.io/managed-by';

/** Selects what is listed and watched of the kind: children that the controller made (spec
 *  controllers 0.6), objects with a label; undefined: all. */
export function selectorOf(kind: Kind): string | undefined {
  const { managedBy, labelled } = kindRow(kind);
  const parts = [
    ...(managedBy === undefined ? [] : [`${managedLabel}=${managedBy}`]),
    ...(labelled === undefined ? [] : [labelled]),
  ];
  return parts.length === 0 ? undefined : parts.join(',');
}

/** Selects those that are ours by another label that we give them, and lack this one; undefined:
 *  they have no other. */
export function unlabelledSelector(kind: Kind): string | undefined {
  const { alsoLabelled, managedBy } = kindRow(kind);
  if (alsoLabelled === undefined) return undefined;
  return `${alsoLabelled},${managedLabel}!=${managedBy}`;
}

/** True where lists and watches of the kind show the object. */
export function isSelected(kind: Kind, { metadata }: KubeObject): boolean {
  const { managedBy, labelled } = kindRow(kind);
  const { labels = {} } = metadata;
  if (managedBy !== undefined && labels[managedLabel] !== managedBy) return false;
  return labelled === undefined || Object.hasOwn(labels, labelled);
}

/** `/api/v1` or `/apis/<group>/<version>`. */
export const groupPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** All objects of the kind: of one namespace, or of all. Some kinds have none. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const { apiVersion, plural } = kindRow(kind);
  const isWhole = namespace === undefined || isClusterScoped(kind);
  const scope = isWhole ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${groupPath(apiVersion)}${scope}/${plural}`;
}

export const objectPath = (ref: ObjectRef): string =>
  `${collectionPath(ref.kind, ref.namespace)}/${encodeURIComponent(ref.name)}`;

export const statusPath = (ref: ObjectRef): string => `${objectPath(ref)}/status`;

/** core/v1 Events of a namespace, or one of them. Events are written, never cached. */
export const eventPath = (namespace: string, name?: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/events` +
  (name === undefined ? '' : `/${encodeURIComponent(name)}`);

/** What part of a kind is listed and watched, where it is not all that Coppice manages. */
export interface Scope {
  /** Absent: all. */
  readonly namespace?: string;
  readonly labelSelector: string;
}

/** One page of all objects of a kind. No resourceVersion is sent: the server then answers from a
 *  consistent read, so the page cannot be older than a write that was answered before. */
export function listPath(kind: Kind, limit: number, continueToken?: string, scope?: Scope): string {
  const query = new URLSearchParams({ limit: String(limit) });
  select(query, kind, scope);
  if (continueToken !== undefined) query.set('continue', continueToken);
  return `${collectionPath(kind, scope?.namespace)}?${query.toString()}`;
}

function select(query: URLSearchParams, kind: Kind, scope: Scope | undefined): void {
  const selector = scope?.labelSelector ?? selectorOf(kind);
  if (selector !== undefined) query.set('labelSelector', selector);
}

export function watchPath(
  kind: Kind,
  resourceVersion: string,
  timeoutSeconds: number,
  scope?: Scope,
): string {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(timeoutSeconds),
  });
  select(query, kind, scope);
  return `${collectionPath(kind, scope?.namespace)}?${query.toString()}`;
}

/** What a request is, in the server's own words. */
export interface RequestInfo {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  /** Plural with the subresource after a slash (`pods/status`); empty for discovery paths. */
  readonly resource: string;
}

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

/** Verb and resource of a request; total, so that a metric can be had of any path. */
export function requestInfo(method: KubeRequest['method'], path: string): RequestInfo {
  const [bare = '', query = ''] = path.split('?', 2);
  const parts = bare.split('/').filter((part) => part !== '');
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [plural = '', name, subresource] = inNamespace;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  if (method !== 'GET') return { verb: verbs[method], resource };
  if (new URLSearchParams(query).get('watch') === 'true') return { verb: 'watch', resource };
  return { verb: name === undefined && plural !== '' ? 'list' : 'get', resource };
}
