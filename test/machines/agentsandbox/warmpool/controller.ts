// The actor of one warm pool as the runtime runs it: observations by the routes of the module,
// views, one write at a time per object, and pauses after failures.
import type { AnyMachineSnapshot } from 'xstate';
import '#machines/kinds.ts';
import { noCause } from '#actors/mail/causality.ts';
import { Views, type Reader } from '#actors/views/views.ts';
import { actorId } from '#machines/contract/address.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { agentSandboxRoutes } from '#machines/agentsandbox/routes.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { sandboxWarmPool as behaviour } from '#machines/agentsandbox/warmpool/behaviour.ts';
import type { PoolContext } from '#machines/agentsandbox/warmpool/context.ts';
import { namespace } from './objects.ts';
import type { Reply, WriteIntent } from './server.ts';

interface Known {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

interface Queued {
  readonly intent: WriteIntent;
  /** Of the pool, as the actor knew it. */
  readonly generation: number | undefined;
  /** Of the object that it is about, as it was known. */
  readonly version: string | undefined;
}

const operations = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
} as const;

const kindOf = (kind: string): string => (kind === 'Pod' ? 'SandboxPod' : kind);

const isWrite = (intent: Intent): intent is WriteIntent => intent.type in operations;

export class PoolController {
  #snapshot: AnyMachineSnapshot;
  readonly #known = new Map<string, Known>();
  readonly #gone = new Set<string>();
  readonly #views = new Views<Reader>(() => {});
  readonly #reader: Reader = { id: 'pool', reads: new Map() };
  readonly #waiters = new Set<string>();
  /** Until when, after a failure. */
  readonly paused = new Map<string, number>();
  readonly #id: string;
  readonly queued = new Map<string, Queued>();
  readonly flying = new Map<string, WriteIntent>();
  /** How long a write waits that was refused. */
  refusedMs = 2_000;
  /** When the actor is to be reconciled at the latest. */
  wakesAt: number | undefined;

  constructor(settings: AgentSandboxSettings, name = 'pool') {
    const key = { kind: 'sandboxwarmpool', namespace, name } as const;
    this.#id = actorId(key);
    this.#snapshot = behaviour.start({ key, root: key, settings });
  }

  get context(): PoolContext {
    return this.#snapshot.context;
  }

  get state(): unknown {
    return this.#snapshot.value;
  }

