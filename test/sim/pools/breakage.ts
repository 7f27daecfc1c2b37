// What breaks on a simulated day of warm pools, and who gets in the way: pods die, fail and tire,
// nodes are lost, Sandboxes are suspended or deleted by hand, strangers make Sandboxes with the
// labels of pools or the names of claims, and a quota refuses creates. Part of people.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf } from '../fields.ts';
import { between, pick } from '../users/workload.ts';
import {
  all,
  controllerOf,
  find,
  isReady,
  isSuspended,
  label,
  nameOf,
  shutdownOf,
} from './objects.ts';
import { type Client, volume } from './people.ts';

const acts = [
  ...(['killPod', 'killPod', 'failPod', 'failPod', 'finishPod', 'tire', 'tire', 'lose'] as const),
  ...(['suspend', 'suspend', 'resume', 'resume', 'resume', 'deleteSandbox', 'orphan'] as const),
  ...(['poison', 'squat', 'alone', 'quota', 'cordon'] as const),
] as const;

const mostAwayMs = 12_000;

export class Breakage {
  readonly #client: Client;
  /** Nodes that are gone and are to come back. */
  readonly #lost = new Map<string, Stored>();
  #made = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async act(): Promise<unknown> {
    const act = pick(this.#client.random, acts) ?? 'killPod';
    switch (act) {
      case 'killPod':
      case 'failPod':
      case 'finishPod':
      case 'tire':
        return this.#hurt(act);
      case 'lose':
        return this.#lose(this.#client.one('nodes'));
      case 'cordon':
        return this.#cordon();
      case 'suspend':
      case 'resume':
      case 'deleteSandbox':
      case 'orphan':
        return this.#handle(act);
      case 'quota':
        return this.#refuse();
      default:
        return this.#intrude(act);
    }
  }

  /** Nodes are back, pods are well, and nothing waits for a clock that is wrong. */
  async end(): Promise<void> {
    const { world } = this.#client;
    const { store } = world.cluster;
    for (const name of [...this.#lost.keys()]) await this.#bringBack(name);
    for (const node of all(store, 'nodes')) await this.#schedulable(node, null);
    for (const pod of all(store, 'pods')) {
      await this.#client.edit('pods', nameOf(pod), tired(null));
    }
    if (!world.areClocksWrong) return;
    for (const sandbox of all(store, 'sandboxes')) {
      const owner = controllerOf(sandbox)?.kind;
      const isTimed = owner === undefined && !Number.isNaN(shutdownOf(sandbox['spec']));
      const isStuck = owner === 'SandboxWarmPool' && !isReady(sandbox);
      if (isTimed || isStuck) await this.#client.remove('sandboxes', sandbox);
    }
  }

  async #hurt(act: 'killPod' | 'failPod' | 'finishPod' | 'tire'): Promise<unknown> {
    const pod = this.#client.one('pods');
    if (pod === undefined) return;
    const name = nameOf(pod);
    if (act === 'killPod') {
      const isSlow = this.#client.chance(0.3);
      const annotations = { 'dev.coppice/stop-after': `${between(this.#client.random, 1, 8)}s` };
      if (isSlow) await this.#client.edit('pods', name, { metadata: { annotations } });
      return this.#client.remove('pods', pod);
    }
    if (act === 'failPod') {
      return this.#client.status('pods', name, { phase: 'Failed', reason: 'Evicted' });
    }
    if (act === 'finishPod') return this.#client.status('pods', name, { phase: 'Succeeded' });
    await this.#client.edit('pods', name, tired('false'));
    return this.#client.later(mostAwayMs, () => this.#client.edit('pods', name, tired(null)));
  }

  async #handle(act: 'suspend' | 'resume' | 'deleteSandbox' | 'orphan'): Promise<unknown> {
    const { random, world } = this.#client;
    const some = all(world.cluster.store, 'sandboxes').filter(
      (one) => act !== 'resume' || isSuspended(one),
    );
    const sandbox = pick(random, some);
    if (sandbox === undefined) return;
    const name = nameOf(sandbox);
    const turn = (operatingMode: string) =>
      this.#client.edit('sandboxes', name, { spec: { operatingMode } });
    if (act === 'deleteSandbox') return this.#client.remove('sandboxes', sandbox);
    if (act === 'resume') return turn('Running');
    if (act === 'suspend') {
      if (this.#client.chance(0.5)) this.#client.later(5_000, () => turn('Running'));
      return turn('Suspended');
    }
    // The pool goes, and its members stay.
    const pool = this.#client.one('pools');
    if (pool === undefined || !this.#client.chance(0.3)) return;
    return this.#client.remove('pools', pool, { propagationPolicy: 'Orphan' });
  }

  /** A Sandbox that no controller has made. */
  async #intrude(act: 'poison' | 'squat' | 'alone'): Promise<unknown> {
    const { random, world } = this.#client;
    const name = `${act}-${this.#made++}`;
    const member = pick(
      random,
      all(world.cluster.store, 'sandboxes').filter(
        (one) => labelsOf(one)[label.pool] !== undefined,
      ),
    );
    if (act === 'poison') {
      if (member === undefined) return;
      const metadata = { labels: at(member, 'metadata', 'labels') };
      return this.#make(name, {
        metadata,
        spec: { podTemplate: at(member, 'spec', 'podTemplate') },
      });
    }
    if (act === 'squat') {
      const next = all(world.cluster.store, 'claims').map(nameOf);
      const number = Math.max(0, ...next.map((one) => Number(/^claim-(\d+)$/.exec(one)?.[1] ?? 0)));
      return this.#make(`claim-${number + between(random, 0, 2)}`, { spec: { podTemplate } });
    }
    const seconds = between(random, 1, 30);
    const time = `${new Date(world.clock.now() + seconds * 1_000).toISOString().slice(0, 19)}Z`;
    const spec: JsonObject = {
      podTemplate,
      ...(this.#client.chance(0.5) && { service: true }),
      ...(this.#client.chance(0.5) && { volumeClaimTemplates: [volume('data')] }),
      ...(this.#client.chance(0.5) && {
        shutdownTime: time,
        shutdownPolicy: this.#client.chance(0.5) ? 'Delete' : 'Retain',
      }),
    };
    return this.#make(name, { spec });
  }

