// The simulated garbage collector: deletes what has lost its owners, holds owners that are deleted
// in the foreground until what blocks them is gone, and cuts the ties of orphans. Level-triggered:
// every decision is made from the graph as it is now, and an owner that the graph does not have is
// asked for by UID before anything is deleted on its account.
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { OwnerReference } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isOk, isTerminating, nameOf, namespaceOf, okOrGone } from '../client.ts';
import { collectionPath, discover, objectPath } from '../discovery.ts';
import type { ServedKind } from '../discovery.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';
import {
  hasFinalizer,
  isForeground,
  isInReach,
  isOrphaning,
  labelOf,
  OwnerGraph,
} from './graph.ts';
import type { Vertex } from './graph.ts';

/** Objects that are worked on at once. */
const parallel = 32;
/** Kinds that own nothing and are owned by nothing that matters here. */
const ignored = new Set(['events', 'componentstatuses']);
/** UIDs known to be gone; a UID never comes back, so this only saves requests. */
const rememberedAbsent = 10_000;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const refresh = 'discovery';

export class GarbageCollector implements Controller {
  readonly #context: ControllerContext;
  readonly #graph = new OwnerGraph();
  readonly #absent = new Set<string>();
  readonly #queue: WorkQueue;
  readonly #discovery: WorkQueue;
  readonly #followed = new Map<string, () => void>();
  readonly #stops: (() => void)[] = [];
  #kinds: readonly ServedKind[] = [];

