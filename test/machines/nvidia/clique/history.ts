// A random history of one clique: its behaviour between a watch that is late and writes whose
// answers are lost, in a world that changes all the time, with crashes.
import type { AnyMachineSnapshot } from 'xstate';
import '#machines/kinds.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { clique as behaviour } from '#machines/nvidia/clique/behaviour.ts';
import { nvidiaRoutes } from '#machines/nvidia/routes.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import { isSelected } from '#test/support/world-intents.ts';
import { Environment } from './environment.ts';
import type { Row } from './invariants.ts';
import { cliqueID, key, labelledNode, settings } from './objects.ts';
import { Reading } from './reading.ts';
import { rowsOf } from './server-model.ts';
import type { HistoryOptions, News } from './server-model.ts';

interface InFlight {
  /** When it was decided. */
  readonly vacated: ReadonlySet<string>;
  readonly intent: Extract<Intent, { type: 'createObject' | 'patchObject' | 'deleteObject' }>;
}

export class History extends Environment {
  #snapshot: AnyMachineSnapshot;
  /** What the controller knows, by kind and name. */
  #known = new Map<string, { object: KubeObject; version: number; isGone: boolean }>();
  #views = new Reading();
  #flying: InFlight | undefined;
  #listing: Extract<Intent, { type: 'listObjects' }> | undefined;
  #now = 1_000_000;
  writes = 0;

  constructor(options: HistoryOptions) {
    super(options);
    this.#snapshot = behaviour.start({ key, root: key, settings });
  }

  run(): void {
    for (let step = 0; step < this.options.steps; step++) this.#step();
  }

  /** Nothing happens any more but what the controller does. Throws where it does not come to
   *  rest. */
  end(): void {
    for (const pod of [...this.pods.values()]) {
      if (pod.deleting) this.remove(pod);
      else {
        if (!pod.isAgent) pod.clique ??= cliqueID;
        if (pod.ip === '') pod.ip = this.freshIp();
        pod.ready = true;
        this.touch(pod);
      }
    }
    for (let round = 0; round < 60; round++) {
      this.#catchUp();
      for (const pod of this.pods.values()) if (pod.isAgent && !this.#isIn(pod)) this.#ask(pod);
      this.#reconcile();
      if (this.#flying === undefined && this.#listing === undefined && this.#isCaughtUp()) return;
      this.#serve(false);
      for (const pod of [...this.pods.values()]) if (pod.deleting) this.remove(pod);
      this.#list(false);
    }
    throw new Error('it does not come to rest');
  }

  #step(): void {
    const dice = this.random();
    if (dice < 0.3) return this.#deliverSome();
    if (dice < 0.45) return this.#reconcile();
    if (dice < 0.57) return this.#serve(this.random() < 0.2);
    if (dice < 0.63) return this.#list(this.random() < 0.2);
    if (dice < 0.66) return this.#crash();
    if (dice < 0.7) return this.#ask(this.pick(this.livePods));
    this.environment();
  }

  #isIn({ name }: { readonly name: string }): boolean {
    return this.clique?.metadata.ownerReferences?.some((owner) => owner.name === name) === true;
  }

