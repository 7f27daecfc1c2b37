// A random history of one clique: a model of the API server with versions, a watch that is late,
// daemons of NVIDIA's that write rows themselves, the garbage collector, a controller that crashes
// and loses replies. Invariants are checked at each persisted version, by what the model knows and
// not by what the machine decided.
import type { AnyMachineSnapshot } from 'xstate';
import '#machines/kinds.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Entry, View } from '#machines/contract/view.ts';
import type { KubeObject, OwnerReference } from '#machines/kubernetes/objects.ts';
import { clique as behaviour } from '#machines/nvidia/clique/behaviour.ts';
import { nvidiaRoutes } from '#machines/nvidia/routes.ts';
import { mergePatch } from '#test/support/merge-patch.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { cliqueID, daemon, domainUid, key, name, settings } from './objects.ts';
import { checkVersion } from './invariants.ts';
import type { Row, Version } from './invariants.ts';

interface Pod {
  readonly name: string;
  readonly node: string;
  ip: string;
  clique: string | undefined;
  ready: boolean;
  deleting: boolean;
  readonly created: number;
  /** The index of the last row that the controller wrote for it. */
  held: number | undefined;
}

interface InFlight {
  /** When it was decided. */
  readonly vacated: ReadonlySet<string>;
  readonly intent: Extract<Intent, { type: 'createObject' | 'patchObject' | 'deleteObject' }>;
}

type News = { readonly kind: string; readonly object: KubeObject; readonly isGone: boolean };

interface HistoryOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly maxNodes: number;
  readonly steps: number;
}

export class History {
  readonly #random: () => number;
  readonly #options: HistoryOptions;
  readonly log: string[] = [];
  #version = 100;
  #made = 0;
  #clique: KubeObject | undefined;
  readonly #pods = new Map<string, Pod>();
  readonly #versions = new Map<string, number>();
  readonly #labelled: Set<string>;
  /** What the controller was not told yet, by kind, oldest first. */
  readonly #late = new Map<string, News[]>();
  #snapshot: AnyMachineSnapshot;
  /** What the controller knows, by kind and name. */
  #known = new Map<
    string,
    { object: KubeObject; version: number; isGone: boolean; entries: readonly Entry[] }
  >();
  #flying: InFlight | undefined;
  #listing: Extract<Intent, { type: 'refreshObjects' }> | undefined;
  #now = 1_000_000;
  writes = 0;
  before: Version;

