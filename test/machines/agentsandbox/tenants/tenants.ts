// Tenants in namespaces of one cluster, whose pools, templates and claims have the same names: they
// claim, edit and delete, and some point their claims and Sandboxes at what belongs to others.
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import type { KubeObject, OwnerReference } from '#machines/kubernetes/objects.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { refOf } from '#test/support/world-store.ts';
import {
  claimObject,
  poolObject,
  sandboxObject,
  settings,
  templateObject,
} from '../claim/objects.ts';
import { Process } from '../claim/process.ts';
import { Server } from '../claim/server.ts';
import { Judge } from './judge.ts';

interface TenantsOptions {
  readonly seed: number;
  readonly claims: number;
}

const namespaces = ['red', 'green', 'blue'];
const pools = ['pool', 'other'];
const templates = ['template', 'second'];

export class Tenants {
  readonly server = new Server();
  readonly judge = new Judge(this.server);
  readonly process: Process;
  readonly #options: TenantsOptions;
  readonly #random: () => number;
  #claims = 0;
  #addresses = 0;

  constructor(options: TenantsOptions) {
    this.#options = options;
    this.#random = seeded(options.seed).next;
    this.process = new Process(this.server, settings);
    this.server.watchers.add((object, isGone) => this.process.hear(object, isGone));
    for (const namespace of namespaces) {
      for (const name of templates) this.#create(namespace, templateObject({}, name));
      for (const name of pools) {
        const template = this.#one(templates);
        this.#create(namespace, poolObject({ name, template, replicas: 1 + this.#below(4) }));
      }
    }
  }

  /** All claims are made and served, as far as they can be. */
  run(): void {
    while (this.#claims < this.#options.claims) this.#step();
    for (let round = 0; round < 20; round++) {
      this.#comeToRest();
      for (const sandbox of this.server.byKind('Sandbox')) this.#start(sandbox);
      this.server.now += 1_000;
      this.process.pass();
      if (this.process.isQuiet) return;
    }
  }

  #step(): void {
    const dice = this.#random();
    if (dice < 0.35) return this.process.deliver(this.#below(100), this.#random() < 0.8);
    if (dice < 0.62) return this.#land();
    if (dice < 0.65) return this.process.list();
    if (dice < 0.8) return this.#start(this.#one(this.server.byKind('Sandbox')));
    if (dice < 0.92) return this.#claim();
    if (dice < 0.94) return this.#forgeMember();
    if (dice < 0.96) return this.#delete();
    if (dice < 0.97) return this.server.collect();
    this.server.now += 500;
    this.process.pass();
  }

  /** Some name a Sandbox that is anybody's, as only Coppice should. */
  #claim(): void {
    const namespace = this.#one(namespaces);
    const target = this.#random() < 0.2 ? this.#one(this.server.byKind('Sandbox')) : undefined;
    const { name = '', uid = '' } = target?.metadata ?? {};
    const annotations =
      target === undefined ? {} : { [annotation.assigned]: name, [annotation.assignedUid]: uid };
    const options = { pool: this.#one(pools), annotations };
    const claim = claimObject(this.server.now, `claim-${this.#below(12)}`, options);
    if (this.#create(namespace, claim)) this.#claims++;
  }

  /** A Sandbox that says it is of a pool of that name, by the UID of any, or by none. */
  #forgeMember(): void {
    const namespace = this.#one(namespaces);
    const pool = this.#one(this.server.byKind('SandboxWarmPool'));
    if (pool === undefined) return;
    const owner: OwnerReference = {
      apiVersion: pool.apiVersion,
      kind: pool.kind,
      name: this.#one(pools),
      uid: pool.metadata.uid ?? '',
      controller: true,
    };
    const labels = {
      [label.warmPool]: nameHash(owner.name),
      [label.templateRefHash]: nameHash(this.#one(templates)),
    };
    const ownerReferences = this.#random() < 0.7 ? [owner] : [];
    const name = `forged-${this.#below(1_000)}`;
    const annotations = { [annotation.pool]: owner.name, [annotation.ordinal]: '0' };
    this.#create(namespace, sandboxObject(name, { labels, annotations, ownerReferences }));
  }

  #delete(): void {
    const kind = this.#one(['Sandbox', 'SandboxClaim'] as const);
    const victim = this.#one(this.server.byKind(kind));
    if (victim !== undefined) this.server.remove(refOf(victim));
  }

  #land(): void {
    const { length } = this.process.writes.inFlight;
    if (length === 0) return;
    const fates: readonly Fate[] = ['answered', 'answered', 'answered', 'lost reply', 'refused'];
    this.process.land(this.#below(length), this.#one(fates));
  }

  #comeToRest(): void {
    for (let round = 0; round < 10_000 && !this.process.isQuiet; round++) {
      while (this.process.hasNews) this.process.deliver(0);
      if (this.process.writes.inFlight.length > 0) this.process.land(0, 'answered');
      else this.process.list();
    }
  }

  /** Its pod runs, with an address of its own. */
  #start(sandbox: KubeObject | undefined): void {
    if (sandbox === undefined || sandbox['status'] !== undefined) return;
    if (controllerOf(sandbox) === undefined) return;
    const at = new Date(this.server.now).toISOString();
    const ready = { type: 'Ready', status: 'True', reason: 'DependenciesReady', message: '' };
    const conditions = [{ ...ready, lastTransitionTime: at, observedGeneration: 1 }];
    const podIPs = [`10.0.${this.#addresses >> 8}.${this.#addresses++ & 255}`];
    this.server.edit(refOf(sandbox), { status: { podIPs, conditions } });
  }

  /** False: the name is taken. */
  #create(namespace: string, object: KubeObject): boolean {
    const own = { ...object, metadata: { ...object.metadata, namespace } };
    if (this.server.read(refOf(own)).ok) return false;
    this.server.create(own);
    return true;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #one<T>(all: readonly [T, ...T[]]): T;
  #one<T extends string>(all: readonly T[]): T;
  #one<T>(all: readonly T[]): T | undefined;
  #one<T>(all: readonly T[]): T | undefined {
    return all[this.#below(all.length)];
  }
}
