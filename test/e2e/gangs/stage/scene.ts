// What one scenario stands on: a namespace with nodes of its own, the sets that it creates there,
// and what has become of their PodCliques and pods so far. The same on both clusters. Made by
// embedded.test.ts and real.test.ts.
import { isDeepStrictEqual } from 'node:util';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { conditionOf, type Watched } from '#src/bench/onlooker.ts';
import { Kube, type KubeObject, type Resource } from '../../real/kube.ts';
import type { Cluster } from './cluster.ts';
import { roomIn, roomLabel, single, slot, type Wanted, workload } from './workloads.ts';

/** What turns bad within five seconds of its creation was never good (spec controllers 4.1), by
 *  times that are written in whole seconds. */
const birthMs = 6_000;

export interface Scenario {
  /** A whole sentence, with the number of what it shows. */
  readonly title: string;
  /** Last part of the namespace's name. */
  readonly name: string;
  readonly run: (scene: Scene) => Promise<void>;
}

export class Scene {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly kube: Kube;
  readonly #nodes: { readonly name: string; readonly room: string }[] = [];
  /** UIDs of PodCliques that ever were, by name. */
  readonly #lives = new Map<string, Set<string>>();
  readonly #unlooks: (() => void)[] = [];

  constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.kube = new Kube(cluster.client);
    this.#onSight('podcliques', (_, object) => {
      const { name, uid } = object.metadata;
      this.#lives.set(name, (this.#lives.get(name) ?? new Set()).add(uid));
    });
  }

  // -- nodes --------------------------------------------------------------------------------------

  /** For so many pods of a room. */
  async addNode(slots: number, room = 'main'): Promise<string> {
    const name = `${this.namespace}-${this.#nodes.length}`;
    const size = { cpu: '64', memory: '512Gi', pods: '110', [slot]: String(slots) };
    this.#nodes.push({ name, room });
    await this.kube.send({
      method: 'POST',
      path: '/api/v1/nodes',
      body: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name,
          annotations: { 'kwok.x-k8s.io/node': 'fake' },
          labels: { type: 'kwok', [roomLabel]: roomIn(this.namespace, room) },
        },
        status: { allocatable: size, capacity: size },
      },
    });
    return name;
  }

  /** Nothing more is placed on the nodes of a room, or is again. */
  async cordon(room = 'main', unschedulable = true): Promise<void> {
    for (const { name } of this.#nodes.filter((node) => node.room === room)) {
      await this.kube.send({
        method: 'PATCH',
        path: `/api/v1/nodes/${name}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { unschedulable } },
      });
    }
  }

  uncordon = (): Promise<void> => this.cordon('main', false);

  drain(node: string): Promise<void> {
    return this.cluster.drain(node, this.namespace);
  }

  // -- what users do ------------------------------------------------------------------------------

  create(wanted: Wanted): Promise<KubeObject> {
    return this.kube.create(this.namespace, 'podcliquesets', workload(this.namespace, wanted));
  }

  /** Makes the set what is wanted now. */
  edit(wanted: Wanted): Promise<void> {
    const { spec } = workload(this.namespace, wanted);
    return this.kube.patch(this.namespace, 'podcliquesets', wanted.name, { spec });
  }

  scale(resource: Resource, name: string, replicas: number): Promise<void> {
    return this.kube.scale(this.namespace, resource, name, replicas);
  }

  /** Deletes so many pods of a PodClique that have a node. */
  async kill(clique: string, many = 1): Promise<void> {
    const placed = this.pods(clique).filter(({ spec }) => spec?.nodeName !== undefined);
    for (const { metadata } of placed.slice(0, many)) {
      await this.kube.delete(this.namespace, 'pods', metadata.name);
    }
  }

  // -- what is there ------------------------------------------------------------------------------

  one(resource: Watched, name: string): unknown {
    return this.cluster.onlooker.one(resource, this.namespace, name);
  }

  /** Pods that stay, of a set or of a PodClique. */
  pods(of: string): readonly KubeObject[] {
    const isOf = (clique: string): boolean => clique === of || clique.startsWith(`${of}-`);
    return this.#all('pods').filter((pod) => !isGoing(pod) && isOf(cliqueOf(pod)));
  }

  /** How often each PodClique of a set was made again; those that never were are left out. */
  recycles(set: string): Readonly<Record<string, number>> {
    const again = [...this.#lives].map(([name, uids]) => [name, uids.size - 1] as const);
    return Object.fromEntries(again.filter(([name, times]) => isOfSet(name, set) && times > 0));
  }

  /** What becomes of the pods of a set from now on, in order: `- w-0-a`, one goes; `+ w-0-a`, a new
   *  one is ready. */
  history(set: string): readonly string[] {
    const old = new Set(this.pods(set).map(({ metadata }) => metadata.uid));
    const told = new Set<string>();
    const lines: string[] = [];
    this.#onSight('pods', (type, pod) => {
      const isGone = type === 'DELETED' || isGoing(pod);
      const isNews = isGone || (isReady(pod) && !old.has(pod.metadata.uid));
      const line = `${isGone ? '-' : '+'} ${cliqueOf(pod)}`;
      const key = `${line} ${pod.metadata.uid}`;
      if (!isNews || !isOfSet(cliqueOf(pod), set) || told.has(key)) return;
      told.add(key);
      lines.push(line);
    });
    return lines;
  }

  // -- waiting ------------------------------------------------------------------------------------

  until(what: string, claim: () => boolean, tell: () => unknown = () => this.#tell()) {
    return this.cluster.until(`${this.namespace}: ${what}`, claim, tell);
  }

  /** So many pods of a set are ready, there are no others, and its PodCliques know. */
  async ready(set: string, count: number): Promise<void> {
    const isKnown = ({ metadata: { name }, status }: KubeObject): boolean =>
      at(status, 'readyReplicas') === this.pods(name).length;
    await this.until(`${count} pods of ${set} ready`, () => {
      const here = this.pods(set);
      const isWhole = here.length === count && here.every(isReady);
      return isWhole && this.#ofSet('podcliques', set).every(isKnown);
    });
  }

  /** Ready, and known to be good, for so long that what is lost from now on is a loss. */
  async settled(set: string, count: number): Promise<void> {
    await this.ready(set, count);
    const isGood = (one: KubeObject): boolean =>
      conditionOf(one, 'MinAvailableBreached') === 'False';
    const isOld = ({ metadata }: KubeObject): boolean =>
      Date.parse(text(at(metadata, 'creationTimestamp'))) + birthMs <= this.cluster.now();
    await this.until(`${set} settled`, () => {
      const cliques = this.#ofSet('podcliques', set);
      const groups = this.#ofSet('podcliquescalinggroups', set);
      return [...cliques, ...groups].every(isGood) && cliques.every(isOld);
    });
  }

  /** The PodCliques of a set were made again so often, and no other one goes. */
  recycled(set: string, times: Readonly<Record<string, number>>): Promise<void> {
    const isDone = (): boolean =>
      isDeepStrictEqual(this.recycles(set), times) && !this.#ofSet('podcliques', set).some(isGoing);
    const tell = (): unknown => this.recycles(set);
    return this.until(`${set} recycled as ${JSON.stringify(times)}`, isDone, tell);
  }

  /** Waits for the status of an update that ended, of all that the set has. */
  updated(set: string, replicas = 1): Promise<void> {
    const status = (): unknown => at(this.one('podcliquesets', set), 'status');
    const isOver = (): boolean =>
      at(status(), 'updateProgress', 'updateEndedAt') !== undefined &&
      at(status(), 'updatedReplicas') === replicas;
    return this.until(`${set} updated`, isOver, status);
  }

  /**
   * A set beside that of the scenario; what is returned takes its pod away and waits until it was
   * terminated for that: whatever was as long below its minimum before would have been, too.
   */
  async witness(name = 'witness'): Promise<() => Promise<void>> {
    await this.addNode(1, name);
    await this.kube.create(this.namespace, 'podcliquesets', single(this.namespace, name));
    return async () => {
      await this.settled(name, 1);
      await this.cordon(name);
      await this.kill(`${name}-0-p`);
      await this.recycled(name, { [`${name}-0-p`]: 1 });
    };
  }

  /** Deletes the sets, and the nodes once no pod is on them. */
  async end(): Promise<void> {
    for (const unlook of this.#unlooks) unlook();
    for (const { metadata } of this.#all('podcliquesets')) {
      await this.kube.delete(this.namespace, 'podcliquesets', metadata.name);
    }
    const rest = () => this.#all('pods').map(({ metadata }) => metadata.name);
    await this.until('no pods left', () => rest().length === 0, rest);
    for (const { name } of this.#nodes) {
      await this.kube.send({ method: 'DELETE', path: `/api/v1/nodes/${name}` });
    }
  }

  #all(resource: Watched): readonly KubeObject[] {
    return [...this.cluster.onlooker.all(resource, this.namespace).values()] as KubeObject[];
  }

  #ofSet(resource: Watched, set: string): readonly KubeObject[] {
    return this.#all(resource).filter(({ metadata }) => isOfSet(metadata.name, set));
  }

  #onSight(resource: Watched, listener: (type: string, object: KubeObject) => void): void {
    const unlook = this.cluster.onlooker.onSight((sight) => {
      if (sight.namespace !== this.namespace || sight.resource !== resource) return;
      listener(sight.type, sight.object as KubeObject);
    });
    this.#unlooks.push(unlook);
  }

  #tell(): unknown {
    const pods = this.#all('pods').map((pod) =>
      [cliqueOf(pod), versionOf(pod), pod.spec?.nodeName, isReady(pod) ? 'ready' : ''].join(' '),
    );
    return { pods, recycles: this.recycles('') };
  }
}

export const isReady = (pod: unknown): boolean => conditionOf(pod, 'Ready') === 'True';
export const isPending = ({ spec }: KubeObject): boolean => spec?.nodeName === undefined;
export const versionOf = ({ metadata }: KubeObject): string => metadata.labels?.['version'] ?? '';
export const cliqueOf = ({ metadata }: KubeObject): string =>
  metadata.labels?.['grove.io/podclique'] ?? '';

const isGoing = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
/** Of any, where the set is not named. */
const isOfSet = (clique: string, set: string): boolean =>
  set === '' || clique.startsWith(`${set}-`);

export const conditionsOf = (object: unknown): readonly JsonObject[] =>
  list(at(object, 'status', 'conditions')) as JsonObject[];
