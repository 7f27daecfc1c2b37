// A warm pool whose writes are carried out at once, for tests of what it does.
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { PoolController } from './controller.ts';
import { ownedBy, poolObject, readyStatus, settings, templateObject } from './objects.ts';
import { ModelServer, type WriteIntent } from './server.ts';

export class PoolKit {
  readonly server: ModelServer;
  controller: PoolController;
  /** Of all reconciles. */
  intents: Intent[] = [];
  /** Writes that reached the server. */
  writes: WriteIntent[] = [];
  /** What the server answers to a write; undefined: it is done. */
  refuses: (intent: WriteIntent) => ErrorCode | undefined = () => undefined;
  isWatching = true;
  /** Hears of its state after each reconcile. */
  trace: ((state: unknown) => void) | undefined;
  readonly #settings: AgentSandboxSettings;

  constructor(warmPool: Partial<AgentSandboxSettings['warmPool']> = {}) {
    this.#settings = { ...settings, warmPool: { ...settings.warmPool, ...warmPool } };
    this.controller = new PoolController(this.#settings);
    this.server = new ModelServer((_, object, isGone) => {
      if (this.isWatching) this.controller.see(object, isGone);
    });
  }

  /** A pool with its template, and all that it wants at once. */
  static with(
    pool: Parameters<typeof poolObject>[0] = {},
    warmPool: Partial<AgentSandboxSettings['warmPool']> = {},
  ): PoolKit {
    const kit = new PoolKit(warmPool);
    kit.server.put(templateObject());
    kit.server.put(poolObject(pool));
    return kit;
  }

  get now(): number {
    return this.server.now;
  }

  /** A controller that knows nothing but what a list shows. */
  restart(objects: Iterable<KubeObject> = this.server.objects.values()): this {
    this.controller = new PoolController(this.#settings);
    for (const object of objects) this.controller.see(object);
    return this;
  }

  reconcile(): readonly Intent[] {
    const intents = this.controller.reconcile(this.now);
    this.intents.push(...intents);
    this.trace?.(this.controller.state);
    return intents;
  }

  send(): void {
    for (const key of [...this.controller.queued.keys()]) this.controller.send(key);
  }

  /** Reconciles and carries out, until nothing is asked for any more. */
  rest(most = 2_000): this {
    for (let round = 0; round < most; round++) {
      this.reconcile();
      if (this.controller.queued.size + this.controller.flying.size === 0) return this;
      this.send();
      this.serve();
    }
    throw new Error('it does not come to rest');
  }

  serve(): void {
    for (const [key, intent] of [...this.controller.flying]) {
      const code = this.refuses(intent);
      this.writes.push(intent);
      const reply =
        code === undefined ? this.server.write(intent) : { code: undefined, object: undefined };
      this.controller.answer(key, reply, this.now, code);
    }
  }

  wait(ms: number): this {
    this.server.now += ms;
    return this;
  }

  get sandboxes(): readonly KubeObject[] {
    return [...this.server.objects.values()].filter(({ kind }) => kind === 'Sandbox');
  }

  get members(): readonly KubeObject[] {
    return this.server.controlled('uid-pool');
  }

  get names(): readonly string[] {
    return this.members.map(({ metadata }) => metadata.name).toSorted();
  }

  /** All members, or these. */
  ready(names = this.names): this {
    for (const name of names) {
      this.server.status(`Sandbox/${name}`, readyStatus(`node-${name.length % 3}`, this.now));
    }
    return this;
  }

  /** A claim takes them over, as another controller would do it. */
  take(...names: readonly string[]): this {
    for (const name of names) {
      const ownerReferences = [{ ...ownedBy('SandboxClaim', `claim-${name}`) }];
      const labels = { 'agents.x-k8s.io/warm-pool-sandbox': null };
      this.server.patch(`Sandbox/${name}`, { metadata: { ownerReferences, labels } });
    }
    return this;
  }

  edit(spec: Record<string, unknown>, key = 'SandboxWarmPool/pool'): this {
    const object = this.server.objects.get(key);
    if (object === undefined) throw new Error(`no ${key}`);
    const before = object['spec'];
    this.server.put({ ...object, spec: { ...(before as object), ...spec } });
    return this;
  }

  get status(): unknown {
    return this.server.objects.get('SandboxWarmPool/pool')?.['status'];
  }

  events(reason: string): readonly string[] {
    return this.intents.flatMap((intent) =>
      intent.type === 'recordEvent' && intent.reason === reason ? [intent.note] : [],
    );
  }

  written(type: WriteIntent['type']): readonly WriteIntent[] {
    return this.writes.filter((intent) => intent.type === type);
  }
}