  #make(name: string, rest: Record<string, unknown>): Promise<unknown> {
    return this.#client.create('sandboxes', 'Sandbox', name, rest);
  }

  async #refuse(): Promise<void> {
    const { quota } = this.#client.world;
    const plural = this.#client.chance(0.7) ? 'sandboxes' : 'pods';
    quota.add(plural);
    this.#client.later(mostAwayMs, async () => quota.delete(plural));
  }

  // -- nodes --------------------------------------------------------------------------------------

  async #lose(node: Stored | undefined): Promise<void> {
    if (node === undefined || this.#lost.size > 0) return;
    this.#lost.set(nameOf(node), node);
    await this.#client.remove('nodes', node);
    this.#client.later(mostAwayMs, () => this.#bringBack(nameOf(node)));
  }

  async #bringBack(name: string): Promise<void> {
    const node = this.#lost.get(name);
    this.#lost.delete(name);
    if (node === undefined || find(this.#client.world.cluster.store, 'nodes', name)) return;
    const { kind, apiVersion, spec, status } = node;
    const metadata = { name, labels: at(node, 'metadata', 'labels') };
    const body = { kind, apiVersion, metadata, spec, status };
    await this.#client.world.ask({ method: 'POST', path: '/api/v1/nodes', body });
  }

  /** No node takes new pods for a while. */
  async #cordon(): Promise<void> {
    const nodes = all(this.#client.world.cluster.store, 'nodes');
    for (const node of nodes) await this.#schedulable(node, true);
    this.#client.later(mostAwayMs, async () => {
      for (const node of nodes) await this.#schedulable(node, null);
    });
  }

  #schedulable(node: Stored, unschedulable: boolean | null): Promise<unknown> {
    return this.#client.edit('nodes', nameOf(node), { spec: { unschedulable } });
  }
}

const tired = (ready: 'false' | null): object => ({
  metadata: { annotations: { 'dev.coppice/ready': ready } },
});

const podTemplate: JsonObject = { spec: { containers: [{ name: 'main', image: 'stranger:1' }] } };