  why(now: number): readonly string[] {
    return behaviour.why(this.#snapshot, now);
  }

  /** Older news than what is known is none. */
  see(object: KubeObject, isGone = false): void {
    const { uid = '', resourceVersion } = object.metadata;
    const id = `${object.kind}/${object.metadata.name}`;
    const before = this.#known.get(id);
    const isOld =
      before?.object.metadata.uid === uid &&
      Number(before.object.metadata.resourceVersion) >= Number(resourceVersion);
    if (this.#gone.has(uid) || (isOld && !isGone)) return;
    if (isGone) this.#gone.add(uid);
    if (isGone && before?.object.metadata.uid !== uid) return;
    this.#known.set(id, { object, isGone });
    const isOther = before !== undefined && before.object.metadata.uid !== uid;
    if (isOther && !before.isGone) this.#forget(before.object, id);
    if (isGone) return this.#forget(before?.object ?? object, id);
    const kept = this.#deliveries(object, 'deliver').map(({ type }) => type);
    if (before !== undefined && !isOther && !before.isGone) {
      const left = this.#deliveries(before.object, 'deliver').length > 0 && kept.length === 0;
      if (left) for (const event of this.#deliveries(before.object, 'forget')) this.#reduce(event);
    }
    this.#show(object, id, false);
    for (const event of this.#deliveries(object, 'deliver')) this.#reduce(event);
  }

  #forget(object: KubeObject, id: string): void {
    this.#show(object, id, true);
    for (const event of this.#deliveries(object, 'forget')) this.#reduce(event);
  }

  #deliveries(object: KubeObject, how: 'deliver' | 'forget'): readonly { readonly type: string }[] {
    return agentSandboxRoutes
      .filter(({ kind }) => kind === kindOf(object.kind))
      .flatMap((route) => route[how](route.decode(object), object))
      .filter(({ to }) => actorId(to) === this.#id)
      .map(({ event }) => event);
  }

  #show(object: KubeObject, id: string, isGone: boolean): void {
    const routes = agentSandboxRoutes.filter(({ kind }) => kind === kindOf(object.kind));
    const entries = routes.flatMap((route) => route.show?.(route.decode(object)) ?? []);
    this.#views.put(id, isGone ? [] : entries, noCause);
  }

  #reduce(event: { readonly type: string }): void {
    this.#snapshot = behaviour.reduce(this.#snapshot, event);
  }

  reconcile(now: number): readonly Intent[] {
    for (const [key, until] of this.paused) if (until <= now) this.#resume(key);
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(this.#reader, behaviour.reads(this.#snapshot));
      for (const event of events) this.#reduce(event);
    }
    const { snapshot, intents, waits } = behaviour.reconcile(this.#snapshot, now);
    this.#snapshot = snapshot;
    const times = [...waits.map(({ until }) => until), ...this.paused.values()];
    const known = times.filter((time) => time !== undefined);
    this.wakesAt = known.length === 0 ? undefined : Math.min(...known);
    for (const intent of intents) if (isWrite(intent)) this.#submit(intent);
    return intents;
  }

  #submit(intent: WriteIntent): void {
    const { type, ref } = intent;
    const key = `${ref.kind}/${ref.name}`;
    const object = this.#known.get(key)?.object;
    if (type === 'writeStatus') {
      const isSame = JSON.stringify(object?.['status']) === JSON.stringify(intent.status);
      if (isSame) return;
    }
    if (this.flying.has(key) || this.paused.has(key)) return void this.#waiters.add(key);
    const generation = this.context.pool?.generation;
    const overtaken = this.queued.get(key)?.intent.type ?? type;
    if (overtaken !== type) this.#waiters.add(key);
    this.queued.set(key, { intent, generation, version: object?.metadata.resourceVersion });
  }

  /** The next write leaves; what was overtaken by news is asked for anew. */
  send(key: string): void {
    const work = this.queued.get(key);
    this.queued.delete(key);
    if (work === undefined) return;
    const { intent, generation, version } = work;
    const isOnOld = intent.type === 'patchObject' || intent.type === 'deleteObject';
    const isOld = this.#known.get(key)?.object.metadata.resourceVersion !== version;
    if (generation !== this.context.pool?.generation || (isOnOld && isOld)) {
      return this.#reduce({ type: 'effect.retry', ref: intent.ref } as CommonEvent);
    }
    this.flying.set(key, intent);
  }

  /** The reply, after what it shows. `lost`: there is none. */
  answer(key: string, reply: Reply, now: number, failure?: ErrorCode): void {
    const intent = this.flying.get(key);
    if (intent === undefined) return;
    this.flying.delete(key);
    const { ref, type } = intent;
    const op = operations[type];
    if (failure !== undefined) return this.#fail(key, intent, failure, now, this.refusedMs);
    if (reply.object !== undefined) this.see(reply.object);
    if (type === 'deleteObject' && reply.object === undefined) {
      const known = this.#known.get(key);
      if (known?.object.metadata.uid === intent.uid) this.see(known.object, true);
    }
    const isDone = reply.code === undefined || (op === 'delete' && reply.code === 'NOT_FOUND');
    if (!isDone) return this.#fail(key, intent, reply.code, now, op === 'create' ? 2_000 : 0);
    this.#reduce({ type: 'effect.done', op, ref } as CommonEvent);
    this.#free(key, intent);
  }

  #fail(key: string, intent: WriteIntent, code: ErrorCode, now: number, pauseMs: number): void {
    const { ref, type } = intent;
    const retryAt = now + pauseMs;
    const message = `it said ${code}`;
    const event = { type: 'effect.failed', op: operations[type], ref, code, message, now, retryAt };
    this.#reduce(event);
    this.#waiters.add(key);
    if (pauseMs === 0) return this.#free(key, intent);
    this.paused.set(key, retryAt);
  }

  #resume(key: string): void {
    this.paused.delete(key);
    const [kind = '', name = ''] = key.split('/');
    this.#waiters.delete(key);
    this.#reduce({ type: 'effect.retry', ref: { kind, namespace, name } } as CommonEvent);
  }

  #free(key: string, { ref }: WriteIntent): void {
    if (this.#waiters.delete(key)) this.#reduce({ type: 'effect.retry', ref } as CommonEvent);
  }
}
