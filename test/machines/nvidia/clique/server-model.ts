// What a clique lives in, for random histories: a model of the API server with versions, of which
// each one that is persisted is held to the invariants, and with watches that are late.
import type { KubeObject, OwnerReference } from '#machines/kubernetes/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { checkVersion } from './invariants.ts';
import type { Judged, Row, Version } from './invariants.ts';
import { daemon, domainUid, key, labelledNode, name } from './objects.ts';

export interface Pod {
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
  readonly judged: Judged = { removals: 0, candidates: 0, repairs: 0 };
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

  protected deleteClique(): void {
    const clique = this.clique;
    if (clique === undefined) return;
    this.note('clique deleted');
    this.clique = undefined;
    this.tell('ComputeDomainClique', clique, true);
    this.#before = this.#versionNow();
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

  /** `by`: who wrote it; for us what was vacated then. */
  protected persist(
    object: KubeObject,
    why: string,
    by: 'daemon' | 'hand' | ReadonlySet<string> = 'daemon',
  ): void {
    const isOurs = typeof by !== 'string';
    const resourceVersion = String(++this.version);
    this.clique = { ...object, metadata: { ...object.metadata, resourceVersion } };
    this.persisted.set(resourceVersion, this.rows);
    this.note(why);
    this.tell('ComputeDomainClique', this.clique, false);
    const now = this.#versionNow();
    checkVersion(this.#before, now, {
      by: isOurs ? 'us' : by,
      maxNodes: this.options.maxNodes,
      vacated: isOurs ? by : new Set(),
      judged: this.judged,
    });
    this.#before = now;
    if (!isOurs) this.#letGo();
  }

  /** Of pods that have another row by now, or whose index another node has. */
  #letGo(): void {
    for (const pod of this.pods.values()) {
      const isOver = this.rows.some(
        ({ nodeName, index }) => (nodeName === pod.node) !== (index === pod.held),
      );
      if (isOver) pod.held = undefined;
    }
  }

  /** We have written it, and know that: a row of which we never heard is not remembered. */
  protected hold(): void {
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
