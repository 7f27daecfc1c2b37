// One clique actor under test: objects in as watches show them, intents out, and a server that does
// what is asked. Views are made of the objects as the runtime makes them.
import type { AnyMachineSnapshot } from 'xstate';
import '#machines/kinds.ts';
import { actorId } from '#machines/contract/address.ts';
import type { Answer } from '#machines/contract/question.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { clique as behaviour } from '#machines/nvidia/clique/behaviour.ts';
import type { CliqueContext } from '#machines/nvidia/clique/context.ts';
import { nvidiaRoutes } from '#machines/nvidia/routes.ts';
import type { NvidiaSettings } from '#machines/nvidia/settings.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import type { Row } from './invariants.ts';
import {
  cliqueObject,
  daemon,
  type DaemonOptions,
  domain,
  key,
  labelledNode,
  ownedBy,
  row,
  settings,
} from './objects.ts';
import { Reading } from './reading.ts';

const kindOf = ({ kind }: KubeObject): string =>
  kind === 'Pod' ? 'DaemonPod' : kind === 'Node' ? 'DomainNode' : kind;

const isOwn = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'ComputeDomainClique' && metadata.name === key.name;

const idOf = (object: KubeObject): string => `${object.kind}/${object.metadata.name}`;

export class CliqueKit {
  #snapshot: AnyMachineSnapshot;
  readonly #views = new Reading();
  #version = 1_000;
  #asked = 0;
  /** Of its clock. */
  now = 0;
  /** When it looks again although nothing comes; Infinity: not at all. */
  wakesAt = Infinity;
  /** As persisted. */
  object: KubeObject | undefined;
  /** How often the object was written. */
  writes = 0;
  readonly intents: Intent[] = [];

  constructor(changes: Partial<NvidiaSettings> = {}, name = key.name) {
    const own = { ...key, name };
    this.#snapshot = behaviour.start({
      key: own,
      root: own,
      settings: { ...settings, ...changes },
    });
  }

  given(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      if (isOwn(object)) this.object = object;
      this.#see(object, false);
    }
    return this;
  }

  gone(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      if (isOwn(object)) this.object = undefined;
      this.#see(object, true);
    }
    return this;
  }

  /** One reconcile, of which nothing is carried out. */
  reconcile(): readonly Intent[] {
    this.#snapshot = this.#views.handOver(this.#snapshot);
    const { snapshot, intents, waits } = behaviour.reconcile(this.#snapshot, this.now);
    this.#snapshot = snapshot;
    this.wakesAt = Math.min(...waits.map(({ until = Infinity }) => until));
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

  /** A write, by default that of the object, is answered with an error. */
  refused(code: string, message: string, kind = 'ComputeDomainClique', name = key.name): this {
    const ref = { kind, namespace: key.namespace, name };
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

  get rows(): readonly Row[] {
    return (this.object?.['daemons'] ?? []) as readonly Row[];
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

  /** What is remembered. */
  get context(): CliqueContext {
    return this.#snapshot.context;
  }

  /** The keys of what it reads, by view. */
  read(view: string): readonly string[] {
    return behaviour
      .reads(this.#snapshot)
      .flatMap((reading) => (reading.view.name === view ? [reading.key] : []));
  }

  get why(): readonly string[] {
    return behaviour.why(this.#snapshot, this.now);
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
      this.#views.put(idOf(object), isGone ? [] : (route.show?.(observed) ?? []));
      const deliveries = isGone ? route.forget(observed, object) : route.deliver(observed, object);
      for (const { to, event } of deliveries) if (actorId(to) === actorId(key)) this.#send(event);
    }
  }
}

/** Ready, with an IP of its own. */
export const pod = (node: string, changes: Partial<DaemonOptions> = {}) =>
  daemon({ node, ip: `ip-${node}`, ready: true, ...changes });

/** These nodes in it from index 0, Ready; of them a and b carry the label of the domain. */
const settled = (...nodes: readonly string[]) =>
  new CliqueKit().given(
    labelledNode('a'),
    labelledNode('b'),
    cliqueObject(
      nodes.map((node, index) => row({ node, index, ip: `ip-${node}`, ready: true })),
      { ownerReferences: ownedBy(...nodes.map((node) => `daemon-${node}`)) },
    ),
    ...nodes.map((node) => pod(node)),
  );

export const two = () => settled('a', 'b');

export const three = () => settled('a', 'b', 'c').given(domain());
