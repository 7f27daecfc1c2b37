// A random history of Sandboxes: their actors between watches that are late and writes whose
// answers are lost, while people edit them, nodes run their pods, and others have pods of their
// names.
import { label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import {
  controllerOfKind,
  podNamed,
  podRef,
  running,
  sandboxNamed,
  sandboxRef,
  serviceRef,
  volumeRef,
} from '#test/support/agentsandbox/samples.ts';
import { AgentSandboxWorld } from '#test/support/agentsandbox/world.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { refOf } from '#test/support/world-store.ts';
import { checkArrival, checkEnd, checkOwners } from './invariants.ts';

/** Two of them have one hash. */
const names = ['box', 'costarring', 'liquid'];
const fates: readonly Fate[] = ['answered', 'lost reply', 'lost request', 'refused'];
const claim = { metadata: { name: 'data' }, spec: {} };

export class History {
  readonly world: AgentSandboxWorld;
  readonly log: string[] = [];
  readonly #random: () => number;

  constructor(seed: number) {
    const random = seeded(seed);
    this.#random = () => random.next();
    this.world = new AgentSandboxWorld({
      settings: { writeBehindMs: seed % 3 === 0 ? 500 : 0 },
      decided: ({ type, ref }) => this.log.push(`  decided ${type} ${ref.kind} ${ref.name}`),
      arrives: (intent, live) => {
        this.log.push(`  arrives ${intent.type} ${intent.ref.kind} ${intent.ref.name}`);
        checkArrival(intent, live);
      },
    });
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) {
      this.#step();
      checkOwners(this.world);
    }
  }

  /** Nothing happens any more but what nodes, the collector and the controller do. */
  end(): void {
    const { world } = this;
    this.#dropUnseen();
    for (let round = 0; round < 20; round++) {
      world.comeToRest().pass(2_000).comeToRest();
      world.collect();
      for (const pod of world.store.all('Pod')) this.#live(pod);
    }
    world.comeToRest();
    checkEnd(world);
  }

  #step(): void {
    const { world } = this;
    const dice = this.#random();
    if (dice < 0.28) return world.deliver(this.#below(99), this.#random() < 0.5);
    if (dice < 0.55) return world.land(this.#below(99), this.#fate());
    if (dice < 0.62) return void world.pass(this.#pick([1, 300, 2_000, 30_000]) ?? 1);
    if (dice < 0.64) return this.#crash();
    if (dice < 0.65) return this.world.collect();
    if (dice < 0.8) return this.#node();
    if (dice < 0.94) return this.#edit();
    this.#others();
  }

  #fate(): Fate {
    return this.#random() < 0.7 ? 'answered' : (this.#pick(fates) ?? 'answered');
  }

  #crash(): void {
    this.log.push('crash');
    this.world.restart(() => this.#random() < 0.5);
  }

  #node(): void {
    const pod = this.#pick(this.world.store.all('Pod'));
    if (pod === undefined) return;
    this.log.push(`the node of ${pod.metadata.name}`);
    const dice = this.#random();
    if (dice < 0.75) return this.#live(pod);
    const { name } = pod.metadata;
    if (dice < 0.85) this.world.store.edit(podRef(name), { status: { phase: 'Failed' } });
    else if (dice < 0.95) this.world.store.remove(podRef(name));
    else this.world.store.drop(podRef(name));
  }

  /** It runs, or ends where it is to. */
  #live({ metadata: { name, deletionTimestamp }, ...pod }: KubeObject): void {
    if (deletionTimestamp !== undefined) return this.world.store.drop(podRef(name));
    const phase = text(at(pod, 'status', 'phase'));
    if (phase !== 'Failed') this.world.store.edit(podRef(name), { status: running });
  }

  #edit(): void {
    const { store, now } = this.world;
    const name = this.#pick(names) ?? '';
    const own = store.get('Sandbox', name);
    if (own === undefined) {
      this.log.push(`create ${name}`);
      const isRich = this.#random() < 0.4;
      store.create(sandboxNamed(name, isRich ? { volumeClaimTemplates: [claim] } : {}));
      return;
    }
    const dice = this.#random();
    if (dice < 0.1) {
      this.log.push(`delete ${name}`);
      store.remove(sandboxRef(name));
      return this.#random() < 0.5 ? this.world.collect() : undefined;
    }
    const soon = rfc3339(now + this.#below(20) * 1_000);
    const spec = this.#pick<JsonObject>([
      { operatingMode: 'Suspended' },
      { operatingMode: 'Running' },
      { operatingMode: 'Running' },
      { service: this.#pick([true, false, null]) ?? null },
      { shutdownTime: this.#random() < 0.5 ? soon : null },
      { podTemplate: { metadata: { labels: { team: this.#pick(['a', 'b', null]) ?? null } } } },
      { shutdownPolicy: this.#random() < 0.1 ? 'Delete' : 'Retain' },
    ]);
    this.log.push(`edit ${name} ${JSON.stringify(spec)}`);
    store.edit(sandboxRef(name), { spec: spec ?? {} });
  }

  /** Somebody has a pod of that name, or meddles with what a Sandbox has. */
  #others(): void {
    const { store } = this.world;
    const name = this.#pick(names) ?? '';
    const pod = store.get('Pod', name);
    const dice = this.#random();
    this.log.push(`others ${name} ${dice}`);
    if (pod === undefined) {
      store.create(podNamed(name, this.#foreign(name)));
    } else if (controllerOf(pod)?.kind !== 'Sandbox' && dice < 0.7) store.drop(podRef(name));
    else if (dice < 0.8) {
      store.edit(podRef(name), { metadata: { labels: { [label.sandboxNameHash]: null } } });
    } else if (dice < 0.9) store.drop(serviceRef(name));
    else store.drop(volumeRef(`data-${name}`));
  }

  #foreign(name: string) {
    const labels = this.#pick<Record<string, string>>([
      { [label.adoptable]: 'true' },
      { [label.sandboxNameHash]: nameHash(name) },
      { [label.sandboxNameHash]: 'another' },
      {},
    ]);
    const isOwned = this.#random() < 0.5;
    const ownerReferences = isOwned ? [controllerOfKind('Job', 'job', 'uid-of-job')] : [];
    return { labels: labels ?? {}, ownerReferences, finalizers: isOwned ? ['theirs/x'] : [] };
  }

  /** Of these no watch tells, so it is tried again and again. */
  #dropUnseen(): void {
    for (const pod of this.world.store.all('Pod')) {
      const { labels = {} } = pod.metadata;
      const isSeen = labels[label.sandboxNameHash] ?? labels[label.adoptable];
      if (isSeen === undefined) this.world.store.drop(refOf(pod));
    }
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #pick<T>(from: readonly T[]): T | undefined {
    return from[this.#below(from.length)];
  }
}
