// A small model of the API server, for the actor of one warm pool: versions, preconditions,
// deletions that may take their time.
import type { Intent } from '#machines/contract/intents.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#machines/kubernetes/objects.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import { time } from './objects.ts';

export type WriteIntent = Extract<
  Intent,
  { type: 'createObject' | 'patchObject' | 'deleteObject' | 'writeStatus' }
>;

export interface Reply {
  readonly code: 'CONFLICT' | 'ALREADY_EXISTS' | 'NOT_FOUND' | undefined;
  /** As it is after this. */
  readonly object: KubeObject | undefined;
}

export class ModelServer {
  readonly objects = new Map<string, KubeObject>();
  /** Names of Sandboxes that something keeps from going. */
  readonly slow = new Set<string>();
  /** The CRD drops conditions of warm pools. */
  prunes = false;
  now = 1_000_000;
  /** By how much the clock of the server is behind that of the controller. */
  behindMs = 0;
  #version = 0;
  #uids = 0;
  readonly #changed: (key: string, object: KubeObject, isGone: boolean) => void;

  constructor(changed: (key: string, object: KubeObject, isGone: boolean) => void) {
    this.#changed = changed;
  }

  static keyOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

  /** Somebody writes the whole object, with a new generation where its spec differs. */
  put(object: KubeObject): KubeObject {
    const key = ModelServer.keyOf(object);
    const before = this.objects.get(key);
    const { generation = 1, uid } = before?.metadata ?? {};
    const isSame = before === undefined || isEqual(before['spec'], object['spec']);
    const made: KubeObject = {
      ...object,
      metadata: {
        creationTimestamp: time(this.now - this.behindMs),
        ...object.metadata,
        uid: uid ?? object.metadata.uid ?? `uid-${++this.#uids}`,
        generation: isSame ? generation : generation + 1,
        resourceVersion: String(++this.#version),
      },
    };
    this.objects.set(key, made);
    this.#changed(key, made, false);
    return made;
  }

  patch(key: string, patch: JsonObject): void {
    const object = this.objects.get(key);
    if (object !== undefined) this.put(mergePatch(object, patch));
  }

  status(key: string, status: JsonObject): void {
    const object = this.objects.get(key);
    if (object !== undefined && !isEqual(object['status'], status)) this.put({ ...object, status });
  }

  /** At once, unless something keeps it. */
  delete(key: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    if (!this.slow.has(object.metadata.name)) return this.remove(key);
    const { deletionTimestamp = time(this.now) } = object.metadata;
    this.put({ ...object, metadata: { ...object.metadata, deletionTimestamp } });
  }

  remove(key: string): void {
    const object = this.objects.get(key);
    if (object === undefined) return;
    this.objects.delete(key);
    this.#changed(key, object, true);
  }

  write(intent: WriteIntent): Reply {
    const key = `${intent.ref.kind}/${intent.ref.name}`;
    const object = this.objects.get(key);
    if (intent.type === 'createObject') {
      if (object === undefined) return { code: undefined, object: this.put(intent.body) };
      const isOurs = controllerOf(object)?.uid === controllerOf(intent.body)?.uid;
      return { code: isOurs ? undefined : 'ALREADY_EXISTS', object };
    }
    if (object === undefined) return { code: 'NOT_FOUND', object };
    const { uid, resourceVersion } = object.metadata;
    const version = intent.type === 'writeStatus' ? undefined : intent.resourceVersion;
    const isOther = intent.uid !== uid || (version !== undefined && version !== resourceVersion);
    if (isOther) return { code: 'CONFLICT', object };
    if (intent.type === 'deleteObject') this.delete(key);
    if (intent.type === 'patchObject') this.patch(key, intent.patch);
    if (intent.type === 'writeStatus') this.status(key, this.#stored(intent.status));
    return { code: undefined, object: this.objects.get(key) };
  }

  #stored({ conditions, ...status }: JsonObject): JsonObject {
    return this.prunes || conditions === undefined ? status : { ...status, conditions };
  }

  /** Sandboxes that this pool controls, going or not. */
  controlled(poolUid: string): readonly KubeObject[] {
    return [...this.objects.values()].filter(
      (object) => object.kind === 'Sandbox' && controllerOf(object)?.uid === poolUid,
    );
  }
}
