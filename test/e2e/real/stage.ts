// What a test on the real control plane stands on: the shared cluster, a namespace of its own,
// controllers as processes that it starts, stops and kills, and the audit log. Everything that a
// test started is gone when its file ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { HttpTransport } from '#src/kube/transport/http.ts';
import { transportOf } from '#test/cluster/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { freshName } from '#test/support/fresh-name.ts';
import { type Program, Programs } from '#test/support/program.ts';
import { type AuditedRequest, AuditLog, forbidden } from './audit.ts';
import { clear } from './cluster-wide.ts';
import { complaints } from './complaints.ts';
import { type Given, givenHere } from './given.ts';
import { Kube, type KubeObject, type Resource } from './kube.ts';
import { type Order, watchOrder } from './order.ts';
import type { SetWanted } from './sets.ts';
import { remnants, snapshot, type Snapshot } from './snapshot.ts';

/** For a machine that does much else: everything here takes seconds on a quiet one. */
const readyLimitMs = 180_000;

export class Stage {
  readonly given: Given;
  readonly kube: Kube;
  readonly audit: AuditLog;
  readonly transport: HttpTransport;
  readonly #programs = new Programs();
  /** For the files of this test file; it goes with it. */
  readonly folder: string;
  readonly #namespaces: string[] = [];
  #isStartingServer = false;
  readonly #since: number;
  #isOptional = (_: AuditedRequest): boolean => false;

  constructor(given: Given, transport: HttpTransport) {
    this.given = given;
    this.folder = mkdtempSync(join(given.root, 'stage-'));
    this.transport = transport;
    this.kube = new Kube(transport);
    this.audit = new AuditLog(join(given.folder, 'audit.log'));
    this.#since = this.audit.all().length;
  }

