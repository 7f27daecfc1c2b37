// What people and workloads do on a simulated day of ComputeDomains: domains are made and deleted,
// workloads come and go, nodes die and come back, and now and then somebody damages a clique.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, uidOf } from '../fields.ts';
import { between, pick } from '../users/workload.ts';
import type { Daemons } from './daemons.ts';
import {
  cliquesIn,
  collections,
  daemonsIn,
  domainOf,
  fabricLabel,
  isGoing,
  nameOf,
  nodeOf,
  paths,
  rowsOf,
  user,
} from './objects.ts';
import { byHand } from './oracle.ts';
import type { CliqueWorld } from './world.ts';

const names = ['mesh', 'rack'] as const;
const channelOf = (domain: string): string => `${domain}-channel`;

/** Before a node that died comes back, or its pods are ready again. */
const mostAwayMs = 50_000;
/** As long as a kubelet waits. */
const mostStopMs = 30_000;

/** What happens, by how often. */
const acts = [
  ...Array.from({ length: 8 }, () => 'arrive' as const),
  ...Array.from({ length: 5 }, () => 'depart' as const),
  ...Array.from({ length: 3 }, () => 'restart' as const),
  ...Array.from({ length: 5 }, () => 'relieve' as const),
  ...(['kill', 'kill', 'kill', 'move', 'move', 'tire', 'tire', 'lose', 'lose'] as const),
  ...(['create', 'create', 'delete', 'blacken'] as const),
  ...(['removeClique', 'removeClique', 'edit', 'edit'] as const),
] as const;

export class People {
  readonly #world: CliqueWorld;
  readonly #random: Random;
  /** Nodes that are gone and are to come back. */
  readonly #lost = new Map<string, Stored>();
  readonly #daemons: Daemons;
  #made = 0;
  #addresses = 0;

  constructor(world: CliqueWorld, random: Random, daemons: Daemons) {
    this.#world = world;
    this.#random = random;
    this.#daemons = daemons;
  }

