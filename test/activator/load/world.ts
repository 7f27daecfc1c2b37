// An activator on real sockets in the process of a test: the actors on the system's clock, the data
// plane, a request path, and pods that come and go as EndpointSlices say. Each pod has a slice of
// its own, as each has a port of its own.
import { activatorFamilies } from '#machines/activator/families.ts';
import { activator } from '#machines/activator/module.ts';
import type { ActivatorInput } from '#machines/activator/settings.ts';
import type { Module } from '#machines/contract/module.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { RequestLimits } from '#src/activator/proxy/options.ts';
import { PodClients } from '#src/activator/proxy/pods.ts';
import { type RequestPath, startRequestPath } from '#src/activator/proxy/start.ts';
import type { ServedRevision } from '#src/activator/served-revision.ts';
import { type Revisions, superviseRevisions } from '#src/activator/supervise.ts';
import { systemClock, systemIds } from '#src/time/clock.ts';
import { revisionKey, revisionObject, sliceObject } from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { Ledger, Pod } from './pods.ts';

const { namespace, name } = revisionKey;

const sliceNameOf = (id: string): string => `${name}-private-${id}`;

export interface LoadOptions {
  /** Requests that a pod takes at once; 0: any number. */
  readonly limit: number;
  readonly workMs?: () => number;
  readonly module?: Module<ActivatorInput>;
  /** Requests that may wait. */
  readonly maxWaiting?: number;
}

export class LoadWorld {
  readonly ledger = new Ledger();
  readonly pods: Pod[] = [];
  readonly revisions: Revisions;
  readonly clients = new PodClients();
  #path: RequestPath | undefined;
  readonly telemetry = recordingTelemetry(activatorFamilies);
  /** What the autoscaler would hear: requests that are here. */
  readonly demand = {
    here: 0,
    begun: () => {
      this.demand.here += 1;
    },
    ended: () => {
      this.demand.here -= 1;
    },
  };
  readonly #workMs: () => number;
  /** Who is at an address. */
  readonly #byDest = new Map<string, Pod>();
  readonly #others: Pod[] = [];
  #count = 0;
  #version = 0;

