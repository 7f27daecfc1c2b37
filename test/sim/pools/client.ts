// What all who do things on a simulated day of warm pools do them with.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { between, pick } from '../users/workload.ts';
import { all, namespace, nameOf, paths, type What } from './objects.ts';
import type { PoolWorld } from './world.ts';

const apiVersions = {
  sandboxes: 'agents.x-k8s.io/v1beta1',
  extensions: 'extensions.agents.x-k8s.io/v1beta1',
} as const;

/** Claims name it before it is there. */
export const latePool = 'late';

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

export const volume = (name: string): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
