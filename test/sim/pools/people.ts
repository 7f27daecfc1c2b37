// What people do on a simulated day of warm pools: pools and templates are made, scaled, edited,
// deleted and made again, claims come and go (claimants.ts), and what they stand on breaks
// (breakage.ts). This file is the client that all of them use, and the pools and templates.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { between, pick } from '../users/workload.ts';
import { Breakage } from './breakage.ts';
import { Claimants } from './claimants.ts';
import { all, find, isRecreating, namespace, nameOf, paths, type What } from './objects.ts';
import type { PoolWorld } from './world.ts';

export const apiVersions = {
  sandboxes: 'agents.x-k8s.io/v1beta1',
  extensions: 'extensions.agents.x-k8s.io/v1beta1',
} as const;

const poolNames = ['warm', 'spare'] as const;
/** Claims name it before it is there. */
export const latePool = 'late';
const templateNames = ['basic', 'other'] as const;
const mostReplicas = 10;

type Path = keyof typeof paths & What;

/** Of those who do things in the world. */
export class Client {
  readonly world: PoolWorld;
  readonly random: Random;

  constructor(world: PoolWorld, random: Random) {
    this.world = world;
    this.random = random;
  }

  chance(of: number): boolean {
    return this.random.next() < of;
  }

  one(what: What): Stored | undefined {
    return pick(this.random, all(this.world.cluster.store, what));
  }

  create(what: Path, kind: string, name: string, rest: Record<string, unknown>): Promise<unknown> {
    const apiVersion = what === 'sandboxes' ? apiVersions.sandboxes : apiVersions.extensions;
    const { metadata = {}, ...others } = rest;
    const body = { apiVersion, kind, metadata: { ...(metadata as object), name, namespace } };
    return this.#ask('POST', paths[what], { ...body, ...others });
  }

  edit(what: Path, name: string, body: object): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return this.world.ask({ method: 'PATCH', path: `${paths[what]}/${name}`, contentType, body });
  }

  status(what: Path, name: string, status: object): Promise<unknown> {
    return this.edit(what, `${name}/status`, { status });
  }

  remove(what: Path, object: unknown, body?: object): Promise<unknown> {
    return this.#ask('DELETE', `${paths[what]}/${nameOf(object)}`, body);
  }

  /** Unless the day is over by then. */
  later(most: number, happen: () => Promise<unknown>): void {
    const { clock } = this.world;
    clock.at(clock.now() + between(this.random, 1, most), () => {
      if (!this.world.isHealed) void happen();
    });
  }

  #ask(method: KubeRequest['method'], path: string, body?: object): Promise<unknown> {
    return this.world.ask({ method, path, ...(body === undefined ? {} : { body }) });
  }
}

/** What happens, by how often. */
const acts = [
  ...Array.from({ length: 12 }, () => 'claim' as const),
  ...Array.from({ length: 6 }, () => 'release' as const),
  ...Array.from({ length: 10 }, () => 'break' as const),
  ...(['scale', 'scale', 'scale', 'image', 'image', 'metadata', 'policy', 'repoint'] as const),
  ...(['strategy', 'deletePool', 'deleteTemplate', 'latePool'] as const),
] as const;

export class People {
  readonly #client: Client;
  readonly #claimants: Claimants;
  readonly #breakage: Breakage;
  #edits = 0;

  constructor(world: PoolWorld) {
    this.#client = new Client(world, world.random('people'));
    this.#claimants = new Claimants(new Client(world, world.random('claimants')));
    this.#breakage = new Breakage(new Client(world, world.random('breakage')));
  }

  async begin(): Promise<void> {
    for (const name of templateNames) await this.#createTemplate(name);
    for (const name of poolNames) await this.#createPool(name);
  }

  act(): Promise<unknown> {
    const { random } = this.#client;
    const act = pick(random, acts) ?? 'claim';
    if (act === 'claim') return this.#claimants.come();
    if (act === 'release') return this.#claimants.leave();
    if (act === 'break') return this.#breakage.act();
    if (act === 'latePool') return this.#createPool(latePool);
    const isOfTemplate = act === 'image' || act === 'metadata' || act === 'policy';
    if (isOfTemplate) return this.#editTemplate(act);
    return act === 'deleteTemplate' ? this.#deleteTemplate() : this.#changePool(act);
  }

