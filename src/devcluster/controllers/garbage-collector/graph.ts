// The graph of owners and dependents by UID, as the garbage collector last saw it. Bookkeeping:
// who is there, who depends on whom, and in which way an owner is being deleted.
import { isTrue, listAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject, OwnerReference } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isTerminating, nameOf, namespaceOf, uidOf } from '../client.ts';
import type { ServedKind } from '../discovery.ts';

export interface Vertex {
  readonly uid: string;
  readonly kind: ServedKind;
  readonly object: Stored;
  readonly owners: readonly OwnerReference[];
}

const readOwner = (reference: JsonObject): OwnerReference => ({
  apiVersion: textAt(reference, 'apiVersion'),
  kind: textAt(reference, 'kind'),
  name: textAt(reference, 'name'),
  uid: textAt(reference, 'uid'),
  controller: isTrue(reference, 'controller'),
  blockOwnerDeletion: isTrue(reference, 'blockOwnerDeletion'),
});

export const ownersOf = (object: Stored): OwnerReference[] =>
  objectsAt(object.metadata, 'ownerReferences').map(readOwner);

export const hasFinalizer = (object: Stored, name: string): boolean =>
  listAt(object.metadata, 'finalizers').includes(name);

/** Waits for the dependents that block it (propagationPolicy Foreground). */
export const isForeground = (object: Stored): boolean =>
  isTerminating(object) && hasFinalizer(object, 'foregroundDeletion');

/** Waits until its dependents have forgotten it (propagationPolicy Orphan). */
export const isOrphaning = (object: Stored): boolean =>
  isTerminating(object) && hasFinalizer(object, 'orphan');

export class OwnerGraph {
  readonly #vertices = new Map<string, Vertex>();
  /** Owner UID to the UIDs of its dependents; the owner need not be known. */
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#vertices.size;
  }

  get(uid: string): Vertex | undefined {
    return this.#vertices.get(uid);
  }

  dependentsOf(uid: string): Vertex[] {
    const dependents = this.#dependents.get(uid);
    if (dependents === undefined) return [];
    return [...dependents].flatMap((each) => this.#vertices.get(each) ?? []);
  }

  hasDependents(uid: string): boolean {
    return (this.#dependents.get(uid)?.size ?? 0) > 0;
  }

  set(kind: ServedKind, object: Stored): Vertex {
    const uid = uidOf(object);
    const before = this.#vertices.get(uid)?.owners ?? [];
    const vertex = { uid, kind, object, owners: ownersOf(object) };
    for (const owner of before) this.#unlink(owner.uid, uid);
    for (const owner of vertex.owners) this.#link(owner.uid, uid);
    this.#vertices.set(uid, vertex);
    return vertex;
  }

  delete(object: Stored): Vertex | undefined {
    const uid = uidOf(object);
    const vertex = this.#vertices.get(uid);
    this.#vertices.delete(uid);
    for (const owner of vertex?.owners ?? []) this.#unlink(owner.uid, uid);
    return vertex;
  }

  #link(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    if (dependents === undefined) this.#dependents.set(owner, new Set([dependent]));
    else dependents.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    if (dependents?.delete(dependent) === true && dependents.size === 0) {
      this.#dependents.delete(owner);
    }
  }
}

/** True where the reference can mean the object: an owner lives in the dependent's namespace. */
export const isInReach = (owner: Vertex, dependent: Vertex): boolean =>
  !owner.kind.namespaced || namespaceOf(owner.object) === namespaceOf(dependent.object);

export const labelOf = (vertex: Vertex): string =>
  `${vertex.kind.kind} ${namespaceOf(vertex.object)}/${nameOf(vertex.object)}`;
