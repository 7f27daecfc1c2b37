// A cluster in memory behind the ClusterPort, small and honest: one resourceVersion for all, UID
// and version preconditions, generation, status apart from the rest, finalizers, garbage collection
// by owner UID. Faults are injected per write; what a watch would say goes to `watch`, when the
// test says.
import type {
  Clock,
  ClusterEvent,
  ClusterPort,
  Listed,
  Observation,
  Selection,
  Write,
  WriteOutcome,
} from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import { allKinds, kindRow } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { KubeObject, ObjectMeta } from '#machines/kubernetes/objects.ts';
import { FakeLists } from './fake-lists.ts';
import { fail, refusal, wait, type Fault } from './faults.ts';
import { mergePatch } from './merge-patch.ts';

export type { Fault } from './faults.ts';

export interface Logged {
  readonly write: Write;
  readonly outcome: WriteOutcome;
  readonly at: number;
}

export class FakeCluster implements ClusterPort {
  readonly #clock: Clock;
  readonly #objects = new Map<string, KubeObject>();
  #version = 100;
  #uids = 0;
  latencyMs = 1;
  fault: (write: Write) => Fault | undefined = () => undefined;
  readonly lists: FakeLists;
  /** What every watch would say, in order. */
  watch: (observation: Observation) => void = () => undefined;
  readonly log: Logged[] = [];
  readonly events: ClusterEvent[] = [];
  inFlight = 0;
  mostInFlight = 0;
  /** Writes in flight on one object, at most: must stay 1. */
  mostPerObject = 0;
  readonly #perObject = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lists = new FakeLists(clock, (kind) => this.list(kind));
  }

  // -- the port ---------------------------------------------------------------------------------

  async write(write: Write): Promise<WriteOutcome> {
    const fault = this.fault(write);
    this.#takeOff(write.ref);
    try {
      await wait(this.#clock, fault?.type === 'delay' ? fault.ms : this.latencyMs);
      if (fault?.type === 'reject') throw new Error('the port rejected');
      const outcome = fault?.type === 'refuse' ? refusal(fault) : this.#apply(write);
      this.log.push({ write, outcome, at: this.#clock.now() });
      return fault?.type === 'lose' ? fail('UNREACHABLE', 'connection reset') : outcome;
    } finally {
      this.#land(write.ref);
    }
  }

  async read(ref: ObjectRef): Promise<WriteOutcome> {
    await wait(this.#clock, this.latencyMs);
    const object = this.get(ref);
    return object === undefined ? fail('NOT_FOUND', 'no such object') : { ok: true, object };
  }

  async event(event: ClusterEvent): Promise<WriteOutcome> {
    await wait(this.#clock, this.latencyMs);
    this.events.push(event);
    return { ok: true };
  }

  // -- what users and other controllers do --------------------------------------------------------

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(refKey(ref));
  }

  /** Of the port. */
  list(...asked: Parameters<FakeLists['list']>): Promise<Listed>;
  /** What is there now. */
  list(kind?: Kind): KubeObject[];
  list(
    kind?: Kind,
    selection?: Selection,
    ...asked: [isWanted?: () => boolean, signal?: AbortSignal]
  ): KubeObject[] | Promise<Listed> {
    if (kind !== undefined && selection !== undefined) {
      return this.lists.list(kind, selection, ...asked);
    }
    const all = [...this.#objects.values()];
    return kind === undefined ? all : all.filter((object) => object.kind === kind);
  }

  /** Creates or changes an object as a user would; status is left alone. */
  apply(
    kind: Kind,
    name: string,
    change: Record<string, unknown>,
    meta?: Partial<ObjectMeta>,
  ): KubeObject {
    const ref: ObjectRef = { kind, namespace: 'default', name };
    const live = this.get(ref);
    if (live === undefined) {
      const { apiVersion } = kindRow(kind);
      const metadata = { ...meta, name, namespace: 'default' };
      return this.#create(ref, { apiVersion, kind, ...change, metadata });
    }
    return this.#store(ref, live, { ...live, ...change, metadata: { ...live.metadata, ...meta } });
  }

  setStatus(ref: ObjectRef, status: unknown): void {
    const live = this.get(ref);
    if (live !== undefined) this.#store(ref, live, { ...live, status });
  }

  delete(ref: ObjectRef): void {
    const live = this.get(ref);
    if (live !== undefined) this.#delete(ref, live);
  }

  /** Everything as a fresh list would give it. */
  observations(): Observation[] {
    return this.list().map((object) => ({ type: 'seen', kind: kindOf(object), object }));
  }

  // -- inside -----------------------------------------------------------------------------------

  #apply(write: Write): WriteOutcome {
    const live = this.get(write.ref);
    if (write.op === 'create') {
      if (live !== undefined) return fail('ALREADY_EXISTS', 'the name is taken');
      return { ok: true, object: this.#create(write.ref, write.body) };
    }
    if (live === undefined) return fail('NOT_FOUND', 'no such object');
    const given = preconditions(write);
    const { uid, resourceVersion } = live.metadata;
    if (given.uid !== undefined && given.uid !== uid) return fail('CONFLICT', 'another UID');
    const version = given.resourceVersion;
    if (version !== undefined && version !== resourceVersion) {
      return fail('CONFLICT', 'the object has been modified');
    }
    if (write.op === 'delete') {
      const left = this.#delete(write.ref, live);
      return left === undefined ? { ok: true, gone: true } : { ok: true, object: left };
    }
    const next =
      write.op === 'status'
        ? { ...live, status: write.body['status'] }
        : { ...mergePatch(live, write.patch), status: live['status'] };
    return { ok: true, object: this.#store(write.ref, live, next) };
  }

  #create(ref: ObjectRef, body: KubeObject): KubeObject {
    const metadata: ObjectMeta = {
      ...body.metadata,
      uid: `uid-${++this.#uids}`,
      resourceVersion: String(++this.#version),
      generation: 1,
      creationTimestamp: new Date(this.#clock.now()).toISOString(),
    };
    const object: KubeObject = structuredClone({ ...body, metadata });
    this.#objects.set(refKey(ref), object);
    this.watch({ type: 'seen', kind: ref.kind, object });
    return object;
  }

  /** Server-owned fields are kept; nothing changes when nothing is different. */
  #store(ref: ObjectRef, live: KubeObject, next: KubeObject): KubeObject {
    const { uid, resourceVersion, generation = 1, deletionTimestamp } = live.metadata;
    const kept = { uid, resourceVersion, generation, deletionTimestamp };
    const merged: KubeObject = { ...next, metadata: withKept(next.metadata, kept) };
    if (isEqual(merged, live)) return live;
    if (deletionTimestamp !== undefined && (merged.metadata.finalizers ?? []).length === 0) {
      this.#remove(ref, live);
      return {
        ...merged,
        metadata: { ...merged.metadata, resourceVersion: String(this.#version) },
      };
    }
    const isNewSpec = !isEqual(merged['spec'], live['spec']);
    const metadata = {
      ...merged.metadata,
      resourceVersion: String(++this.#version),
      generation: isNewSpec ? generation + 1 : generation,
    };
    const object: KubeObject = structuredClone({ ...merged, metadata });
    this.#objects.set(refKey(ref), object);
    this.watch({ type: 'seen', kind: ref.kind, object });
    return object;
  }

  #delete(ref: ObjectRef, live: KubeObject): KubeObject | undefined {
    if ((live.metadata.finalizers ?? []).length === 0) {
      this.#remove(ref, live);
      return undefined;
    }
    if (live.metadata.deletionTimestamp !== undefined) return live;
    const metadata: ObjectMeta = {
      ...live.metadata,
      deletionTimestamp: new Date(this.#clock.now()).toISOString(),
      resourceVersion: String(++this.#version),
      generation: (live.metadata.generation ?? 1) + 1,
    };
    const object = { ...live, metadata };
    this.#objects.set(refKey(ref), object);
    this.watch({ type: 'seen', kind: ref.kind, object });
    return object;
  }

  #remove(ref: ObjectRef, live: KubeObject): void {
    this.#version++;
    this.#objects.delete(refKey(ref));
    const uid = live.metadata.uid ?? '';
    this.watch({ type: 'gone', ref, uid });
    for (const child of this.list()) {
      const isOwned = child.metadata.ownerReferences?.some((owner) => owner.uid === uid);
      if (isOwned !== true) continue;
      const { name, namespace = '' } = child.metadata;
      this.#delete({ kind: kindOf(child), namespace, name }, child);
    }
  }

  #takeOff(ref: ObjectRef): void {
    const count = (this.#perObject.get(refKey(ref)) ?? 0) + 1;
    this.#perObject.set(refKey(ref), count);
    this.mostPerObject = Math.max(this.mostPerObject, count);
    this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight);
  }

  #land(ref: ObjectRef): void {
    this.inFlight--;
    this.#perObject.set(refKey(ref), (this.#perObject.get(refKey(ref)) ?? 1) - 1);
  }
}

function preconditions(write: Exclude<Write, { op: 'create' }>): {
  uid?: unknown;
  resourceVersion?: unknown;
} {
  if (write.op === 'delete') return write;
  if (write.op === 'status') return write.body.metadata;
  const { metadata } = write.patch;
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  return isObject ? metadata : {};
}

function withKept(metadata: ObjectMeta, kept: Record<string, unknown>): ObjectMeta {
  const merged: Record<string, unknown> = { ...metadata };
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return { ...merged, name: metadata.name };
}

function kindOf(object: KubeObject): Kind {
  const found = allKinds().find((kind) => kind === object.kind);
  if (found === undefined) throw new Error(`unknown kind ${object.kind}`);
  return found;
}
