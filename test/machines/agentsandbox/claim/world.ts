// A world with one process, in which everything is delivered and answered at once, for tests that
// say one thing each; what they ask to fail fails.
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { opOf } from '#test/support/world-intents.ts';
import { claimObject, poolObject, settings as usual, templateObject } from './objects.ts';
import type { ClaimOptions } from './objects.ts';
import { Process, type Hooks } from './process.ts';
import { Server } from './server.ts';

export interface WorldSettings {
  readonly trace?: Hooks['trace'];
  readonly claims?: Partial<AgentSandboxSettings['claims']>;
}

export class World {
  readonly server = new Server();
  process: Process;
  /** `op kind name` of each that the server has done. */
  readonly done: string[] = [];
  readonly #settings: AgentSandboxSettings;
  readonly #trace: Hooks['trace'];
  #forget: () => void = () => {};

  constructor({ claims = {}, trace }: WorldSettings = {}) {
    this.#trace = trace;
    this.#settings = { ...usual, claims: { ...usual.claims, ...claims } };
    this.process = this.#start();
  }

  get now(): number {
    return this.server.now;
  }

  #start(): Process {
    const process = new Process(this.server, this.#settings, {
      trace: this.#trace,
      landed: ({ type, ref }) => this.done.push(`${opOf[type]} ${ref.kind} ${ref.name}`),
    });
    const hear = (object: KubeObject, isGone: boolean): void => process.hear(object, isGone);
    this.server.watchers.add(hear);
    this.#forget = () => this.server.watchers.delete(hear);
    return process;
  }

  /** The process is killed; what it had under way is lost. */
  restart(): this {
    this.#forget();
    this.process = this.#start();
    this.process.begin();
    return this;
  }

  pool(options: Parameters<typeof poolObject>[0] = {}): this {
    this.server.create(poolObject(options));
    return this;
  }

  template(spec: JsonObject = {}, name = 'template'): this {
    this.server.create(templateObject(spec, name));
    return this;
  }

  /** A pool of ready members. */
  warm(replicas: number, options: Parameters<typeof poolObject>[0] = {}): this {
    this.template()
      .pool({ ...options, replicas })
      .rest();
    for (const { metadata } of this.sandboxes()) this.server.run(metadata.name, true);
    return this.rest();
  }

  claim(name = 'claim', options: ClaimOptions = {}): this {
    this.server.create(claimObject(this.server.now, name, options));
    return this;
  }

  edit(kind: 'SandboxClaim' | 'Sandbox' | 'SandboxWarmPool' | 'SandboxTemplate', name: string) {
    return (patch: JsonObject): this => {
      this.server.edit({ kind, namespace: 'demo', name }, patch);
      return this;
    };
  }

  remove(kind: 'SandboxClaim' | 'Sandbox' | 'SandboxWarmPool' | 'SandboxTemplate', name: string) {
    this.server.remove({ kind, namespace: 'demo', name });
    this.server.collect();
    return this;
  }

  /** All that watches have to tell is told. */
  deliver(): this {
    while (this.process.hasNews) this.process.deliver(0);
    return this;
  }

  /** One write or list after the other, as long as there is one. */
  rest(fate: Fate = 'answered'): this {
    for (let round = 0; round < 2_000; round++) {
      this.deliver();
      if (this.process.isQuiet) return this;
      if (this.process.writes.inFlight.length > 0) this.process.land(0, fate);
      else this.process.list();
    }
    throw new Error('does not come to rest');
  }

  /** Until nothing is left to do, also later. */
  finish(): this {
    for (let round = 0; round < 4; round++) this.rest().pass(2_500);
    return this.rest();
  }

  pass(ms: number): this {
    this.server.now += ms;
    this.process.pass();
    return this;
  }

  sandboxes(): readonly KubeObject[] {
    return this.server.byKind('Sandbox');
  }

  get(kind: 'SandboxClaim' | 'Sandbox' | 'SandboxWarmPool', name: string): KubeObject | undefined {
    return this.server.get(kind, name);
  }

  /** Those that the claim controls. */
  sandboxesOf(name: string): readonly string[] {
    const uid = this.get('SandboxClaim', name)?.metadata.uid;
    return this.sandboxes()
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .map(({ metadata }) => metadata.name);
  }

  status(name = 'claim'): JsonObject {
    const status = this.get('SandboxClaim', name)?.['status'];
    return isObject(status) ? status : {};
  }

  condition(type: string, name = 'claim'): JsonObject | undefined {
    return list(this.status(name)['conditions'])
      .filter(isObject)
      .find((one) => one['type'] === type);
  }

  /** `status reason` of its condition Ready. */
  ready(name = 'claim'): string {
    const ready = this.condition('Ready', name);
    return ready === undefined ? '' : `${String(ready['status'])} ${String(ready['reason'])}`;
  }

  bound(name = 'claim'): unknown {
    return at(this.status(name), 'sandbox', 'name');
  }

  /** What is on its way, in order. */
  get inFlight(): readonly string[] {
    return this.process.writes.inFlight.map(
      ({ type, ref }) => `${opOf[type]} ${ref.kind} ${ref.name}`,
    );
  }

  /** Of one that is on its way. */
  place(what: string): number {
    const place = this.inFlight.indexOf(what);
    if (place < 0) throw new Error(`no ${what} among ${this.inFlight.join(', ')}`);
    return place;
  }

  land(what: string, fate: Fate = 'answered'): this {
    this.process.land(this.place(what), fate);
    return this;
  }
}