  constructor(context: ControllerContext) {
    this.#context = context;
    const failed = (key: string, error: unknown): void =>
      context.log('warn', 'garbage collection failed', { object: key, error: String(error) });
    const { clock } = context;
    this.#queue = new WorkQueue({ clock, parallel, work: (uid) => this.#work(uid), failed });
    this.#discovery = new WorkQueue({ clock, parallel: 1, work: () => this.#follow(), failed });
    this.#stops.push(
      context.informers.at(definitions).listen({
        seen: () => this.#discovery.add(refresh),
        gone: () => this.#discovery.add(refresh),
      }),
    );
    this.#discovery.add(refresh);
  }

  get idle(): boolean {
    return this.#queue.idle && this.#discovery.idle;
  }

  stop(): void {
    this.#queue.stop();
    this.#discovery.stop();
    for (const stop of [...this.#stops, ...this.#followed.values()]) stop();
  }

  async #follow(): Promise<void> {
    this.#kinds = await discover(this.#context.client);
    const wanted = new Map(
      this.#kinds
        .filter((kind) => ['list', 'watch', 'delete'].every((verb) => kind.verbs.includes(verb)))
        .filter((kind) => !ignored.has(kind.plural))
        .map((kind) => [collectionPath(kind), kind]),
    );
    for (const [path, stop] of this.#followed) {
      if (wanted.has(path)) continue;
      stop();
      this.#followed.delete(path);
      this.#context.informers.drop(path);
    }
    for (const [path, kind] of wanted) {
      if (this.#followed.has(path)) continue;
      const listener = {
        seen: (object: Stored) => this.#seen(kind, object),
        gone: (object: Stored) => this.#gone(object),
      };
      this.#followed.set(path, this.#context.informers.at(path).listen(listener));
    }
  }

  #seen(kind: ServedKind, object: Stored): void {
    const vertex = this.#graph.set(kind, object);
    if (vertex.owners.length > 0 || isTerminating(object)) this.#queue.add(vertex.uid);
    // Dependents of an owner that waits decide anew, also when the owner turned to waiting late.
    if (isForeground(object)) this.#addDependents(vertex.uid);
  }

  #gone(object: Stored): void {
    const vertex = this.#graph.delete(object);
    if (vertex === undefined) return;
    this.#addAbsent(vertex.uid);
    this.#addDependents(vertex.uid);
    for (const owner of vertex.owners) this.#queue.add(owner.uid);
  }

  #addDependents(uid: string): void {
    for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent.uid);
  }

  #addAbsent(uid: string): void {
    this.#absent.add(uid);
    const oldest = this.#absent.values().next();
    if (this.#absent.size > rememberedAbsent && oldest.done !== true) {
      this.#absent.delete(oldest.value);
    }
  }

  async #work(uid: string): Promise<void> {
    const vertex = this.#graph.get(uid);
    if (vertex === undefined) return;
    if (isOrphaning(vertex.object)) await this.#orphan(vertex);
    else if (isForeground(vertex.object)) await this.#awaitDependents(vertex);
    else if (!isTerminating(vertex.object)) await this.#judge(vertex);
  }

  /** Deletes an object whose owners are all gone, or all waiting for it. */
  async #judge(vertex: Vertex): Promise<void> {
    if (vertex.owners.length === 0) return;
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const owner of vertex.owners) {
      const live = await this.#ownerOf(vertex, owner);
      if (live === undefined) dangling.push(owner);
      else if (isForeground(live) && owner.blockOwnerDeletion === true) waiting.push(owner);
      else solid.push(owner);
    }
    if (solid.length > 0) {
      if (dangling.length + waiting.length > 0) await this.#cutOwners(vertex, solid);
      return;
    }
    const cascade = waiting.length > 0 && this.#graph.hasDependents(vertex.uid);
    await this.#delete(vertex, cascade ? 'Foreground' : policyOf(vertex.object));
  }

  /** The live owner; undefined when it is gone for sure. */
  async #ownerOf(vertex: Vertex, owner: OwnerReference): Promise<Stored | undefined> {
    const known = this.#graph.get(owner.uid);
    if (known !== undefined) return isInReach(known, vertex) ? known.object : undefined;
    if (this.#absent.has(owner.uid)) return undefined;
    const [group = '', version] = owner.apiVersion.includes('/')
      ? owner.apiVersion.split('/')
      : ['', owner.apiVersion];
    const kind = this.#kinds.find((each) => each.group === group && each.kind === owner.kind);
    if (kind === undefined) {
      // Perhaps a CRD that is not discovered yet: better to wait than to delete.
      throw new Error(`owner kind ${owner.kind} in ${group}/${version} is not served`);
    }
    const path = objectPath(kind, namespaceOf(vertex.object), owner.name);
    const answer = okOrGone('owner', await this.#context.client.get(path));
    const metadata = objectAt(answer.body, 'metadata');
    if (isOk(answer) && metadata !== undefined && textAt(metadata, 'uid') === owner.uid) {
      return { ...answer.body, metadata };
    }
    this.#addAbsent(owner.uid);
    return undefined;
  }

  /** Keeps the named owners only. */
  async #cutOwners(vertex: Vertex, keep: readonly OwnerReference[]): Promise<void> {
    const uids = new Set(keep.map((owner) => owner.uid));
    const { metadata } = vertex.object;
    const ownerReferences = listAt(metadata, 'ownerReferences').filter(
      (each) =>
        typeof each === 'object' &&
        each !== null &&
        !Array.isArray(each) &&
        uids.has(textAt(each, 'uid')),
    );
    const resourceVersion = textAt(metadata, 'resourceVersion');
    const patch = { metadata: { uid: vertex.uid, resourceVersion, ownerReferences } };
    okOrGone(
      'owner references',
      await this.#context.client.mergePatch(this.#pathOf(vertex), patch),
    );
  }

  async #delete(vertex: Vertex, propagationPolicy: string): Promise<void> {
    this.#context.log('debug', 'deleting an object without owners', { object: labelOf(vertex) });
    const path = this.#pathOf(vertex);
    const answer = await this.#context.client.remove(path, vertex.uid, { propagationPolicy });
    okOrGone('delete', answer);
    // No watch tells of what went with its kind.
    if (answer.status === 404) this.#gone(vertex.object);
  }

  async #orphan(vertex: Vertex): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(vertex.uid)) {
      const others = dependent.owners.filter((owner) => owner.uid !== vertex.uid);
      await this.#cutOwners(dependent, others);
    }
    await this.#removeFinalizer(vertex, 'orphan');
  }

  async #awaitDependents(vertex: Vertex): Promise<void> {
    const blocking = this.#graph
      .dependentsOf(vertex.uid)
      .filter((dependent) =>
        dependent.owners.some((owner) => owner.uid === vertex.uid && owner.blockOwnerDeletion),
      );
    if (blocking.length === 0) await this.#removeFinalizer(vertex, 'foregroundDeletion');
    else for (const dependent of blocking) this.#queue.add(dependent.uid);
  }

  async #removeFinalizer(vertex: Vertex, name: string): Promise<void> {
    if (!hasFinalizer(vertex.object, name)) return;
    const { metadata } = vertex.object;
    const finalizers = listAt(metadata, 'finalizers').filter((each) => each !== name);
    const resourceVersion = textAt(metadata, 'resourceVersion');
    const patch = { metadata: { uid: vertex.uid, resourceVersion, finalizers } };
    // A conflict means that the graph is behind; the attempt after the pause sees what is new.
    okOrGone('finalizer', await this.#context.client.mergePatch(this.#pathOf(vertex), patch));
  }

  #pathOf({ kind, object }: Vertex): string {
    return objectPath(kind, namespaceOf(object), nameOf(object));
  }
}

/** How an object without owners goes: as its own finalizers say. */
function policyOf(object: Stored): string {
  if (hasFinalizer(object, 'orphan')) return 'Orphan';
  return hasFinalizer(object, 'foregroundDeletion') ? 'Foreground' : 'Background';
}