  constructor(options: HistoryOptions) {
    const random = seeded(options.seed);
    this.#random = () => random.next();
    this.#options = options;
    this.#labelled = new Set(this.#nodes());
    this.before = this.#versionNow();
    this.#snapshot = behaviour.start({ key, root: key, settings });
    for (const node of this.#nodes()) this.#tell('DomainNode', nodeObject(node), false);
  }

  run(): void {
    for (let step = 0; step < this.#options.steps; step++) this.#step();
  }

  /** Nothing happens any more but what the controller does. Throws where it does not come to
   *  rest. */
  end(): void {
    for (const pod of [...this.#pods.values()]) {
      if (pod.deleting) this.#remove(pod);
      else {
        pod.clique ??= cliqueID;
        if (pod.ip === '') pod.ip = this.#freshIp();
        pod.ready = true;
        this.#touch(pod);
      }
    }
    for (let round = 0; round < 60; round++) {
      this.#catchUp();
      this.#reconcile();
      if (this.#flying === undefined && this.#listing === undefined && this.#isCaughtUp()) return;
      this.#serve(false);
      this.#list(false);
    }
    throw new Error('it does not come to rest');
  }

  get rows(): readonly Row[] {
    return rowsOf(this.#clique);
  }

  get livePods(): readonly Pod[] {
    return [...this.#pods.values()].filter(({ deleting }) => !deleting);
  }

  // -- what happens -------------------------------------------------------------------------------

  #step(): void {
    const dice = this.#random();
    if (dice < 0.3) return this.#deliverSome();
    if (dice < 0.45) return this.#reconcile();
    if (dice < 0.57) return this.#serve(this.#random() < 0.2);
    if (dice < 0.63) return this.#list(this.#random() < 0.2);
    if (dice < 0.66) return this.#crash();
    this.#environment();
  }

  #environment(): void {
    const node = this.#pick(this.#nodes()) ?? '';
    const pod = this.#pick([...this.#pods.values()]);
    const dice = this.#random();
    if (dice < 0.3) return this.#start(node);
    if (dice < 0.34) return this.#collect();
    if (dice < 0.36) return this.#deleteClique();
    if (dice < 0.4) return this.#relabel(node);
    if (pod === undefined) return;
    if (dice < 0.55) return this.#progress(pod);
    if (dice < 0.62) return this.#moveIp(pod);
    if (dice < 0.72) return this.#terminate(pod);
    if (dice < 0.77) return this.#remove(pod);
    if (dice < 0.85) return this.#insertItself(pod);
    if (dice < 0.9) return this.#writeReadiness(pod);
    if (dice < 0.93 && pod.deleting) return this.#removeItself(pod);
  }

  /** A pod for a node that has none, or whose pod is terminating. */
  #start(node: string): void {
    const others = [...this.#pods.values()].filter((pod) => pod.node === node && !pod.deleting);
    if (others.length > 0 || !this.#labelled.has(node)) return;
    const podName = `daemon-${node}-${this.#made++}`;
    const isLabelled = this.#random() < 0.6;
    const pod: Pod = {
      name: podName,
      node,
      ip: this.#random() < 0.6 ? this.#freshIp() : '',
      clique: isLabelled ? cliqueID : undefined,
      ready: false,
      deleting: false,
      created: this.#made,
      held: undefined,
    };
    this.#pods.set(podName, pod);
    this.#log(`pod ${podName}`);
    this.#touch(pod);
  }

  #progress(pod: Pod): void {
    if (pod.ip === '') pod.ip = this.#freshIp();
    else if (pod.clique === undefined) pod.clique = cliqueID;
    else pod.ready = !pod.deleting && !pod.ready;
    this.#touch(pod);
  }

  #moveIp(pod: Pod): void {
    if (pod.ip === '' || pod.deleting) return;
    pod.ip = this.#freshIp();
    this.#touch(pod);
  }

  #terminate(pod: Pod): void {
    pod.deleting = true;
    this.#log(`terminate ${pod.name}`);
    this.#touch(pod);
  }

  #remove(pod: Pod): void {
    this.#pods.delete(pod.name);
    this.#log(`gone ${pod.name}`);
    this.#tell('DaemonPod', this.#podObject(pod), true);
  }

  #relabel(node: string): void {
    const isOn = this.#labelled.delete(node);
    if (!isOn) this.#labelled.add(node);
    this.#tell('DomainNode', nodeObject(node), isOn);
  }

  // -- NVIDIA's daemon and the garbage collector --------------------------------------------------

  #insertItself(pod: Pod): void {
    const { clique } = this;
    if (pod.deleting || pod.clique === undefined || pod.ip === '') return;
    if (clique === undefined) {
      return this.#persist(this.#created([], [ownerOf(pod)]), `${pod.name} creates`);
    }
    const rows = this.rows;
    const own = rows.find(({ nodeName }) => nodeName === pod.node);
    if (own !== undefined) {
      if (own.ipAddress === pod.ip) return;
      const next = rows.map((one) => (one === own ? { ...own, ipAddress: pod.ip } : one));
      return this.#persistRows(next, pod, `${pod.name} moves`);
    }
    const used = new Set(rows.map(({ index }) => index));
    const index = [...Array(this.#options.maxNodes).keys()].find((one) => !used.has(one));
    if (index === undefined) return;
    const { node: nodeName, ip: ipAddress } = pod;
    const row: Row = { nodeName, ipAddress, cliqueID, index, status: 'NotReady' };
    this.#persistRows([...rows, row], pod, `${pod.name} inserts ${index}`);
  }

  #writeReadiness(pod: Pod): void {
    const status = pod.ready ? 'Ready' : 'NotReady';
    const own = this.rows.find(
      ({ nodeName, ipAddress }) => nodeName === pod.node && ipAddress === pod.ip,
    );
    if (own === undefined || own.status === status || pod.deleting) return;
    const next = this.rows.map((one): Row => (one === own ? { ...own, status } : one));
    this.#persistRows(next, undefined, `${pod.name} is ${status}`);
  }

