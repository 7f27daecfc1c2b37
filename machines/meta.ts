// The part of a fact that all kinds share: identity, labels, ownership. Called by every decode;
// says which field is wrong instead of throwing.
import { count, epoch, isObject, list, stringMap, strings, text, word } from './json.ts';
import type { StringMap } from './json.ts';
import type { JsonObject, KubeObject } from './objects.ts';
import type { EpochMs } from './vocabulary.ts';

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

export interface Malformed {
  readonly malformed: string;
}

export const isMalformed = (value: object): value is Malformed => 'malformed' in value;

/** Reads metadata. Name, namespace and UID must be there: without them nothing can be addressed. */
export function readMeta(object: KubeObject): Meta | Malformed {
  const meta: unknown = object.metadata;
  if (!isObject(meta)) return { malformed: 'metadata is not an object' };
  const name = word(meta['name']);
  const namespace = word(meta['namespace']);
  const uid = word(meta['uid']);
  if (name === undefined) return { malformed: 'metadata.name is not a non-empty string' };
  if (namespace === undefined) return { malformed: 'metadata.namespace is not a non-empty string' };
  if (uid === undefined) return { malformed: 'metadata.uid is not a non-empty string' };
  return {
    namespace,
    name,
    uid,
    resourceVersion: text(meta['resourceVersion']),
    generation: count(meta['generation']) ?? 0,
    deleting: word(meta['deletionTimestamp']) !== undefined,
    createdAt: epoch(meta['creationTimestamp']),
    labels: stringMap(meta['labels']),
    annotations: stringMap(meta['annotations']),
    finalizers: strings(meta['finalizers']),
    owner: readOwner(meta),
  };
}

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
