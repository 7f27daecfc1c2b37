// What a clique lives in, for random histories: a model of the API server with versions, daemon
// pods that come, move and go, NVIDIA's daemons that write rows themselves, and the garbage
// collector. Each persisted version is held to the invariants.
import type { KubeObject, OwnerReference } from '#machines/kubernetes/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { checkVersion } from './invariants.ts';
import type { Row, Version } from './invariants.ts';
import { cliqueID, daemon, domainUid, key, labelledNode, name, ownedBy } from './objects.ts';

interface Pod {
  readonly name: string;
  readonly node: string;
  ip: string;
  clique: string | undefined;
  /** It asks for its index and never says its clique. */
  readonly isAgent: boolean;
  ready: boolean;
  deleting: boolean;
  readonly created: number;
  /** The index of the last row that the controller wrote for it. */
  held: number | undefined;
}

export type News = { readonly kind: string; readonly object: KubeObject; readonly isGone: boolean };

export interface HistoryOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly maxNodes: number;
  readonly steps: number;
}

export class ServerModel {
  protected readonly random: () => number;
  protected readonly options: HistoryOptions;
  readonly log: string[] = [];
  /** The rows of each version. */
  protected readonly persisted = new Map<string, readonly Row[]>();
  protected version = 100;
  protected made = 0;
  /** As persisted. */
  protected clique: KubeObject | undefined;
  protected readonly pods = new Map<string, Pod>();
  readonly #versions = new Map<string, number>();
  protected readonly labelled: Set<string>;
  /** What the controller was not told yet, by kind, oldest first. */
  protected readonly late = new Map<string, News[]>();
  #before: Version;

  constructor(options: HistoryOptions) {
    const random = seeded(options.seed);
    this.random = () => random.next();
    this.options = options;
    this.labelled = new Set(this.nodes());
    this.#before = this.#versionNow();
    for (const node of this.nodes()) this.tell('DomainNode', labelledNode(node), false);
  }

  get rows(): readonly Row[] {
    return rowsOf(this.clique);
  }

  get livePods(): readonly Pod[] {
    return [...this.pods.values()].filter(({ deleting }) => !deleting);
  }

  protected environment(): void {
    const node = this.pick(this.nodes()) ?? '';
    const pod = this.pick([...this.pods.values()]);
    const dice = this.random();
    if (dice < 0.3) return this.#start(node);
    if (dice < 0.34) return this.#collect();
    if (dice < 0.36) return this.deleteClique();
    if (dice < 0.4) return this.#relabel(node);
    if (pod === undefined) return;
    if (dice < 0.55) return this.#progress(pod);
    if (dice < 0.62) return this.#moveIp(pod);
    if (dice < 0.72) return this.#terminate(pod);
    if (dice < 0.77) return this.remove(pod);
    if (dice < 0.85) return this.#insertItself(pod);
    if (dice < 0.9) return this.#writeReadiness(pod);
    if (dice < 0.93 && pod.deleting) return this.#removeItself(pod);
  }