  /** Everything is there that claims need, and nothing that waits for a time or for a clock. */
  async makePeace(): Promise<void> {
    const { world } = this.#client;
    await this.#breakage.end();
    for (const name of templateNames) await this.#createTemplate(name);
    for (const name of [...poolNames, latePool]) await this.#createPool(name);
    await this.#claimants.makePeace(world.areClocksWrong);
    for (const pool of all(world.cluster.store, 'pools')) {
      await this.#client.edit('pools', nameOf(pool), { spec: { replicas: 3 } });
    }
  }

  async end(): Promise<void> {
    const { store } = this.#client.world.cluster;
    for (const what of ['claims', 'pools', 'sandboxes', 'templates'] as const) {
      for (const object of all(store, what)) await this.#client.remove(what, object);
    }
  }

  // -- pools --------------------------------------------------------------------------------------

  #createPool(name: string): Promise<unknown> {
    const { random } = this.#client;
    const spec: JsonObject = {
      replicas: between(random, 1, mostReplicas),
      sandboxTemplateRef: { name: pick(random, templateNames) ?? 'basic' },
      ...(this.#client.chance(0.5) && { updateStrategy: { type: 'Recreate' } }),
    };
    return this.#client.create('pools', 'SandboxWarmPool', name, { spec });
  }

  async #changePool(act: 'scale' | 'repoint' | 'strategy' | 'deletePool'): Promise<unknown> {
    const { random } = this.#client;
    const pool = this.#client.one('pools');
    if (pool === undefined) return this.#createPool(poolNames[0]);
    const edit = (spec: JsonObject) => this.#client.edit('pools', nameOf(pool), { spec });
    if (act === 'scale') {
      return edit({ replicas: this.#client.chance(0.2) ? 0 : between(random, 1, mostReplicas) });
    }
    if (act === 'repoint')
      return edit({ sandboxTemplateRef: { name: pick(random, templateNames) ?? '' } });
    if (act === 'strategy') {
      return edit({ updateStrategy: { type: isRecreating(pool) ? 'OnReplenish' : 'Recreate' } });
    }
    await this.#client.remove('pools', pool);
    const again = (): Promise<unknown> => this.#createPool(nameOf(pool));
    return this.#client.chance(0.3) ? again() : this.#client.later(15_000, again);
  }

  // -- templates ----------------------------------------------------------------------------------

  #createTemplate(name: string): Promise<unknown> {
    const isIsolated = this.#client.chance(0.5);
    const spec = {
      podTemplate: { metadata: this.#metadata(), spec: { containers: [this.#container()] } },
      ...(this.#client.chance(0.3) && { service: true }),
      ...(this.#client.chance(0.3) && { volumeClaimTemplates: [volume('data')] }),
      ...(isIsolated ? {} : { networkPolicyManagement: 'Unmanaged' }),
      // One of them refuses what the other one allows.
      envVarsInjectionPolicy: name === 'basic' ? 'Allowed' : 'Disallowed',
      volumeClaimTemplatesPolicy: name === 'basic' ? 'Allowed' : 'Disallowed',
    };
    return this.#client.create('templates', 'SandboxTemplate', name, { spec });
  }

  async #editTemplate(act: 'image' | 'metadata' | 'policy'): Promise<unknown> {
    const template = this.#client.one('templates');
    if (template === undefined) return this.#createTemplate(templateNames[0]);
    const podTemplate =
      act === 'image'
        ? { spec: { containers: [this.#container()] } }
        : { metadata: this.#metadata() };
    const spec =
      act === 'policy'
        ? { networkPolicyManagement: this.#client.chance(0.5) ? 'Managed' : 'Unmanaged' }
        : { podTemplate };
    return this.#client.edit('templates', nameOf(template), { spec });
  }

  async #deleteTemplate(): Promise<unknown> {
    const template = this.#client.one('templates');
    if (template === undefined) return;
    await this.#client.remove('templates', template);
    const again = async (): Promise<unknown> => {
      const isThere = find(this.#client.world.cluster.store, 'templates', nameOf(template));
      return isThere ?? this.#createTemplate(nameOf(template));
    };
    return this.#client.chance(0.3) ? again() : this.#client.later(10_000, again);
  }

  #container(): JsonObject {
    return { name: 'main', image: `box:${++this.#edits}`, ports: [{ containerPort: 80 }] };
  }

  /** Pods start at once or after a while. */
  #metadata(): JsonObject {
    const { random } = this.#client;
    const startMs = this.#client.chance(0.5) ? 200 : between(random, 500, 6_000);
    return {
      labels: { edition: String(++this.#edits) },
      annotations: { 'dev.coppice/start-after': `${startMs}ms` },
    };
  }
}

export const volume = (name: string): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