  /** A new namespace with its token controller at work; with a number where a first attempt at the
   *  same test has left the name. */
  async namespace(wanted: string): Promise<string> {
    const name = freshName(wanted);
    await this.kube.send({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    this.#namespaces.push(name);
    await eventually(
      `a default service account in ${name}`,
      () => this.kube.list(name, 'serviceaccounts'),
      (accounts) => accounts.length > 0,
      readyLimitMs,
    );
    return name;
  }

  /** Starts a controller; resolves when it is synced, or at once with `isSynced: false`.
   *  `settings` are sections of its configuration; `run` starts it otherwise than from here. */
  async controller({
    isSynced = true,
    settings = {},
    run = (...args) => this.coppice(...args),
  }: {
    isSynced?: boolean;
    settings?: JsonObject;
    run?: (...args: readonly string[]) => Program;
  } = {}): Promise<Program> {
    const config = join(this.folder, 'controller.json');
    writeFileSync(config, JSON.stringify({ ...configuration(this.given), ...settings }));
    const { controllerKubeconfig } = this.given;
    const flags = ['--config', config, '--kubeconfig', controllerKubeconfig];
    const program = run('controller', ...flags);
    if (isSynced) await program.line(/controller synced/);
    return program;
  }

  /** Runs `coppice` until the file ends. */
  coppice(...args: readonly string[]): Program {
    return this.#programs.coppice(...args);
  }

  /** Runs any program until the file ends. */
  run(command: string, args: readonly string[]): Program {
    return this.#programs.run(command, args);
  }

  /** Until the namespace holds exactly this set, whole and ready. */
  async ready(namespace: string, wanted: SetWanted, limitMs = readyLimitMs): Promise<Snapshot> {
    let seen: Snapshot | undefined;
    await eventually(
      `${wanted.name} ready as wanted`,
      async () => {
        try {
          seen = await snapshot(this.kube, namespace);
          return complaints(seen, wanted);
        } catch (error) {
          return [String(error)]; // a server that has just started asks for patience
        }
      },
      (wrong) => wrong.length === 0,
      limitMs,
    );
    return seen ?? nowhere('nothing was looked at');
  }

  /** Until a set says that all its replicas are available: cheap to ask for, also of large sets. */
  async available(namespace: string, { name, replicas }: SetWanted, limitMs: number) {
    const ask = () => this.kube.get(namespace, 'podcliquesets', name);
    const isThere = (set: KubeObject | undefined): boolean =>
      set?.status?.availableReplicas === replicas;
    await eventually(`${name} available`, ask, isThere, limitMs);
  }

  /** Until nothing of a set is left in the namespace. */
  async empty(namespace: string, limitMs = readyLimitMs): Promise<void> {
    await eventually(
      `${namespace} empty`,
      () => remnants(this.kube, namespace),
      (rest) => rest.length === 0,
      limitMs,
    );
  }

  /** Until an object is there. */
  async sees(namespace: string, resource: Resource, name: string): Promise<void> {
    const ask = () => this.kube.get(namespace, resource, name);
    const isThere = (object?: KubeObject): boolean => object !== undefined;
    await eventually(`${resource} ${name} there`, ask, isThere, readyLimitMs);
  }

  /** Until this very object is gone; another may have its name by then, as names are computed. */
  async gone(
    namespace: string,
    resource: Resource,
    { metadata: { name, uid } }: KubeObject,
    limitMs = readyLimitMs,
  ): Promise<void> {
    const ask = () => this.kube.get(namespace, resource, name);
    const isOther = (object?: KubeObject): boolean => object?.metadata.uid !== uid;
    await eventually(`${resource} ${name} gone`, ask, isOther, limitMs);
  }

  /** Watches the end of objects from now on: `pods demo-0-w-abcde`, in the order of their going. */
  order(namespace: string, resources: readonly Resource[]): Order {
    return watchOrder(this.transport, namespace, resources);
  }

  /** Until the API server answers again. One that has just started knows no roles for a moment and
   *  forbids everything: what this file is refused says nothing of the chart. */
  async serving(): Promise<void> {
    this.#isStartingServer = true;
    const ask = () => this.transport.request({ method: 'GET', path: '/readyz' });
    const isUp = () =>
      ask()
        .then(({ status }) => status === 200)
        .catch(() => false);
    await eventually('the API server ready', isUp, (yes) => yes, readyLimitMs);
  }

  /** How often controllers have listed a resource in all namespaces, page by page. */
  lists(resource: Resource): number {
    const isList = (request: AuditedRequest): boolean =>
      request.verb === 'list' && request.resource === resource;
    return this.audit.requests('').filter(isList).length;
  }

  /** A line beside the report, for what a failed test should be repeated with. */
  say(line: string): void {
    process.stderr.write(`${line}\n`);
  }

  /** Until no controller has written in the namespace for a while. */
  async quiet(namespace: string, forMs = 1500): Promise<void> {
    for (let before = -1; ;) {
      const now = this.audit.writes(namespace).length;
      if (now === before) return;
      before = now;
      await pause(forMs);
    }
  }

  /** The only way for a test to let time pass; each use says what for. */
  idle(ms: number): Promise<void> {
    return pause(ms);
  }

  /** From now on these may be refused: the controller asks, and goes on without an answer. */
  allowsRefusal(isOptional: (request: AuditedRequest) => boolean): void {
    this.#isOptional = isOptional;
  }

  /** Throws where a controller asked for something that the chart does not grant. */
  async end(): Promise<void> {
    await this.#programs.end();
    await Promise.all(this.#namespaces.map((name) => clear(this.kube, name)));
    await this.close();
    const since = this.#isStartingServer ? [] : this.audit.all().slice(this.#since);
    const refused = forbidden(since.filter((request) => !this.#isOptional(request)));
    if (refused.length > 0) nowhere(`not granted: ${JSON.stringify(refused.slice(0, 5))}`);
  }

  /** Ends what was started, and leaves the cluster as it is. */
  async close(): Promise<void> {
    await this.#programs.end();
    await this.transport.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const configuration = ({ natsUrl }: Given): JsonObject => ({
  apiVersion: 'coppice.dev/v1alpha1',
  kind: 'CoppiceConfiguration',
  bus: { servers: [natsUrl], commands: true },
  server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
});

/** A group of tests with a stage, skipped with the reason where there is no real control plane. */
export function describeReal(title: string, body: (stage: () => Stage) => void): void {
  const given = givenHere();
  if ('missing' in given) {
    describe.skip(`${title} [skipped: ${given.missing}]`, () => {
      body(() => nowhere(given.missing));
    });
    return;
  }
  describe(title, () => {
    let stage: Stage | undefined;
    beforeAll(async () => {
      stage = new Stage(given, await transportOf(given.kubeconfig));
    });
    afterAll(() => stage?.end());
    body(() => stage ?? nowhere('the stage is not set yet'));
  });
}

function nowhere(why: string): never {
  throw new Error(why);
}