  #ask(pod: History['livePods'][number] | undefined): void {
    if (pod === undefined) return;
    const id = `${pod.node} ${++this.made}`;
    const payload = { node: pod.node, podUid: `uid-${pod.name}`, ip: pod.ip };
    this.note(`${pod.name} asks`);
    const event = { type: 'question.asked', question: 'join', id, payload } as const;
    this.#snapshot = behaviour.reduce(this.#snapshot, event);
  }

  /** As it was persisted. */
  #check({ id, answer }: Extract<Intent, { type: 'answer' }>): void {
    if (!answer.ok) return;
    const { index, version } = answer.data;
    const [node] = id.split(' ');
    const row = this.persisted.get(String(version))?.find(({ nodeName }) => nodeName === node);
    if (row === undefined || row.index !== index) {
      throw new Error(`A-30: ${id} got ${String(index)}, which version ${String(version)} lacks`);
    }
  }

  #crash(): void {
    this.note('crash');
    for (const pod of this.pods.values()) pod.held = undefined;
    this.#vacated = new Set();
    this.#listed = undefined;
    this.#flying = undefined;
    this.#listing = undefined;
    this.late.clear();
    this.#known = new Map();
    this.#views = new Reading();
    this.#snapshot = behaviour.start({ key, root: key, settings });
    for (const pod of this.pods.values()) this.tell('DaemonPod', this.podObject(pod), false);
    for (const node of this.labelled) this.tell('DomainNode', labelledNode(node), false);
    if (this.clique !== undefined) this.tell('ComputeDomainClique', this.clique, false);
    this.#catchUp();
  }

  #reconcile(): void {
    if (behaviour.isOver(this.#snapshot)) {
      this.#snapshot = behaviour.start({ key, root: key, settings });
      const known = [...this.#known.values()];
      this.#known = new Map();
      this.#views = new Reading();
      for (const { object, isGone } of known) this.#see({ kind: kindOf(object), object, isGone });
    }
    this.#noteVacated();
    this.#snapshot = this.#views.handOver(this.#snapshot);
    const { snapshot, intents } = behaviour.reconcile(this.#snapshot, this.#now++);
    this.#snapshot = snapshot;
    for (const intent of intents) {
      if (intent.type === 'answer') this.#check(intent);
      if (intent.type === 'listObjects') this.#listing ??= intent;
      if (
        intent.type === 'createObject' ||
        intent.type === 'patchObject' ||
        intent.type === 'deleteObject'
      ) {
        this.#flying ??= { intent, vacated: new Set(this.#vacated) };
      }
    }
  }

  /** The write that is under way reaches the server; its reply may be lost. */
  #serve(isLost: boolean): void {
    const { intent, vacated } = this.#flying ?? {};
    this.#flying = undefined;
    if (intent === undefined || vacated === undefined) return;
    const { ref } = intent;
    const isDone =
      ref.kind === 'ComputeDomainClique' ? this.#apply(intent, vacated) : this.#restart(ref.name);
    if (isLost) return;
    if (isDone) this.hold();
    const event = isDone
      ? { type: 'effect.done', op: 'patch', ref }
      : {
          type: 'effect.failed',
          op: 'patch',
          ref,
          code: 'CONFLICT',
          message: '',
          now: this.#now,
          retryAt: this.#now,
        };
    if (this.clique !== undefined) {
      this.#see({ kind: 'ComputeDomainClique', object: this.clique, isGone: false });
    }
    this.#snapshot = behaviour.reduce(this.#snapshot, event);
  }

  #apply(intent: InFlight['intent'], vacated: ReadonlySet<string>): boolean {
    const clique = this.clique;
    if (intent.type === 'createObject') {
      if (clique !== undefined) return false;
      this.writes++;
      const { daemons, metadata } = intent.body as unknown as {
        daemons: Row[];
        metadata: KubeObject['metadata'];
      };
      const made = this.created(daemons, metadata.ownerReferences ?? []);
      const full = { ...made, metadata: { ...metadata, ...made.metadata } };
      this.persist(full, `we create ${text(daemons)}`, vacated);
      return true;
    }
    const { metadata } = clique ?? {};
    if (metadata?.uid !== intent.uid || metadata.resourceVersion !== intent.resourceVersion)
      return false;
    this.writes++;
    if (intent.type === 'deleteObject') {
      this.deleteClique();
      return true;
    }
    const next = mergePatch(clique as KubeObject, intent.patch);
    this.persist(next, `we write ${text(rowsOf(next))}`, vacated);
    return true;
  }

  /** A daemon whose index was repaired goes. */
  #restart(name: string): boolean {
    const pod = this.pods.get(name);
    if (pod === undefined) return false;
    if (!pod.deleting) this.terminate(pod);
    return true;
  }

  #list(isLost: boolean): void {
    const intent = this.#listing;
    this.#listing = undefined;
    if (intent === undefined) return;
    if (!isLost) {
      const pods = [...this.pods.values()];
      const listed = pods.filter((pod) => isSelected(intent, this.podObject(pod)));
      for (const pod of listed) {
        this.#see({ kind: 'DaemonPod', object: this.podObject(pod), isGone: false });
      }
      // What the server has, whatever was asked for.
      this.#listed = pods.map(({ name, node }) => ({ name, node }));
    }
    const { id } = intent;
    this.#snapshot = behaviour.reduce(this.#snapshot, {
      type: 'objects.listed',
      id,
      ...(isLost ? { error: 'lost' } : {}),
    } as never);
  }

  /** What the server listed since the last reconcile. */
  #listed: readonly { readonly name: string; readonly node: string }[] | undefined;
  /** Nodes without a pod in the last list, but for such as have ended before the controller looked,
   *  as long as none is shown to it. */
  #vacated = new Set<string>();

  #noteVacated(): void {
    const isGone = (pod: string): boolean => this.#known.get(`DaemonPod/${pod}`)?.isGone === true;
    if (this.#listed !== undefined) {
      const nodes = new Set(this.#listed.flatMap(({ name, node }) => (isGone(name) ? [] : [node])));
      this.#vacated = new Set(this.nodes().filter((node) => !nodes.has(node)));
    }
    this.#listed = undefined;
    for (const { object, isGone: isOver } of this.#known.values()) {
      if (object.kind === 'Pod' && !isOver) this.#vacated.delete(nodeOf(object));
    }
  }

  #deliverSome(): void {
    const kinds = [...this.late.keys()].filter((kind) => (this.late.get(kind)?.length ?? 0) > 0);
    const kind = this.pick(kinds);
    if (kind === undefined) return;
    const queue = this.late.get(kind) ?? [];
    const many = 1 + Math.floor(this.random() * queue.length);
    for (const news of queue.splice(0, many)) this.#see(news);
  }

  #catchUp(): void {
    for (const queue of this.late.values()) for (const news of queue.splice(0)) this.#see(news);
  }

  #isCaughtUp(): boolean {
    return [...this.late.values()].every((queue) => queue.length === 0);
  }

  /** As the cache does: what is not newer is no news. */
  #see({ kind, object, isGone }: News): void {
    const id = `${kind}/${object.metadata.name}`;
    const version = Number(object.metadata.resourceVersion);
    const known = this.#known.get(id);
    const isOther = known?.object.metadata.uid !== object.metadata.uid;
    if (known !== undefined && (version < known.version || (known.isGone && !isOther))) return;
    this.#known.set(id, { object, version, isGone });
    for (const route of nvidiaRoutes) {
      if (route.kind !== kind) continue;
      const observed = route.decode(object) as never;
      this.#views.put(id, isGone ? [] : (route.show?.(observed) ?? []));
      const deliveries = isGone ? route.forget(observed, object) : route.deliver(observed, object);
      for (const { to, event } of deliveries) {
        if (to.kind !== 'clique') continue;
        this.#snapshot = behaviour.reduce(this.#snapshot, event);
        if (kind === 'DaemonPod' && !isGone) this.#vacated.delete(nodeOf(object));
      }
    }
  }
}

const kindOf = ({ kind }: KubeObject): string =>
  kind === 'Pod' ? 'DaemonPod' : kind === 'Node' ? 'DomainNode' : kind;

const nodeOf = ({ spec }: KubeObject): string => (spec as { nodeName: string }).nodeName;

const text = (rows: readonly Row[]): string =>
  rows
    .map(({ nodeName, index, status }) => `${nodeName}=${index}${status === 'Ready' ? '+' : ''}`)
    .join(' ');
