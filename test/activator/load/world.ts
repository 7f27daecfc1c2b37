// An activator on real sockets in the process of a test: the actors on the system's clock, the data
// plane, a request path, and pods that come and go as EndpointSlices say. Each pod has a slice of
// its own, as each has a port of its own.
import type { AddressInfo } from 'node:net';
import { activatorFamilies } from '#machines/activator/families.ts';
import { activator } from '#machines/activator/module.ts';
import type { ActivatorInput } from '#machines/activator/settings.ts';
import type { Module } from '#machines/contract/module.ts';
import type { Requests } from '#src/activator/served-revision.ts';
import { type Revisions, superviseRevisions } from '#src/activator/supervise.ts';
import { systemClock, systemIds } from '#src/time/clock.ts';
import { revisionKey, revisionObject } from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { admittedPipe, type AdmittedPipe } from './admitted-pipe.ts';
import { Ledger, Pod } from './pods.ts';

const { namespace, name } = revisionKey;

export interface LoadOptions {
  /** Requests that a pod takes at once; 0: any number. */
  readonly limit: number;
  readonly workMs?: () => number;
  readonly module?: Module<ActivatorInput>;
}

export class LoadWorld {
  readonly ledger = new Ledger();
  readonly pods: Pod[] = [];
  readonly revisions: Revisions;
  readonly path: AdmittedPipe;
  readonly telemetry = recordingTelemetry(activatorFamilies);
  readonly #workMs: () => number;
  /** Who is at an address. */
  readonly #byDest = new Map<string, Pod>();
  #count = 0;
  #version = 0;

  private constructor({ limit, workMs = () => 1, module = activator }: LoadOptions) {
    this.#workMs = workMs;
    this.revisions = superviseRevisions({
      clock: systemClock,
      random: seeded(1),
      ids: systemIds(),
      cluster: new FakeCluster(systemClock),
      telemetry: this.telemetry,
      module,
      probe: ({ dest }) => {
        const id = this.#byDest.get(dest)?.id;
        return Promise.resolve({ isOk: id !== undefined, id });
      },
    });
    this.path = admittedPipe(() => this.#served);
    const { system } = this.revisions;
    const object = revisionObject({ limit, version: ++this.#version });
    system.observe({ type: 'seen', kind: 'Revision', object });
    system.synced();
  }

  static async start(options: LoadOptions): Promise<LoadWorld> {
    const world = new LoadWorld(options);
    await new Promise<void>((resolve) => world.path.server.listen(0, '127.0.0.1', resolve));
    await world.until(() => world.#served !== undefined);
    return world;
  }

  get port(): number {
    return (this.path.server.address() as AddressInfo).port;
  }

  get #served(): Requests | undefined {
    return this.revisions.plane.find(namespace, name);
  }

  get admission(): Requests['admission'] {
    if (this.#served === undefined) throw new Error('the revision is not served');
    return this.#served.admission;
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
    await pod.kill();
  }

  /** As by kill -9, and the endpoints say so some time later. The requests that it cut off. */
  async kill(pod: Pod): Promise<number> {
    const { dest } = pod;
    this.#forget(pod, dest);
    const slice = this.#slice(pod, false);
    const cut = await pod.kill();
    this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object: slice });
    return cut;
  }

  list(pod: Pod, { isListed = true, isReady = true } = {}): void {
    const object = this.#slice(pod, isListed, isReady);
    this.revisions.system.observe({ type: 'seen', kind: 'EndpointSlice', object });
  }

  #forget(pod: Pod, dest: string): void {
    this.#byDest.delete(dest);
    this.pods.splice(this.pods.indexOf(pod), 1);
  }

  #slice({ id, port }: Pod, isListed: boolean, ready = true) {
    return {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        namespace,
        name: `${name}-private-${id}`,
        uid: `slice-${id}`,
        resourceVersion: String(++this.#version),
        labels: { 'kubernetes.io/service-name': `${name}-private` },
      },
      ports: [{ name: 'http', port }],
      endpoints: isListed
        ? [
            {
              addresses: ['127.0.0.1'],
              conditions: { ready },
              targetRef: { kind: 'Pod', uid: id },
            },
          ]
        : [],
    };
  }

  async stop(): Promise<void> {
    await this.path.close();
    await this.revisions.stop();
    await Promise.all(this.pods.map((pod) => pod.kill()));
  }
}
