// The seams inside the embedded cluster: the store and REST layer (api/) call the pure schema and
// patch functions (schema/, patch/) and the per-kind strategies (strategies/) through these types;
// its controllers (controllers/) are ordinary clients on a KubeTransport.
import type { Clock, Random } from '#actors/ports.ts';
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** Time and randomness of the whole cluster, so that it can run on a virtual clock with a seed. */
export interface ClusterEnvironment {
  readonly clock: Clock;
  readonly random: Random;
}

/** An object as the store holds it: plain JSON, never mutated after it was stored. */
export type Stored = JsonObject & { metadata: JsonObject };

/** One resource that the server serves. Built-in kinds are a table; CRDs add rows at run time. */
export interface ResourceInfo {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  readonly schema: Schema;
  /** Printer columns; undefined: name and age only. */
  readonly columns?: readonly PrinterColumn[];
  readonly strategy: Strategy;
  /** Of a kind from a CRD: how all of its versions are stored. */
  readonly storage?: StorageInfo;
  /** What those are warned of who use it; absent: it is not deprecated. */
  readonly deprecation?: string;
  /** True for kinds from CRDs: pruning, schema defaulting and CEL apply, no strategic merge. */
  readonly custom: boolean;
}

/** One object for all versions of a CRD, until the CRD changes. */
export interface StorageInfo {
  readonly apiVersion: string;
  readonly schema: Schema;
  /** How the server reaches the webhook that converts; absent: versions differ in apiVersion. */
  readonly converter?: JsonObject;
}

export interface SubresourceInfo {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  /** For `scale` of a CRD. */
  readonly scale?: {
    specReplicasPath: string;
    statusReplicasPath: string;
    labelSelectorPath?: string;
  };
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  readonly priority: number;
  /** For CRDs: a JSONPath; built-in kinds compute the cell. */
  readonly jsonPath?: string;
  readonly cell?: (object: Stored, now: number) => string | number | boolean | null;
}

/** Structural OpenAPI v3 schema with Kubernetes' extensions; `$ref` only in built-in kinds. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The kind's own rules. Every function gets a private deep copy in `object` and may mutate it. */
export interface Strategy {
  /** True: metadata.generation counts spec changes and status is only written by /status. */
  readonly hasStatus: boolean;
  /** Where that is not so for generation: kinds with a status and no generation, and others. */
  readonly countsGeneration?: boolean;
  /** Native defaulting, on every write and on read of nothing else. */
  readonly defaults?: (object: Stored, environment: ClusterEnvironment) => void;
  /** Clears or sets server-owned fields (cluster IP, status on create, ...). */
  readonly prepareCreate?: (object: Stored, environment: ClusterEnvironment) => void;
  readonly prepareUpdate?: (object: Stored, old: Stored, subresource: string) => void;
  readonly validate?: (object: Stored, subresource: string) => readonly FieldError[];
  readonly validateUpdate?: (
    object: Stored,
    old: Stored,
    subresource: string,
  ) => readonly FieldError[];
  /** Seconds that a DELETE leaves the object terminating (pods); 0 or absent: removed at once. */
  readonly graceSeconds?: (object: Stored, requested: number | undefined) => number;
  /** Field selectors beyond metadata.name and metadata.namespace: path to value. */
  readonly selectableFields?: (object: Stored) => Readonly<Record<string, string>>;
}
