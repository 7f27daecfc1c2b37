// One clique actor under test: objects in as watches show them, intents out, and a server that does
// what is asked. Views are made of the objects as the runtime makes them.
import type { AnyMachineSnapshot } from 'xstate';
import '#machines/kinds.ts';
import { actorId } from '#machines/contract/address.ts';
import type { Answer } from '#machines/contract/question.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Entry, View } from '#machines/contract/view.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { clique as behaviour } from '#machines/nvidia/clique/behaviour.ts';
import { nvidiaRoutes } from '#machines/nvidia/routes.ts';
import type { NvidiaSettings } from '#machines/nvidia/settings.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import { key, settings } from './objects.ts';

export interface RowSeen {
  readonly nodeName: string;
  readonly ipAddress: string;
  readonly cliqueID: string;
  readonly index: number;
  readonly status: string;
}

const kindOf = ({ kind }: KubeObject): string =>
  kind === 'Pod' ? 'DaemonPod' : kind === 'Node' ? 'DomainNode' : kind;

const idOf = (object: KubeObject): string => `${object.kind}/${object.metadata.name}`;

export class CliqueKit {
  #snapshot: AnyMachineSnapshot;
  readonly #entries = new Map<string, readonly Entry[]>();
  #version = 1_000;
  #asked = 0;
  /** As persisted. */
  object: KubeObject | undefined;
  /** How often the object was written. */
  writes = 0;
  readonly intents: Intent[] = [];

  constructor(changes: Partial<NvidiaSettings> = {}) {
    this.#snapshot = behaviour.start({ key, root: key, settings: { ...settings, ...changes } });
  }

  given(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      if (object.kind === 'ComputeDomainClique') this.object = object;
      this.#see(object, false);
    }
    return this;
  }

  gone(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      if (object.kind === 'ComputeDomainClique') this.object = undefined;
      this.#see(object, true);
    }
    return this;
  }

  /** One reconcile, of which nothing is carried out. */
  reconcile(): readonly Intent[] {
    for (const { view, key: at } of behaviour.reads(this.#snapshot)) {
      this.#send(view.event(at, view.valueOf(this.#itemsOf(view, at))));
    }
    const { snapshot, intents } = behaviour.reconcile(this.#snapshot, 0);
    this.#snapshot = snapshot;
    this.intents.push(...intents);
    return intents;
  }

  /** Reconciles and does what is asked until nothing is. */
  carryOut(): this {
    for (let round = 0; round < 30; round++) {
      const intents = this.reconcile();
      const acts = intents.filter(({ type }) => type !== 'recordEvent' && type !== 'answer');
      if (acts.length === 0) return this;
      for (const intent of acts) this.#do(intent);
    }
    throw new Error('it does not come to rest');
  }

  /** The live list is answered: by default with nothing that was not seen. */
  listed(error?: string): this {
    this.#send({
      type: 'objects.listed',
      id: 'daemons',
      ...(error === undefined ? {} : { error }),
    });
    return this;
  }

  /** The write of the object is answered with an error. */
  refused(code: string, message: string): this {
    const ref = { kind: 'ComputeDomainClique', namespace: key.namespace, name: key.name };
    this.#send({ type: 'effect.failed', op: 'patch', ref, code, message, now: 0, retryAt: 1_000 });
    return this;
  }

  ask(node: string, podUid: string, ip = ''): string {
    const id = `ask-${++this.#asked}`;
    this.#send({ type: 'question.asked', question: 'join', id, payload: { node, podUid, ip } });
    return id;
  }

  drop(id: string): void {
    this.#send({ type: 'question.dropped', id });
  }

  answers(id: string): readonly Answer[] {
    return this.intents.flatMap((intent) =>
      intent.type === 'answer' && intent.id === id ? [intent.answer] : [],
    );
  }

  get rows(): readonly RowSeen[] {
    return (this.object?.['daemons'] ?? []) as readonly RowSeen[];
  }

  /** As `node=index`, `+` where it is ready. */
  get table(): readonly string[] {
    return this.rows.map(
      ({ nodeName, index, status }) => `${nodeName}=${index}${status === 'Ready' ? '+' : ''}`,
    );
  }

  get state(): unknown {
    return this.#snapshot.value;
  }

  get why(): readonly string[] {
    return behaviour.why(this.#snapshot, 0);
  }

  get view(): unknown {
    return behaviour.view(this.#snapshot);
  }

  get events(): readonly string[] {
    return this.intents.flatMap((intent) =>
      intent.type === 'recordEvent'
        ? [`${intent.regarding.kind} ${intent.reason}: ${intent.note}`]
        : [],
    );
  }

  of<T extends Intent['type']>(type: T): readonly Extract<Intent, { type: T }>[] {
    return this.intents.filter(
      (intent): intent is Extract<Intent, { type: T }> => intent.type === type,
    );
  }

  #do(intent: Intent): void {
    if (intent.type === 'listObjects') {
      this.listed();
      return;
    }
    if (intent.type === 'createObject' || intent.type === 'patchObject') {
      this.writes++;
      const before = this.object;
      const next =
        intent.type === 'createObject'
          ? { ...intent.body, metadata: { ...intent.body.metadata, uid: `made-${this.#version}` } }
          : mergePatch(before ?? (intent.ref as never), intent.patch);
      const metadata = { ...next.metadata, resourceVersion: String(++this.#version) };
      this.given({ ...next, metadata });
      this.#send({ type: 'effect.done', op: 'patch', ref: intent.ref });
    }
    if (intent.type === 'deleteObject' && intent.ref.kind === 'ComputeDomainClique') {
      this.writes++;
      if (this.object !== undefined) this.gone(this.object);
    }
  }

  #send(event: { readonly type: string; readonly [field: string]: unknown }): void {
    this.#snapshot = behaviour.reduce(this.#snapshot, event);
  }

  #see(object: KubeObject, isGone: boolean): void {
    for (const route of nvidiaRoutes) {
      if (route.kind !== kindOf(object)) continue;
      const observed = route.decode(object) as never;
      this.#entries.set(idOf(object), isGone ? [] : (route.show?.(observed) ?? []));
      const deliveries = isGone ? route.forget(observed, object) : route.deliver(observed, object);
      for (const { to, event } of deliveries) if (actorId(to) === actorId(key)) this.#send(event);
    }
  }

  #itemsOf(view: View, at: string): Map<string, unknown> {
    const items = new Map<string, unknown>();
    for (const [id, entries] of this.#entries) {
      for (const { view: shown, key: shownAt, item } of entries) {
        if (shown.name === view.name && shownAt === at) items.set(id, item);
      }
    }
    return items;
  }
}
