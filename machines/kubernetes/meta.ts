// The part of a fact that all kinds share: identity, labels, ownership. Called by every decode;
// says which field is wrong instead of throwing.
import { count, isObject, list, object, stringMap, strings, text, word } from './json.ts';
import type { StringMap } from './json.ts';
import type { JsonObject, KubeObject } from './objects.ts';
import { errorOfSize, usualBounds } from './size.ts';
import { epoch, type EpochMs } from './time.ts';

export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface Meta {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly createdAt: EpochMs | undefined;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly finalizers: readonly string[];
  /** The controller owner. */
  readonly owner: Owner | undefined;
}

/** What is kept, besides metadata, of objects that are large, secret or of interest to nobody. */
export const metadataAlone = (): Readonly<Record<string, unknown>> => ({});

/** What was seen twice of one object. */
export const isSameVersion = (
  one: Pick<Meta, 'uid' | 'resourceVersion'>,
  other: Pick<Meta, 'uid' | 'resourceVersion'>,
): boolean => one.uid === other.uid && one.resourceVersion === other.resourceVersion;

export interface Malformed {
  readonly malformed: string;
}

export const isMalformed = (value: object): value is Malformed => 'malformed' in value;

/** Reads metadata. Name, UID and (where the kind has one) namespace must be there: without them
 *  nothing can be addressed. */
export function readMeta(
  source: KubeObject,
  scope: 'Cluster' | 'Namespaced' = 'Namespaced',
  bounds = usualBounds,
): Meta | Malformed {
  const meta: unknown = source.metadata;
  if (!isObject(meta)) return { malformed: 'metadata is not an object' };
  const name = word(meta['name']);
  const namespace = scope === 'Cluster' ? '' : word(meta['namespace']);
  const uid = word(meta['uid']);
  if (name === undefined) return { malformed: 'metadata.name is not a non-empty string' };
  if (namespace === undefined) return { malformed: 'metadata.namespace is not a non-empty string' };
  if (uid === undefined) return { malformed: 'metadata.uid is not a non-empty string' };
  const deleting = word(meta['deletionTimestamp']) !== undefined;
  const error = errorOfSize(source, bounds);
  if (error !== undefined && !deleting) return { malformed: error };
  // What is on its way out is to go whatever its size; nobody else's labels matter any more.
  const map = error === undefined ? stringMap : ownStrings(bounds.isOwn);
  return {
    namespace,
    name,
    uid,
    resourceVersion: text(meta['resourceVersion']),
    generation: count(meta['generation']) ?? 0,
    deleting,
    createdAt: epoch(meta['creationTimestamp']),
    labels: map(meta['labels']),
    annotations: map(meta['annotations']),
    finalizers: strings(meta['finalizers']),
    owner: readOwner(meta),
  };
}

/** Those that say what the object is to us. */
const ownStrings =
  (isOwn: (key: string) => boolean) =>
  (value: unknown): StringMap => {
    const entries = Object.entries(object(value));
    return stringMap(
      Object.fromEntries(
        entries.filter(([key]) => isOwn(key) || key.startsWith('app.kubernetes.io/')),
      ),
    );
  };

function readOwner(meta: JsonObject): Owner | undefined {
  const owner = list(meta['ownerReferences'])
    .filter(isObject)
    .find((reference) => reference['controller'] === true);
  if (owner === undefined) return undefined;
  return { kind: text(owner['kind']), name: text(owner['name']), uid: text(owner['uid']) };
}

/** True where the object is controlled by this very owner, not by an earlier one of its name. */
export const isOwnedBy = (meta: Pick<Meta, 'owner'>, kind: string, uid: string): boolean =>
  meta.owner?.kind === kind && meta.owner.uid === uid;

/** News for the actor of an object: any change of it, as its status is its own and patches carry
 *  the version. */
export const isOwnNews = (old: Meta | undefined, now: Meta): boolean =>
  old?.uid !== now.uid || old.resourceVersion !== now.resourceVersion;
