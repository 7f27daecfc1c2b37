// What one scenario stands on: a namespace, controllers as processes, what users do to templates,
// pools, claims and Sandboxes, and what is seen of them. Made and ended by describe.ts.
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { formatSubject } from '#bus/subjects.ts';
import type { ActorKind } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import { conditionOf, type Sight, type Watched } from '#src/bench/onlooker.ts';
import type { Running } from '#test/support/place.ts';
import { shell } from '#test/support/tools.ts';
import { must } from '#test/support/workload.ts';
import type { Cluster } from './cluster.ts';
import { damageIn, nameOf, readySaid } from './damage.ts';
import { podTemplate } from './pod-template.ts';

/** For a machine that does much else: everything here takes seconds on a quiet one. */
const limitMs = 300_000;

const groups = {
  sandboxes: '/apis/agents.x-k8s.io/v1beta1',
  sandboxtemplates: '/apis/extensions.agents.x-k8s.io/v1beta1',
  sandboxclaims: '/apis/extensions.agents.x-k8s.io/v1beta1',
  sandboxwarmpools: '/apis/extensions.agents.x-k8s.io/v1beta1',
  resourcequotas: '/api/v1',
  persistentvolumeclaims: '/api/v1',
  events: '/api/v1',
  pods: '/api/v1',
} as const;
const kinds = {
  sandboxes: 'Sandbox',
  sandboxtemplates: 'SandboxTemplate',
  sandboxclaims: 'SandboxClaim',
  sandboxwarmpools: 'SandboxWarmPool',
  resourcequotas: 'ResourceQuota',
} as const;
export type Resource = keyof typeof groups;
export type Made = keyof typeof kinds;

export const usual: JsonObject = { modules: { grove: false, agentsandbox: true } };