  private constructor({ limit, workMs = () => 1, module = activator, maxWaiting }: LoadOptions) {
    this.#workMs = workMs;
    this.revisions = superviseRevisions({
      clock: systemClock,
      random: seeded(1),
      ids: systemIds(),
      cluster: new FakeCluster(systemClock),
      telemetry: this.telemetry,
      // Full after a moment: it is there to grow until then.
      facts: 500,
      module,
      ...(maxWaiting === undefined ? {} : { limits: { maxWaiting } }),
      probe: ({ dest }) => {
        const id = this.#byDest.get(dest)?.id;
        return Promise.resolve({ isOk: id !== undefined, id });
      },
    });
    const { system } = this.revisions;
    const object = revisionObject({ limit, version: ++this.#version });
    system.observe({ type: 'seen', kind: 'Revision', object });
    system.synced();
  }

  static async start(options: LoadOptions): Promise<LoadWorld> {
    const world = new LoadWorld(options);
    world.#path = await world.open();
    await world.until(() => world.#served !== undefined);
    return world;
  }

  /** One more request path over the same plane; whoever opens it stops it. */
  open(limits: Partial<RequestLimits> = {}): Promise<RequestPath> {
    return startRequestPath({
      plane: this.revisions.plane,
      demand: this.demand,
      pods: this.clients,
      rules: () => undefined,
      log: this.telemetry.log,
      health: () => undefined,
      listen: { host: '127.0.0.1', http: 0 },
      limits,
    });
  }

  get port(): number {
    return this.path.ports.http;
  }

  get path(): RequestPath {
    if (this.#path === undefined) throw new Error('the request path does not run');
    return this.#path;
  }

  get #served(): ServedRevision | undefined {
    return this.revisions.plane.find(namespace, name);
  }

  get admission(): ServedRevision['admission'] {
    if (this.#served === undefined) throw new Error('the revision is not served');
    return this.#served.admission;
  }

  get waiting(): number {
    const [served] = this.revisions.plane.all();
    return served?.revision.admission.figures.waiting ?? 0;
  }

  /** In the table, by address: its state. */
  get states(): ReadonlyMap<string, string> {
    return new Map(this.admission.table.snapshot().map(({ dest, state }) => [dest, state]));
  }

  /** Turns of the event loop until it is so: no time is part of what is waited for. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** One more pod, which gets requests when this ends. */
  async add(port = 0): Promise<Pod> {
    const pod = new Pod(`pod-${++this.#count}`, this.ledger, this.#workMs);
    await pod.listen(port);
    this.pods.push(pod);
    this.#byDest.set(pod.dest, pod);
    this.list(pod);
    const { dest } = pod;
    await this.until(() => this.states.get(dest) === 'ready');
    return pod;
  }

  async addAll(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.add()));
  }

  /** As a platform does: the pod is not listed any more, ends what it has, and is gone. It closes
   *  its port as soon as the table has let go of it: a request that came later would fail. */
  async remove(pod: Pod): Promise<void> {
    const { dest } = pod;
    this.list(pod, { isListed: false });
    await this.until(() => !this.states.has(dest));
    this.#forget(pod, dest);
    this.#unlist(pod);
    await pod.kill();
  }

  /** As by kill -9, and the endpoints say so some time later, or never. The requests that it had,
   *  as admission counts them: one that was about to arrive too. */
  async kill(pod: Pod, { isListed = false } = {}): Promise<number> {
    const object = this.#slice(pod, isListed);
    this.#forget(pod, pod.dest);
    const had = this.held(pod);
    await pod.kill();
    if (isListed) this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object });
    else this.#unlist(pod);
    return had;
  }

  /** Another revision's, at an address that a pod of this one had. */
  async impostor(dest: string): Promise<Pod> {
    const pod = new Pod('impostor', new Ledger(), this.#workMs);
    await pod.listen(Number(dest.split(':')[1]));
    this.#byDest.set(dest, pod);
    this.#others.push(pod);
    return pod;
  }

  /** Connections that pods have. */
  get connections(): number {
    return this.pods.reduce((sum, { connections }) => sum + connections, 0);
  }

  /** Validations that found somebody else. */
  get reused(): number {
    return this.telemetry.calls.measured.filter(
      ({ family, labels }) =>
        family === 'activator_ready_validations_total' && labels?.['result'] === 'reused',
    ).length;
  }

  /** It gets new requests. */
  isServing(pod: Pod | string): boolean {
    const state = this.states.get(typeof pod === 'string' ? pod : pod.dest);
    return state === 'ready' || state === 'recovering';
  }

  /** Requests that hold a permit of it. */
  held({ dest }: Pod): number {
    const found = this.admission.table.snapshot().find((one) => one.dest === dest);
    return found?.inFlight ?? 0;
  }

  /** It says that it takes no requests, and so do the endpoints. */
  unready(pod: Pod): void {
    this.#byDest.delete(pod.dest);
    this.list(pod, { isReady: false });
  }

  ready(pod: Pod): void {
    this.#byDest.set(pod.dest, pod);
    this.list(pod);
  }

  /** So many pods that answer nobody, in one slice. */
  crowd(part: number, count: number, generation: number): void {
    const listed = Array.from({ length: count }, (_, pod) => ({
      ip: `10.${part}.${pod >> 8}.${pod & 255}`,
      id: `crowd-${part}-${pod}-${generation % 2}`,
      ready: false,
    }));
    const ports = [{ name: 'http', port: 80 }];
    const name = sliceNameOf(`crowd-${part}`);
    const object = sliceObject(listed, { version: ++this.#version, name, ports });
    this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object });
  }

  list(pod: Pod, { isListed = true, isReady = true } = {}): void {
    const object = this.#slice(pod, isListed, isReady);
    this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object });
  }

  #unlist({ id }: Pod): void {
    const ref = { kind: 'EndpointSlice', namespace, name: sliceNameOf(id) } as const;
    this.revisions.system.observe({ type: 'gone', ref, uid: `slice-${ref.name}` });
  }

  #forget(pod: Pod, dest: string): void {
    this.#byDest.delete(dest);
    this.pods.splice(this.pods.indexOf(pod), 1);
  }

  #slice({ id, port }: Pod, isListed: boolean, ready = true): KubeObject {
    const listed = isListed ? [{ ip: '127.0.0.1', id, ready }] : [];
    const ports = [{ name: 'http', port }];
    return sliceObject(listed, { version: ++this.#version, name: sliceNameOf(id), ports });
  }

  /** What was written down so far, of which there is more with every request. */
  forget(): void {
    this.ledger.received.clear();
    for (const calls of Object.values(this.telemetry.calls)) calls.length = 0;
  }

  /** The revision is gone. */
  retire(): void {
    const ref = { kind: 'Revision', namespace, name } as const;
    this.revisions.system.observe({ type: 'gone', ref, uid: 'revision-1' });
  }

  async stop(): Promise<void> {
    await this.path.stop();
    await this.clients.close();
    await this.revisions.stop();
    await Promise.all([...this.pods, ...this.#others].map((pod) => pod.kill()));
  }
}
