// The objects of the little world: what an API server does where the machines can tell. UIDs,
// versions that grow, a generation that follows the spec, finalizers, the grace of pods,
// preconditions.
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { allKinds, apiKind, isClusterScoped, isKind, kindRow } from '#machines/kinds.ts';
import type { Kind } from '#machines/kinds.ts';
import { isEqual, isObject } from '#machines/kubernetes/json.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import type { Json, JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };
export type WriteIntent = Extract<Intent, { readonly ref: ObjectRef }>;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

const finalizersOf: Record<Propagation, readonly string[]> = {
  Background: [],
  Foreground: ['foregroundDeletion'],
  Orphan: ['orphan'],
};

export class Store {
  readonly objects = new Map<string, KubeObject>();
  /** Names of all pods that were ever created. */
  readonly podsEver: string[] = [];
  now: EpochMs = Date.UTC(2026, 0, 1);
  #ids = 0;
  #version = 0;
  /** Called with every new state of an object, and with its last when it is gone. */
  readonly #changed: (one: KubeObject, isGone: boolean) => void;

  constructor(changed: (one: KubeObject, isGone: boolean) => void) {
    this.#changed = changed;
  }

  /** Takes over what another store holds. */
  protected adopt(other: Store): void {
    for (const [key, one] of other.objects) this.objects.set(key, one);
    this.podsEver.push(...other.podsEver);
    this.now = other.now;
    this.#ids = other.#ids;
    this.#version = other.#version;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Creates an object as a user would. */
  create(body: KubeObject): KubeObject {
    const ref = refOf(body);
    const made = this.#stamp(body, {
      uid: `uid-${++this.#ids}`,
      generation: 1,
      creationTimestamp: rfc3339(this.now),
    });
    this.#store(ref, made);
    return made;
  }

  /** Merge patch as a user would. */
  edit(ref: ObjectRef, patch: JsonObject): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) throw new Error(`no ${refKey(ref)}`);
    const merged = applyPatch(old, patch);
    this.#replace(ref, old, merged);
  }

  /** Deletes as a user would: finalizers, and the grace of pods, keep it for a while. */
  remove(ref: ObjectRef, propagation: Propagation = 'Background'): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) return;
    const finalizers = [...(old.metadata.finalizers ?? []), ...finalizersOf[propagation]];
    if (finalizers.length === 0 && ref.kind !== 'Pod') return this.drop(ref);
    if (old.metadata.deletionTimestamp !== undefined) return;
    this.edit(ref, { metadata: { finalizers, deletionTimestamp: rfc3339(this.now) } });
  }

  setPodStatus(name: string, status: JsonObject): void {
    this.edit({ kind: 'Pod', namespace: 'demo', name }, { status });
  }

  get(kind: Kind, name: string): KubeObject | undefined {
    const namespace = isClusterScoped(kind) ? '' : 'demo';
    return this.objects.get(refKey({ kind, namespace, name }));
  }

  all(kind: Kind): readonly KubeObject[] {
    return [...this.objects.values()].filter((one) => kindOf(one) === kind);
  }

  #stamp(body: KubeObject, more: object): KubeObject {
    const resourceVersion = String(++this.#version);
    return { ...body, metadata: { ...body.metadata, ...more, resourceVersion } };
  }

  #replace(ref: ObjectRef, old: KubeObject, merged: Json): void {
    const next = asObject(merged);
    if (isEqual(old, next)) return;
    const isNewSpec = !isEqual(old['spec'], next['spec']);
    const generation = (old.metadata.generation ?? 1) + (isNewSpec ? 1 : 0);
    const stamped = this.#stamp(next, { generation });
    const isFree = (stamped.metadata.finalizers ?? []).length === 0 && ref.kind !== 'Pod';
    if (stamped.metadata.deletionTimestamp !== undefined && isFree) this.drop(ref);
    else this.#store(ref, stamped);
  }

  #store(ref: ObjectRef, body: KubeObject): void {
    this.objects.set(refKey(ref), body);
    this.#changed(body, false);
  }

  /** Takes an object away for good. */
  drop(ref: ObjectRef): void {
    const old = this.objects.get(refKey(ref));
    if (old === undefined) return;
    this.objects.delete(refKey(ref));
    this.#version++;
    this.#changed(old, true);
  }

  /** True where nothing would change: such an intent is not sent. */
  isSo(intent: WriteIntent): boolean {
    const there = this.objects.get(refKey(intent.ref));
    if (intent.type === 'writeStatus') return isEqual(there?.['status'], intent.status);
    return (
      intent.type === 'deleteObject' &&
      intent.gracePeriodSeconds === undefined &&
      there?.metadata.deletionTimestamp !== undefined
    );
  }

  /** What a machine wants written. `nothing`: it is so already. */
  apply(intent: WriteIntent): Outcome | 'nothing' {
    const old = this.objects.get(refKey(intent.ref));
    if (intent.type === 'createObject') {
      if (old !== undefined) return failed('ALREADY_EXISTS', 'exists');
      if (intent.ref.kind === 'Pod') this.podsEver.push(intent.ref.name);
      this.create(structuredClone(intent.body));
      return { ok: true };
    }
    if (old === undefined) return failed('NOT_FOUND', 'not found');
    if (old.metadata.uid !== intent.uid) return failed('CONFLICT', 'another uid');
    if (intent.type === 'writeStatus') return this.#writeStatus(intent, old);
    const { resourceVersion } = intent;
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      return failed('CONFLICT', 'another version');
    }
    if (intent.type === 'deleteObject') {
      if (intent.gracePeriodSeconds === 0 && (old.metadata.finalizers ?? []).length === 0) {
        this.drop(intent.ref);
        return { ok: true };
      }
      if (old.metadata.deletionTimestamp !== undefined) return 'nothing';
      this.remove(intent.ref, intent.propagation);
    } else this.edit(intent.ref, intent.patch);
    return { ok: true };
  }

  #writeStatus(
    intent: Extract<Intent, { type: 'writeStatus' }>,
    old: KubeObject,
  ): Outcome | 'nothing' {
    if (isEqual(old['status'], intent.status)) return 'nothing';
    this.#store(intent.ref, this.#stamp({ ...old, status: intent.status }, {}));
    return { ok: true };
  }
}

const failed = (code: ErrorCode, message: string): Outcome => ({ ok: false, code, message });

export const refOf = (one: KubeObject): ObjectRef => ({
  kind: kindOf(one),
  namespace: one.metadata.namespace ?? '',
  name: one.metadata.name,
});

/** The API kind alone does not tell: two groups have a PodGroup. */
export function kindOf({
  apiVersion,
  kind: name,
}: Pick<KubeObject, 'kind'> & Partial<Pick<KubeObject, 'apiVersion'>>): Kind {
  const found = isKind(name)
    ? name
    : allKinds().find((kind) => apiKind(kind) === name && kindRow(kind).apiVersion === apiVersion);
  if (found === undefined) throw new Error(`unknown kind ${apiVersion ?? ''} ${name}`);
  return found;
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

function asObject(value: Json): KubeObject {
  if (!isKubeObject(value)) throw new Error('a patch made something that is no object');
  return value;
}

/** An object is stored once, whatever modules call its kind. */
export const stored = (ref: ObjectRef): ObjectRef => ({
  ...ref,
  kind: kindOf({ apiVersion: kindRow(ref.kind).apiVersion, kind: apiKind(ref.kind) }),
});

export const toStore = (intent: WriteIntent): WriteIntent => ({
  ...intent,
  ref: stored(intent.ref),
});