  #removeItself(pod: Pod): void {
    const next = this.rows.filter(({ ipAddress }) => ipAddress !== pod.ip);
    if (next.length === this.rows.length) return;
    this.#persistRows(next, undefined, `${pod.name} leaves`);
  }

  #collect(): void {
    const clique = this.#clique;
    const owners = clique?.metadata.ownerReferences ?? [];
    if (clique === undefined || owners.length === 0) return;
    const uids = new Set([...this.#pods.values()].map(({ name: pod }) => `uid-${pod}`));
    const left = owners.filter(({ uid }) => uids.has(uid));
    if (left.length === owners.length) return;
    if (left.length === 0) return this.#deleteClique();
    this.#persist({ ...clique, metadata: { ...clique.metadata, ownerReferences: left } }, 'gc');
  }

  #deleteClique(): void {
    const clique = this.#clique;
    if (clique === undefined) return;
    this.#log('clique deleted');
    this.#clique = undefined;
    this.#tell('ComputeDomainClique', clique, true);
    this.before = this.#versionNow();
  }

  // -- the controller -----------------------------------------------------------------------------

  #crash(): void {
    this.#log('crash');
    for (const pod of this.#pods.values()) pod.held = undefined;
    this.#vacated = new Set();
    this.#flying = undefined;
    this.#listing = undefined;
    this.#late.clear();
    this.#known = new Map();
    this.#snapshot = behaviour.start({ key, root: key, settings });
    for (const pod of this.#pods.values()) this.#tell('DaemonPod', this.#podObject(pod), false);
    for (const node of this.#labelled) this.#tell('DomainNode', nodeObject(node), false);
    if (this.#clique !== undefined) this.#tell('ComputeDomainClique', this.#clique, false);
    this.#catchUp();
  }

  #reconcile(): void {
    if (behaviour.isOver(this.#snapshot)) {
      this.#snapshot = behaviour.start({ key, root: key, settings });
      const known = [...this.#known.values()];
      this.#known = new Map();
      for (const { object, isGone } of known) this.#see({ kind: kindOf(object), object, isGone });
    }
    this.#handViews();
    const { snapshot, intents } = behaviour.reconcile(this.#snapshot, this.#now++);
    this.#snapshot = snapshot;
    for (const intent of intents) {
      if (intent.type === 'refreshObjects') this.#listing ??= intent;
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
    const isDone = intent.ref.kind === 'ComputeDomainClique' && this.#apply(intent, vacated);
    if (isLost) return;
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
    if (this.#clique !== undefined) {
      this.#see({ kind: 'ComputeDomainClique', object: this.#clique, isGone: false });
    }
    this.#snapshot = behaviour.reduce(this.#snapshot, event);
  }

  #apply(intent: InFlight['intent'], vacated: ReadonlySet<string>): boolean {
    const clique = this.#clique;
    if (intent.type === 'createObject') {
      if (clique !== undefined) return false;
      this.writes++;
      const { daemons, metadata } = intent.body as unknown as {
        daemons: Row[];
        metadata: KubeObject['metadata'];
      };
      const made = this.#created(daemons, metadata.ownerReferences ?? []);
      const full = { ...made, metadata: { ...metadata, ...made.metadata } };
      this.#persist(full, `we create ${text(daemons)}`, vacated);
      return true;
    }
    const { metadata } = clique ?? {};
    if (metadata?.uid !== intent.uid || metadata.resourceVersion !== intent.resourceVersion)
      return false;
    this.writes++;
    if (intent.type === 'deleteObject') {
      this.#deleteClique();
      return true;
    }
    const next = mergePatch(clique as KubeObject, intent.patch);
    this.#persist(next, `we write ${text(rowsOf(next))}`, vacated);
    return true;
  }

  #list(isLost: boolean): void {
    const intent = this.#listing;
    this.#listing = undefined;
    if (intent === undefined) return;
    if (!isLost) {
      for (const pod of this.#pods.values()) {
        this.#see({ kind: 'DaemonPod', object: this.#podObject(pod), isGone: false });
      }
      const nodes = new Set([...this.#pods.values()].map(({ node }) => node));
      this.#vacated = new Set(this.#nodes().filter((node) => !nodes.has(node)));
    }
    const { id } = intent;
    this.#snapshot = behaviour.reduce(this.#snapshot, {
      type: 'objects.refreshed',
      id,
      ...(isLost ? { error: 'lost' } : {}),
    } as never);
  }

  /** Nodes without a pod in the last list, as long as none is shown. */
  #vacated = new Set<string>();

  #deliverSome(): void {
    const kinds = [...this.#late.keys()].filter((kind) => (this.#late.get(kind)?.length ?? 0) > 0);
    const kind = this.#pick(kinds);
    if (kind === undefined) return;
    const queue = this.#late.get(kind) ?? [];
    const many = 1 + Math.floor(this.#random() * queue.length);
    for (const news of queue.splice(0, many)) this.#see(news);
  }

  #catchUp(): void {
    for (const queue of this.#late.values()) for (const news of queue.splice(0)) this.#see(news);
  }

  #isCaughtUp(): boolean {
    return [...this.#late.values()].every((queue) => queue.length === 0);
  }

  /** As the cache does: what is not newer is no news. */
  #see({ kind, object, isGone }: News): void {
    const id = `${kind}/${object.metadata.name}`;
    const version = Number(object.metadata.resourceVersion);
    const known = this.#known.get(id);
    const isOther = known?.object.metadata.uid !== object.metadata.uid;
    if (known !== undefined && (version < known.version || (known.isGone && !isOther))) return;
    if (kind === 'DaemonPod' && !isGone) this.#vacated.delete(nodeOf(object));
    const entries: Entry[] = [];
    this.#known.set(id, { object, version, isGone, entries });
    for (const route of nvidiaRoutes) {
      if (route.kind !== kind) continue;
      const observed = route.decode(object) as never;
      if (!isGone) entries.push(...(route.show?.(observed) ?? []));
      const deliveries = isGone ? route.forget(observed, object) : route.deliver(observed, object);
      for (const { to, event } of deliveries) {
        if (to.kind === 'clique') this.#snapshot = behaviour.reduce(this.#snapshot, event);
      }
    }
  }

  #handViews(): void {
    for (const { view, key: at } of behaviour.reads(this.#snapshot)) {
      const value = view.valueOf(this.#itemsOf(view, at));
      this.#snapshot = behaviour.reduce(this.#snapshot, view.event(at, value));
    }
  }

  #itemsOf(view: View, at: string): Map<string, unknown> {
    const items = new Map<string, unknown>();
    for (const [id, { entries }] of this.#known) {
      for (const entry of entries) {
        if (entry.view.name === view.name && entry.key === at) items.set(id, entry.item);
      }
    }
    return items;
  }

  // -- the server ---------------------------------------------------------------------------------

  get clique(): KubeObject | undefined {
    return this.#clique;
  }

  #persistRows(rows: readonly Row[], owner: Pod | undefined, why: string): void {
    const clique = this.#clique;
    if (clique === undefined) return;
    const owners = clique.metadata.ownerReferences ?? [];
    const isOwner = owner === undefined || owners.some(({ uid }) => uid === `uid-${owner.name}`);
    const ownerReferences = isOwner ? owners : [...owners, ownerOf(owner)];
    this.#persist(
      { ...clique, metadata: { ...clique.metadata, ownerReferences }, daemons: rows },
      why,
    );
  }

  #created(rows: readonly Row[], owners: readonly OwnerReference[]): KubeObject {
    const labels = { 'resource.nvidia.com/computeDomain': domainUid };
    const uid = `clique-${this.#version}`;
    return {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomainClique',
      metadata: { name, namespace: key.namespace, uid, labels, ownerReferences: owners },
      daemons: rows,
    };
  }

  /** `vacated`: of a write of ours. */
  #persist(object: KubeObject, why: string, vacated?: ReadonlySet<string>): void {
    const isOurs = vacated !== undefined;
    const resourceVersion = String(++this.#version);
    this.#clique = { ...object, metadata: { ...object.metadata, resourceVersion } };
    this.#log(why);
    this.#tell('ComputeDomainClique', this.#clique, false);
    const now = this.#versionNow();
    checkVersion(this.before, now, {
      isOurs,
      maxNodes: this.#options.maxNodes,
      vacated: vacated ?? new Set(),
    });
    this.before = now;
    if (isOurs) this.#hold();
  }

  #hold(): void {
    const owners = new Set(this.#clique?.metadata.ownerReferences?.map((owner) => owner.name));
    for (const pod of this.#pods.values()) {
      const row = this.rows.find(({ nodeName }) => nodeName === pod.node);
      if (row !== undefined && owners.has(pod.name) && !pod.deleting) pod.held = row.index;
    }
  }

  #versionNow(): Version {
    return {
      version: this.#version,
      rows: this.rows,
      pods: [...this.#pods.values()].map((pod) => ({ ...pod })),
    };
  }

  #touch(pod: Pod): void {
    this.#tell('DaemonPod', this.#podObject(pod), false);
  }

  #podObject(pod: Pod): KubeObject {
    const { maxNodes } = this.#options;
    const version = this.#versions.get(pod.name) ?? 0;
    return daemon({ ...pod, maxNodes, version });
  }

  #tell(kind: string, object: KubeObject, isGone: boolean): void {
    const version = ++this.#version;
    this.#versions.set(object.metadata.name, version);
    const isClique = kind === 'ComputeDomainClique' && !isGone;
    const stamped = isClique
      ? object
      : { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const queue = this.#late.get(kind);
    if (queue === undefined) this.#late.set(kind, [{ kind, object: stamped, isGone }]);
    else queue.push({ kind, object: stamped, isGone });
  }

  #nodes(): readonly string[] {
    return [...Array(this.#options.nodes).keys()].map((index) => `node-${index}`);
  }

  /** Addresses come back, of pods that are gone and of such as still terminate. */
  #freshIp(): string {
    const live = new Set(this.livePods.map(({ ip }) => ip));
    for (;;) {
      const ip = `10.0.0.${1 + Math.floor(this.#random() * 3 * this.#options.nodes)}`;
      if (!live.has(ip)) return ip;
    }
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }

  #log(what: string): void {
    this.log.push(`${this.#version} ${what}`);
  }
}

const nodeOf = ({ spec }: KubeObject): string => (spec as { nodeName: string }).nodeName;

const kindOf = ({ kind }: KubeObject): string =>
  kind === 'Pod' ? 'DaemonPod' : kind === 'Node' ? 'DomainNode' : kind;

const rowsOf = (clique: KubeObject | undefined): readonly Row[] =>
  (clique?.['daemons'] ?? []) as readonly Row[];

const text = (rows: readonly Row[]): string =>
  rows
    .map(({ nodeName, index, status }) => `${nodeName}=${index}${status === 'Ready' ? '+' : ''}`)
    .join(' ');

const ownerOf = ({ name: pod }: Pod): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: pod,
  uid: `uid-${pod}`,
});

const nodeObject = (node: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: node,
    uid: `uid-${node}`,
    resourceVersion: '1',
    labels: { 'resource.nvidia.com/computeDomain': domainUid },
  },
});
