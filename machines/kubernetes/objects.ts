// The narrow view of a Kubernetes object that is common to all kinds.
// Dates stay strings as they came (RFC 3339); unknown fields are kept, never interpreted.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** An object as read or as to be created. `spec`, `status` and the rest are read by each
 *  module. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The controller owner of an object, if it has one. Objects come from a server: the list may hold
 *  null. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  const owners: readonly (OwnerReference | null)[] | undefined = metadata.ownerReferences;
  return owners?.find((owner) => owner?.controller === true) ?? undefined;
}
