// Types of `coppice/client`. Those of the kinds are generated from the CRDs (kinds.d.mts).
import type { Kinds } from './kinds.d.mts';

export type * from './kinds.d.mts';

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
}

export type Resources = Readonly<Record<keyof Kinds, Resource>>;

/** Where each kind is served, in the version that is stored. */
export declare const resources: Resources;

export interface Place {
  readonly name: string;
  /** Of a kind of the cluster: absent. */
  readonly namespace?: string;
}

export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOf<T> {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items: readonly T[];
}

interface Named {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}
type Within = Named & { readonly namespace: string };
type One = { readonly name: string };
type Body = { readonly body: object };

/** The methods of client-node's CustomObjectsApi that are called; their results are the objects. */
export interface CustomObjects {
  getNamespacedCustomObject(of: Within & One): Promise<any>;
  getClusterCustomObject(of: Named & One): Promise<any>;
  listNamespacedCustomObject(of: Within): Promise<any>;
  listClusterCustomObject(of: Named): Promise<any>;
  createNamespacedCustomObject(of: Within & Body): Promise<any>;
  createClusterCustomObject(of: Named & Body): Promise<any>;
  replaceNamespacedCustomObject(of: Within & One & Body): Promise<any>;
  replaceClusterCustomObject(of: Named & One & Body): Promise<any>;
  deleteNamespacedCustomObject(of: Within & One): Promise<any>;
  deleteClusterCustomObject(of: Named & One): Promise<any>;
}

/** Errors are those of the API that it is given: client-node throws an ApiException with the status
 *  of the answer as `code`. A TypeError says that a namespace or a name is missing. */
export interface Client {
  get<K extends keyof Kinds>(kind: K, place: Place): Promise<Kinds[K]>;
  list<K extends keyof Kinds>(kind: K, selection?: Selection): Promise<ListOf<Kinds[K]>>;
  create<O extends Kinds[keyof Kinds]>(object: O): Promise<O>;
  /** Of the version that the object has: 409 where it is no longer the newest. */
  replace<O extends Kinds[keyof Kinds]>(object: O): Promise<O>;
  /** Reads, changes in place and replaces; again, five times at most, where somebody else wrote
   *  meanwhile, so `change` may be called more than once. */
  edit<K extends keyof Kinds>(
    kind: K,
    place: Place,
    change: (object: Kinds[K]) => void,
  ): Promise<Kinds[K]>;
  remove(kind: keyof Kinds, place: Place): Promise<void>;
}

export type ClientOf = (api: CustomObjects) => Client;

/** A client over an API that is configured already. */
export declare const clientOf: ClientOf;
