// The API server of a world of claims, with whoever watches it; the garbage collector and the life
// of Sandboxes are steps that a test takes.
import type { WriteOutcome } from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import { isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { collect } from '#test/support/world-life.ts';
import { refOf, Store } from '#test/support/world-store.ts';
import type { WriteIntent } from '#test/support/world-store.ts';

export type Watcher = (object: KubeObject, isGone: boolean) => void;

export class Server extends Store {
  readonly watchers: Set<Watcher>;
  /** Answers of 409. */
  conflicts = 0;

  constructor() {
    const watchers = new Set<Watcher>();
    super((object, isGone) => {
      for (const watcher of watchers) watcher(object, isGone);
    });
    this.watchers = watchers;
  }

  /** Carries a write out, and answers it. `known`: the object as the writer knows it. */
  write(intent: WriteIntent, known: KubeObject | undefined): WriteOutcome {
    const live = this.objects.get(refKey(intent.ref));
    const isStale = live?.metadata.resourceVersion !== known?.metadata.resourceVersion;
    if (intent.type === 'writeStatus' && live?.metadata.uid === intent.uid && isStale) {
      this.conflicts++;
      return { ok: false, code: 'CONFLICT', message: 'the object has been modified' };
    }
    const outcome = this.apply(intent);
    if (outcome === 'nothing' || outcome.ok) {
      const object = this.objects.get(refKey(intent.ref));
      return object === undefined ? { ok: true, gone: true } : { ok: true, object };
    }
    if (outcome.code === 'CONFLICT') this.conflicts++;
    return outcome;
  }

  read(ref: ObjectRef): WriteOutcome {
    const object = this.objects.get(refKey(ref));
    return object === undefined
      ? { ok: false, code: 'NOT_FOUND', message: 'not found' }
      : { ok: true, object };
  }

  collect(): void {
    collect(this);
  }

  /** The pod of a Sandbox gets an address, and is ready or not. */
  run(name: string, isReady: boolean, more: JsonObject = {}, namespace = 'demo'): void {
    const ref: ObjectRef = { kind: 'Sandbox', namespace, name };
    const there = this.objects.get(refKey(ref));
    if (there === undefined) return;
    const status = isObject(there['status']) ? there['status'] : {};
    const before = list(status['conditions'])
      .filter(isObject)
      .find(({ type }) => type === 'Ready');
    const says = isReady ? 'True' : 'False';
    const since = before?.['status'] === says ? before['lastTransitionTime'] : undefined;
    const ready: JsonObject = {
      type: 'Ready',
      status: says,
      reason: isReady ? 'DependenciesReady' : 'DependenciesNotReady',
      message: isReady ? 'Pod is Ready' : 'Pod is Running but not Ready',
      lastTransitionTime: since ?? rfc3339(this.now),
      observedGeneration: there.metadata.generation ?? 0,
    };
    const others = list(more['conditions']).filter(isObject);
    this.edit(ref, {
      status: { podIPs: [`10.0.0.${name.length}`], ...more, conditions: [ready, ...others] },
    });
  }

  byKind(kind: 'Sandbox' | 'SandboxClaim' | 'SandboxWarmPool'): readonly KubeObject[] {
    return [...this.objects.values()].filter((one) => refOf(one).kind === kind);
  }
}
