// Addresses: of actors, and of the objects that they write.
import type { ActorKind, Kind } from './kind.ts';

/** The address of an actor: the object whose life it leads. */
export interface ActorKey {
  readonly kind: ActorKind;
  readonly namespace: string;
  readonly name: string;
}

/** `kind/namespace/name`, e.g. `podclique/default/demo-0-worker`. Names hold no slash. */
export const actorId = (key: ActorKey): string => `${key.kind}/${key.namespace}/${key.name}`;

/** The address of an object of a kind that Coppice knows. */
export interface ObjectRef {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** The address in an object that was read. */
export const refOf = <R extends ObjectRef>({ kind, namespace, name }: R) =>
  ({ kind, namespace, name }) as Pick<R, 'kind' | 'namespace' | 'name'>;

export const isSameRef = (a: ObjectRef, b: ObjectRef): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace;

/** `Kind/namespace/name`: the key of maps over objects. */
export const refKey = (ref: ObjectRef): string => `${ref.kind}/${ref.namespace}/${ref.name}`;