  /** Each node gets its fabric, some none. */
  async lay(fabrics: number): Promise<void> {
    const isMixed = this.#random.next() < 0.2;
    for (const node of this.#nodes()) {
      const number = between(this.#random, 1, fabrics);
      const isBare = isMixed && this.#random.next() < 0.2;
      const value = isBare ? '' : `00000000-0000-4000-8000-00000000fab0.${number}`;
      await this.#merge(`${paths.nodes}/${nameOf(node)}`, {
        metadata: { labels: { [fabricLabel]: value } },
      });
    }
  }

  async begin(): Promise<void> {
    await this.#createDomain(names[0]);
    for (const node of this.#nodes()) {
      if (this.#random.next() < 0.7) await this.#arriveAt(nameOf(node), names[0]);
    }
  }

  act(): Promise<unknown> {
    const act = pick(this.#random, acts) ?? 'arrive';
    const daemon = pick(this.#random, daemonsIn(this.#world.cluster.store));
    const node = pick(this.#random, this.#nodes());
    switch (act) {
      case 'arrive':
        return this.#arriveAt(nameOf(node), pick(this.#random, names) ?? names[0]);
      case 'depart':
        return this.#depart();
      case 'create':
        return this.#createDomain(pick(this.#random, names) ?? names[0]);
      case 'delete':
        return this.#deleteDomain();
      case 'lose':
        return this.#lose(node);
      case 'relieve':
        return this.#relieve(daemon);
      case 'blacken':
        return this.#blacken(node);
      case 'removeClique':
      case 'edit':
        return this.#damage(act);
      default:
        return daemon === undefined ? Promise.resolve() : this.#trouble(act, daemon);
    }
  }

  /** Nodes are back, and there is a domain with workloads. */
  async makePeace(): Promise<void> {
    for (const node of [...this.#lost.keys()]) await this.#bringBack(node);
    await this.#createDomain(names[0]);
    const nodes = this.#nodes().slice(0, 4);
    for (const node of nodes) await this.#arriveAt(nameOf(node), names[0]);
  }

  /** All domains and workloads go. */
  async end(): Promise<void> {
    for (const pod of this.#workloads()) {
      await this.#ask('DELETE', `${paths.workloads}/${nameOf(pod)}`);
    }
    for (const domain of this.#domains()) {
      await this.#ask('DELETE', `${paths.domains}/${nameOf(domain)}`);
    }
  }

  // -- domains and workloads ----------------------------------------------------------------------

  #createDomain(name: string): Promise<unknown> {
    const spec = { numNodes: 0, channel: { resourceClaimTemplate: { name: channelOf(name) } } };
    return this.#ask('POST', paths.domains, {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomain',
      metadata: { name, namespace: user },
      spec,
    });
  }

  /** Mostly with its workloads, and its successor may come before it is gone. */
  async #deleteDomain(): Promise<void> {
    const domain = pick(this.#random, this.#domains());
    if (domain === undefined) return;
    const name = nameOf(domain);
    const isAlone = this.#random.next() < 0.3;
    for (const pod of this.#workloads()) {
      if (isAlone || !nameOf(pod).startsWith(`${name}-`)) continue;
      await this.#ask('DELETE', `${paths.workloads}/${nameOf(pod)}`);
    }
    await this.#ask('DELETE', `${paths.domains}/${name}`);
    for (let times = between(this.#random, 0, 3); times > 0; times--) {
      this.#later(() => this.#createDomain(name));
    }
  }

  #arriveAt(node: string, domain: string): Promise<unknown> {
    if (node === '') return Promise.resolve();
    const name = `${domain}-${node}-${this.#made++}`;
    const resourceClaims = [{ name: 'channel', resourceClaimTemplateName: channelOf(domain) }];
    return this.#ask('POST', paths.workloads, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: user },
      spec: { nodeName: node, containers: [{ name: 'main', image: 'main' }], resourceClaims },
    });
  }

  /** One workload, or all of a node. */
  async #depart(): Promise<void> {
    const workloads = this.#workloads();
    const one = pick(this.#random, workloads);
    const isAll = this.#random.next() < 0.6;
    for (const pod of workloads) {
      if (pod !== one && !(isAll && nodeOf(pod) === nodeOf(one))) continue;
      await this.#ask('DELETE', `${paths.workloads}/${nameOf(pod)}`);
    }
  }

  // -- nodes and daemons --------------------------------------------------------------------------

  async #lose(node: Stored | undefined): Promise<void> {
    if (node === undefined || this.#lost.size > 1) return;
    this.#lost.set(nameOf(node), node);
    await this.#ask('DELETE', `${paths.nodes}/${nameOf(node)}`);
    this.#later(() => this.#bringBack(nameOf(node)));
  }

  /** As another object, without the label of a domain. */
  async #bringBack(name: string): Promise<void> {
    const node = this.#lost.get(name);
    if (node === undefined) return;
    this.#lost.delete(name);
    const labels = at(node, 'metadata', 'labels') as Record<string, string>;
    const kept = Object.entries(labels).filter(([label]) => !label.startsWith('resource.nvidia'));
    const { kind, apiVersion, spec, status } = node;
    const metadata = { name, labels: Object.fromEntries(kept) };
    await this.#ask('POST', paths.nodes, { kind, apiVersion, metadata, spec, status });
  }

  /** The node does not answer: none of its daemons is ready for a while. */
  async #blacken(node: Stored | undefined): Promise<void> {
    const daemons = daemonsIn(this.#world.cluster.store).filter(
      (pod) => nodeOf(pod) === nameOf(node),
    );
    for (const pod of daemons) await this.#tire(pod);
  }

  async #trouble(act: 'restart' | 'kill' | 'move' | 'tire', pod: Stored): Promise<void> {
    const path = `${paths.daemons}/${nameOf(pod)}`;
    // Some take their time, in which their index is theirs.
    if (act === 'restart') await this.#stop(pod, between(this.#random, 0, 8_000));
    if (act === 'kill') await this.#ask('DELETE', path, { gracePeriodSeconds: 0 });
    if (act === 'tire') await this.#tire(pod);
    if (act !== 'move' || isGoing(pod)) return;
    const podIP = `10.245.0.${++this.#addresses}`;
    await this.#merge(`${path}/status`, { status: { podIP, podIPs: [{ ip: podIP }] } });
  }

  /** A daemon takes long to stop, having removed its row, and another node comes meanwhile. */
  async #relieve(pod: Stored | undefined): Promise<void> {
    if (pod === undefined || isGoing(pod)) return;
    const stopMs = between(this.#random, 8_000, mostStopMs);
    await this.#stop(pod, stopMs);
    this.#daemons.leave(pod);
    const domain = this.#domains().find((one) => uidOf(one) === domainOf(pod));
    const next = pick(
      this.#random,
      this.#nodes().filter((node) => domainOf(node) === ''),
    );
    if (domain === undefined || next === undefined) return;
    const ms = between(this.#random, 1_000, stopMs);
    this.#later(() => this.#arriveAt(nameOf(next), nameOf(domain)), ms);
  }

  async #stop(pod: Stored, stopMs: number): Promise<void> {
    const path = `${paths.daemons}/${nameOf(pod)}`;
    const annotations = { 'dev.coppice/stop-after': `${stopMs}ms` };
    await this.#merge(path, { metadata: { annotations } });
    await this.#ask('DELETE', path);
  }

  async #tire(pod: Stored): Promise<void> {
    const path = `${paths.daemons}/${nameOf(pod)}`;
    const ready = (value: 'false' | null) =>
      this.#merge(path, { metadata: { annotations: { 'dev.coppice/ready': value } } });
    await ready('false');
    this.#later(() => ready(null));
  }

  // -- damage -------------------------------------------------------------------------------------

  /** The object is deleted, or two of its nodes get one index. */
  async #damage(act: 'removeClique' | 'edit'): Promise<void> {
    const clique = pick(this.#random, cliquesIn(this.#world.cluster.store));
    if (clique === undefined || this.#random.next() < 0.5) return;
    const path = `${paths.cliques}/${nameOf(clique)}`;
    if (act === 'removeClique') return void (await this.#ask('DELETE', path));
    const rows = rowsOf(clique);
    const victim = pick(this.#random, rows);
    const other = pick(
      this.#random,
      rows.filter((row) => row !== victim),
    );
    const index = this.#random.next() < 0.2 ? 999 : (other?.index ?? 999);
    const daemons = rows.map((row) => (row === victim ? { ...row, index } : row));
    const { resourceVersion } = clique.metadata;
    const annotations = { [byHand]: String(this.#made++) };
    await this.#merge(path, { metadata: { resourceVersion, annotations }, daemons });
  }

  // -- helpers ------------------------------------------------------------------------------------

  #later(happen: () => Promise<unknown>, ms = this.#awayMs()): void {
    const { clock } = this.#world;
    clock.at(clock.now() + ms, () => {
      if (!this.#world.isHealed) void happen();
    });
  }

  #awayMs(): number {
    return between(this.#random, 500, this.#random.next() < 0.5 ? 5_000 : mostAwayMs);
  }

  #nodes(): readonly Stored[] {
    return this.#world.cluster.store.collection(collections.nodes).list();
  }

  #domains(): readonly Stored[] {
    return this.#world.cluster.store.collection(collections.domains).list(user);
  }

  #workloads(): readonly Stored[] {
    return this.#world.cluster.store.collection(collections.pods).list(user);
  }

  #merge(path: string, body: object): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return this.#world.ask({ method: 'PATCH', path, contentType, body });
  }

  #ask(method: KubeRequest['method'], path: string, body?: object): Promise<unknown> {
    return this.#world.ask({ method, path, ...(body === undefined ? {} : { body }) });
  }
}