  /** A pod for a node that has none, or whose pod is terminating. */
  #start(node: string): void {
    const others = [...this.pods.values()].filter((pod) => pod.node === node && !pod.deleting);
    if (others.length > 0 || !this.labelled.has(node)) return;
    const podName = `daemon-${node}-${this.made++}`;
    const dice = this.random();
    const pod: Pod = {
      name: podName,
      node,
      ip: this.random() < 0.6 ? this.freshIp() : '',
      clique: dice < 0.6 ? cliqueID : undefined,
      isAgent: dice > 0.8,
      ready: false,
      deleting: false,
      created: this.made,
      held: undefined,
    };
    this.pods.set(podName, pod);
    this.note(`pod ${podName}`);
    this.touch(pod);
  }

  #progress(pod: Pod): void {
    if (pod.ip === '') pod.ip = this.freshIp();
    else if (pod.clique === undefined && !pod.isAgent) pod.clique = cliqueID;
    else pod.ready = !pod.deleting && !pod.ready;
    this.touch(pod);
  }

  #moveIp(pod: Pod): void {
    if (pod.ip === '' || pod.deleting) return;
    pod.ip = this.freshIp();
    this.touch(pod);
  }

  #terminate(pod: Pod): void {
    pod.deleting = true;
    this.note(`terminate ${pod.name}`);
    this.touch(pod);
  }

  protected remove(pod: Pod): void {
    this.pods.delete(pod.name);
    this.note(`gone ${pod.name}`);
    this.tell('DaemonPod', this.podObject(pod), true);
  }

  #relabel(node: string): void {
    const isOn = this.labelled.delete(node);
    if (!isOn) this.labelled.add(node);
    this.tell('DomainNode', labelledNode(node), isOn);
  }

  // -- NVIDIA's daemon and the garbage collector --------------------------------------------------

  #insertItself(pod: Pod): void {
    const { clique } = this;
    if (pod.deleting || pod.clique === undefined || pod.ip === '') return;
    if (clique === undefined) {
      return this.persist(this.created([], ownedBy(pod.name)), `${pod.name} creates`);
    }
    const rows = this.rows;
    const own = rows.find(({ nodeName }) => nodeName === pod.node);
    if (own !== undefined) {
      if (own.ipAddress === pod.ip) return;
      const next = rows.map((one) => (one === own ? { ...own, ipAddress: pod.ip } : one));
      return this.#persistRows(next, pod, `${pod.name} moves`);
    }
    const used = new Set(rows.map(({ index }) => index));
    const index = [...Array(this.options.maxNodes).keys()].find((one) => !used.has(one));
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
    if (own === undefined || own.status === status || pod.deleting || pod.isAgent) return;
    const next = this.rows.map((one): Row => (one === own ? { ...own, status } : one));
    this.#persistRows(next, undefined, `${pod.name} is ${status}`);
  }

  #removeItself(pod: Pod): void {
    const next = this.rows.filter(({ ipAddress }) => ipAddress !== pod.ip);
    if (next.length === this.rows.length || pod.isAgent) return;
    this.#persistRows(next, undefined, `${pod.name} leaves`);
  }

  #collect(): void {
    const clique = this.clique;
    const owners = clique?.metadata.ownerReferences ?? [];
    if (clique === undefined || owners.length === 0) return;
    const uids = new Set([...this.pods.values()].map(({ name: pod }) => `uid-${pod}`));
    const left = owners.filter(({ uid }) => uids.has(uid));
    if (left.length === owners.length) return;
    if (left.length === 0) return this.deleteClique();
    this.persist({ ...clique, metadata: { ...clique.metadata, ownerReferences: left } }, 'gc');
  }

  protected deleteClique(): void {
    const clique = this.clique;
    if (clique === undefined) return;
    this.note('clique deleted');
    this.clique = undefined;
    this.tell('ComputeDomainClique', clique, true);
    this.#before = this.#versionNow();
  }

  #persistRows(rows: readonly Row[], owner: Pod | undefined, why: string): void {
    const clique = this.clique;
    if (clique === undefined) return;
    const owners = clique.metadata.ownerReferences ?? [];
    const isOwner = owner === undefined || owners.some(({ uid }) => uid === `uid-${owner.name}`);
    const ownerReferences = isOwner ? owners : [...owners, ...ownedBy(owner.name)];
    this.persist(
      { ...clique, metadata: { ...clique.metadata, ownerReferences }, daemons: rows },
      why,
    );
  }

  protected created(rows: readonly Row[], owners: readonly OwnerReference[]): KubeObject {
    const labels = { 'resource.nvidia.com/computeDomain': domainUid };
    const uid = `clique-${this.version}`;
    return {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomainClique',
      metadata: { name, namespace: key.namespace, uid, labels, ownerReferences: owners },
      daemons: rows,
    };
  }

  /** `vacated`: of a write of ours. */
  protected persist(object: KubeObject, why: string, vacated?: ReadonlySet<string>): void {
    const isOurs = vacated !== undefined;
    const resourceVersion = String(++this.version);
    this.clique = { ...object, metadata: { ...object.metadata, resourceVersion } };
    this.persisted.set(resourceVersion, this.rows);
    this.note(why);
    this.tell('ComputeDomainClique', this.clique, false);
    const now = this.#versionNow();
    checkVersion(this.#before, now, {
      isOurs,
      maxNodes: this.options.maxNodes,
      vacated: vacated ?? new Set(),
    });
    this.#before = now;
    this.#forgetTaken();
    if (isOurs) this.#hold();
  }

  /** Whose row went may see its index taken by a daemon that lists itself: it is that one's then. */
  #forgetTaken(): void {
    const nodes = new Map(this.rows.map(({ index, nodeName }) => [index, nodeName]));
    for (const pod of this.pods.values()) {
      const node = pod.held === undefined ? undefined : nodes.get(pod.held);
      if (node !== undefined && node !== pod.node) pod.held = undefined;
    }
  }

  #hold(): void {
    const owners = new Set(this.clique?.metadata.ownerReferences?.map((owner) => owner.name));
    for (const pod of this.pods.values()) {
      const row = this.rows.find(({ nodeName }) => nodeName === pod.node);
      if (row !== undefined && owners.has(pod.name) && !pod.deleting) pod.held = row.index;
    }
  }

  #versionNow(): Version {
    return {
      version: this.version,
      rows: this.rows,
      pods: [...this.pods.values()].map((pod) => ({ ...pod })),
    };
  }

  protected touch(pod: Pod): void {
    this.tell('DaemonPod', this.podObject(pod), false);
  }

  protected podObject(pod: Pod): KubeObject {
    const { maxNodes } = this.options;
    const version = this.#versions.get(pod.name) ?? 0;
    return daemon({ ...pod, maxNodes, version });
  }

  protected tell(kind: string, object: KubeObject, isGone: boolean): void {
    const version = ++this.version;
    this.#versions.set(object.metadata.name, version);
    const isClique = kind === 'ComputeDomainClique' && !isGone;
    const stamped = isClique
      ? object
      : { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    const queue = this.late.get(kind);
    if (queue === undefined) this.late.set(kind, [{ kind, object: stamped, isGone }]);
    else queue.push({ kind, object: stamped, isGone });
  }

  protected nodes(): readonly string[] {
    return [...Array(this.options.nodes).keys()].map((index) => `node-${index}`);
  }

  /** Addresses come back, of pods that are gone and of such as still terminate. */
  protected freshIp(): string {
    const live = new Set(this.livePods.map(({ ip }) => ip));
    for (;;) {
      const ip = `10.0.0.${1 + Math.floor(this.random() * 3 * this.options.nodes)}`;
      if (!live.has(ip)) return ip;
    }
  }

  protected pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.random() * from.length)];
  }

  protected note(what: string): void {
    this.log.push(`${this.version} ${what}`);
  }
}

export const rowsOf = (clique: KubeObject | undefined): readonly Row[] =>
  (clique?.['daemons'] ?? []) as readonly Row[];