export class Scene {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly #running: Running[] = [];
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.namespace = namespace;
  }

  static async open(cluster: Cluster, name: string): Promise<Scene> {
    return new Scene(cluster, await cluster.namespace(name));
  }

  // -- controllers --------------------------------------------------------------------------------

  /** Resolves when it is synced. */
  async controller(settings: JsonObject = {}): Promise<Running> {
    const running = await this.cluster.controller({ ...usual, ...settings });
    this.#running.push(running);
    await running.program.line(/controller synced/);
    return running;
  }

  metrics(): Promise<Exposition> {
    return scrape(this.#running.at(-1)?.url ?? '');
  }

  /** What the actor of an object waits for, in its own words; asked over NATS. */
  async why(kind: ActorKind, name: string): Promise<string> {
    const client = await connect({ servers: this.cluster.natsUrl() });
    try {
      const about = { kind, namespace: this.namespace, name };
      const subject = formatSubject({ type: 'ask', about, question: 'why' });
      if (!subject.ok) throw new Error(JSON.stringify(subject));
      const reply = await client.request(subject.value, '{}', { timeout: 10_000 });
      return list(at(reply.json(), 'data', 'because')).join('; ');
    } finally {
      await client.close();
    }
  }

  // -- what users do ------------------------------------------------------------------------------

  path(resource: Resource, name = ''): string {
    const collection = `${groups[resource]}/namespaces/${this.namespace}/${resource}`;
    return name === '' ? collection : `${collection}/${name}`;
  }

  /** The answer, whatever it is. */
  post(resource: Made, metadata: JsonObject, spec: JsonObject): Promise<KubeResponse> {
    const apiVersion = groups[resource].replace(/^\/apis?\//, '');
    const body = { apiVersion, kind: kinds[resource], metadata, spec };
    return this.cluster.client.request({ method: 'POST', path: this.path(resource), body });
  }

  async create(resource: Made, metadata: JsonObject, spec: JsonObject): Promise<unknown> {
    const { status, body } = await this.post(resource, metadata, spec);
    if (status < 300) return body;
    throw new Error(`create ${resource}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  }

  /** With one container, unless `spec` says otherwise. */
  template(name: string, spec: JsonObject = {}): Promise<unknown> {
    return this.create('sandboxtemplates', { name }, { podTemplate: podTemplate(), ...spec });
  }

  pool(name: string, replicas: number, spec: JsonObject = {}): Promise<unknown> {
    const sandboxTemplateRef = { name: 'python' };
    return this.create('sandboxwarmpools', { name }, { replicas, sandboxTemplateRef, ...spec });
  }

  claim(name: string, spec: JsonObject = {}, pool = 'warm'): Promise<unknown> {
    return this.create('sandboxclaims', { name }, { warmPoolRef: { name: pool }, ...spec });
  }

  /** For so many claims of a Gi, where nobody makes them. */
  async volumes(count: number): Promise<void> {
    const { client, hasProvisioner } = this.cluster;
    if (hasProvisioner) return;
    const path = '/api/v1/persistentvolumes';
    for (let index = 0; index < count; index++) {
      const name = `${this.namespace}-${index}`;
      const size = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } };
      const spec = { ...size, hostPath: { path: '/nowhere' } };
      const body = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
      await must(client, { method: 'POST', path, body });
      this.onEnd(() => must(client, { method: 'DELETE', path: `${path}/${name}` }));
    }
  }

  patch(resource: Resource, name: string, body: JsonObject): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    const request = { method: 'PATCH', path: this.path(resource, name), contentType } as const;
    return must(this.cluster.client, { ...request, body });
  }

  delete(resource: Resource, name: string): Promise<unknown> {
    return must(this.cluster.client, { method: 'DELETE', path: this.path(resource, name) });
  }

  get(resource: Resource, name: string): Promise<unknown> {
    return must(this.cluster.client, { method: 'GET', path: this.path(resource, name) });
  }

  async items(resource: Resource): Promise<readonly unknown[]> {
    const path = this.path(resource);
    return list(at(await must(this.cluster.client, { method: 'GET', path }), 'items'));
  }

  /** Runs kubectl on the namespace and gives what it printed; throws where it fails. */
  async kubectl(words: string): Promise<string> {
    const { kubeconfig } = this.cluster;
    const line = `kubectl --kubeconfig '${kubeconfig}' --namespace ${this.namespace} ${words}`;
    const { code, stdout, stderr } = await shell(line);
    if (code !== 0) throw new Error(`${line}\n${stderr}`);
    return stdout;
  }

  // -- what is there ------------------------------------------------------------------------------

  all(resource: Watched): readonly unknown[] {
    return [...this.cluster.onlooker.all(resource, this.namespace).values()];
  }

  one(resource: Watched, name: string): unknown {
    return this.cluster.onlooker.one(resource, this.namespace, name);
  }

  /** The condition Ready: `True DependenciesReady: Pod is Ready`. */
  said(resource: Watched, name: string): string {
    return readySaid(this.one(resource, name));
  }

  sandboxOf(claim: string): string {
    return text(at(this.one('sandboxclaims', claim), 'status', 'sandbox', 'name'));
  }

  /** Calls back for everything that is seen in the namespace; the returned function ends that. */
  onSight(listener: (sight: Sight) => void): () => void {
    return this.cluster.onlooker.onSight((sight) => {
      if (sight.namespace === this.namespace) listener(sight);
    });
  }

  until(what: string, claim: () => boolean, tell: () => unknown = () => this.#tell()) {
    return this.cluster.onlooker.until(`${this.namespace}: ${what}`, claim, tell, limitMs);
  }

  /** Of what is not watched. */
  eventually(what: string, ask: () => Promise<boolean>): Promise<boolean> {
    return eventually(`${this.namespace}: ${what}`, ask, (isSo) => isSo, limitMs);
  }

  /** The pool says that it is full with so many members. */
  full(pool: string, replicas: number): Promise<void> {
    return this.until(`${replicas} members of ${pool} ready`, () => {
      const status = at(this.one('sandboxwarmpools', pool), 'status');
      const isWhole = at(status, 'readyReplicas') === replicas;
      return (
        isWhole &&
        at(status, 'replicas') === replicas &&
        this.said('sandboxwarmpools', pool).startsWith('True')
      );
    });
  }

  ready(resource: Watched, ...names: readonly string[]): Promise<void> {
    return this.until(`${resource} ${names.join()} ready`, () =>
      names.every((name) => conditionOf(this.one(resource, name), 'Ready') === 'True'),
    );
  }

  /** Its condition Ready says this. */
  says(resource: Watched, name: string, pattern: RegExp): Promise<void> {
    const said = () => this.said(resource, name);
    return this.until(`${name} says ${pattern}`, () => pattern.test(said()), said);
  }

  gone(resource: Watched, name: string): Promise<void> {
    return this.until(`${name} gone`, () => this.one(resource, name) === undefined);
  }

  /** Resolves with the notes of Events of this reason about the object, when there is one. */
  async told(name: string, reason: string): Promise<readonly string[]> {
    const notes = async () =>
      (await this.items('events'))
        .filter((one) => at(one, 'reason') === reason)
        .filter((one) => at(one, 'involvedObject', 'name') === name)
        .map((one) => text(at(one, 'message')));
    return eventually(`Event ${reason}`, notes, ({ length }) => length > 0, limitMs);
  }

  /** What is wrong at the end, with so many members wanted of each pool. */
  async damage(wanted: Readonly<Record<string, number>>): Promise<readonly string[]> {
    const items = (resource: Resource) => this.items(resource);
    return damageIn(wanted, {
      pools: await items('sandboxwarmpools'),
      claims: await items('sandboxclaims'),
      sandboxes: await items('sandboxes'),
      pods: await items('pods'),
    });
  }

  /** Requests of controllers that change something, by kind; Leases and Events left out. */
  async writes(): Promise<Readonly<Record<string, number>>> {
    const all = Object.entries(await this.cluster.requests(this.namespace));
    return Object.fromEntries(
      all.filter(
        ([line]) => /^(create|update|patch|delete)/.test(line) && !/ (leases|events) /.test(line),
      ),
    );
  }

  /** Resolves when nothing was written for a while, with what was written until then. */
  async atRest(forMs = 2_000): Promise<Readonly<Record<string, number>>> {
    for (let before = ''; ;) {
      const writes = await this.writes();
      const now = JSON.stringify(writes);
      if (now === before) return writes;
      before = now;
      // That nothing comes is seen only by letting time pass.
      await pause(forMs);
    }
  }

  /** Is done after the controllers have ended. */
  onEnd(undo: () => Promise<unknown>): void {
    this.#ends.push(undo);
  }

  /** Also of what was made: the next scenario needs the room on the nodes. */
  async end(): Promise<void> {
    await Promise.all(this.#running.map(({ program }) => program.kill()));
    for (const undo of this.#ends) await undo();
    for (const resource of ['sandboxwarmpools', 'sandboxclaims', 'sandboxes', 'pods'] as const) {
      await must(this.cluster.client, { method: 'DELETE', path: this.path(resource) });
    }
  }

  #tell(): unknown {
    const short = (resource: Watched) =>
      this.all(resource).map((one) => `${nameOf(one)} ${readySaid(one)}`);
    return {
      claims: short('sandboxclaims')
        .filter((line) => !/ True/.test(line))
        .slice(0, 20),
      sandboxes: short('sandboxes')
        .filter((line) => !/ True/.test(line))
        .slice(0, 20),
      pools: this.all('sandboxwarmpools').map((one) => [nameOf(one), at(one, 'status')]),
    };
  }
}
