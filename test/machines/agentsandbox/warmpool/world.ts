// The world of a warm pool in a random history: claims take members, people edit and delete, pods
// become ready and are not any more.
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import {
  ownedBy,
  poolObject,
  readyStatus,
  sandboxObject,
  settings,
  templateObject,
  unschedulableStatus,
} from './objects.ts';
import { ModelServer } from './server.ts';

export const poolKey = 'SandboxWarmPool/pool';
export const templateKey = 'SandboxTemplate/template';

interface News {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** How often what is checked came about. */
export interface Judged {
  creates: number;
  deletes: number;
  saved: number;
  taken: number;
  /** Creates on their way that the next controller asked for by the same name, and others. */
  agreed: number;
  other: number;
}

export class World {
  readonly server: ModelServer;
  readonly log: string[] = [];
  readonly judged: Judged = { creates: 0, deletes: 0, saved: 0, taken: 0, agreed: 0, other: 0 };
  readonly settings: typeof settings;
  /** What the watch has not shown yet. */
  readonly late = new Map<string, News[]>();
  readonly random: () => number;

  constructor(seed: number) {
    this.random = seeded(seed).next;
    const maxBatchSize = 1 + Math.floor(this.random() * 8);
    const replenishDelayMs = this.random() < 0.3 ? 5_000 : 0;
    const maxRefillRate = this.random() < 0.3 ? 2 : 0;
    const warmPool = { ...settings.warmPool, maxBatchSize, replenishDelayMs, maxRefillRate };
    this.settings = { ...settings, warmPool };
    this.server = new ModelServer((key, object, isGone) => {
      const news = this.late.get(key) ?? [];
      this.late.set(key, [...news, { object, isGone }]);
    });
    this.server.put(templateObject());
    const strategy = this.random() < 0.5 ? 'Recreate' : 'OnReplenish';
    this.server.put(poolObject({ replicas: Math.floor(this.random() * 12), strategy }));
  }

  pick<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.random() * all.length)];
  }

  note(what: string): void {
    this.log.push(`${this.log.length} at ${this.server.now}: ${what}`);
  }

  environment(): void {
    const dice = this.random();
    const members = this.server.controlled('uid-pool');
    const object = this.pick(members);
    const key = object === undefined ? '' : ModelServer.keyOf(object);
    const { now } = this.server;
    if (dice < 0.45) return this.server.status(key, readyStatus(`n${members.length % 3}`, now));
    if (dice < 0.5) return this.server.status(key, readyStatus('n1', now, false));
    if (dice < 0.55) return this.server.status(key, unschedulableStatus(now));
    if (dice < 0.72) return this.#take(object);
    if (dice < 0.78) return this.#deleteSome(object);
    if (dice < 0.86) return this.#finish();
    if (dice < 0.88) return this.#orphan(object);
    if (dice < 0.93) return this.#edit(poolKey, { replicas: Math.floor(this.random() * 12) });
    if (dice < 0.97) return this.#editTemplate();
    this.note('a Sandbox of this pool appears');
    this.server.put(sandboxObject(`stray-${this.log.length}`));
  }

  #take(object: KubeObject | undefined): void {
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const { name } = object.metadata;
    this.judged.taken++;
    this.note(`${name} is taken`);
    this.server.patch(ModelServer.keyOf(object), {
      metadata: {
        ownerReferences: [{ ...ownedBy('SandboxClaim', `of-${name}`) }],
        labels: { 'agents.x-k8s.io/warm-pool-sandbox': null },
      },
    });
  }

  #deleteSome(object: KubeObject | undefined): void {
    if (object === undefined) return;
    this.note(`${object.metadata.name} is deleted by somebody`);
    if (this.random() < 0.7) this.server.slow.add(object.metadata.name);
    this.server.delete(ModelServer.keyOf(object));
  }

  #finish(): void {
    const going = [...this.server.objects.values()].filter(
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    const one = this.pick(going);
    if (one !== undefined) this.server.remove(ModelServer.keyOf(one));
    const names = [...this.server.objects.values()].map(({ metadata }) => metadata.name);
    const next = this.pick(names);
    if (next !== undefined && this.random() < 0.3) this.server.slow.add(next);
  }

  #orphan(object: KubeObject | undefined): void {
    if (object === undefined) return;
    this.note(`${object.metadata.name} loses its owner`);
    this.server.patch(ModelServer.keyOf(object), { metadata: { ownerReferences: [] } });
  }

  #edit(key: string, spec: Record<string, unknown>): void {
    const object = this.server.objects.get(key);
    if (object === undefined) return;
    this.note(`${key} becomes ${JSON.stringify(spec)}`);
    this.server.put({ ...object, spec: { ...(object['spec'] as object), ...spec } });
  }

  #editTemplate(): void {
    const dice = this.random();
    const image = `image-${Math.floor(this.random() * 3)}`;
    if (dice < 0.2) return this.server.remove(templateKey);
    if (!this.server.objects.has(templateKey)) return this.putTemplate(image);
    this.#edit(templateKey, { podTemplate: { spec: { containers: [{ name: 'main', image }] } } });
  }

  putTemplate(image: string): void {
    const { uid: _, ...metadata } = templateObject().metadata;
    this.server.put({ ...templateObject(image), metadata });
  }
}
