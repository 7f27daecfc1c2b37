// An embedded cluster on a virtual clock with a controller whose every step is measured, for the
// poison and restart-storm tests: no faults, only hostile objects.
import type { Clock } from '#actors/ports.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import { createSystem } from '#actors/system.ts';
import { withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import { createCluster, type Cluster } from '#src/devcluster/cluster.ts';
import { grovePlugin } from '#src/devcluster/plugins/grove/index.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { maxRequestsInFlight } from '#src/kube/limits.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { recordingTelemetry, type RecordingTelemetry } from '#test/support/telemetry.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { settings } from '#test/support/world.ts';
import { crds } from './crds.ts';
import { StepMeter } from './steps.ts';

export interface PoisonWorldOptions {
  readonly seed: number;
  readonly nodes?: number;
  /** Serve the kinds without a schema, as a server does whose CRDs say nothing. */
  readonly isLax?: boolean;
  /** False: no scheduler, kubelet and so on. */
  readonly controllers?: false;
}

export class PoisonWorld {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly meter = new StepMeter();
  readonly telemetry: RecordingTelemetry = recordingTelemetry();
  readonly user: KubeTransport;
  /** Creates of the controller that were done, by `namespace plural`. */
  readonly creates = new Map<string, number>();
  readonly #options: PoisonWorldOptions;
  readonly #ends: (() => unknown)[] = [];

  constructor(options: PoisonWorldOptions) {
    this.#options = options;
    const { clock } = this;
    const random = seeded(options.seed);
    const { nodes = 20, controllers } = options;
    const others = controllers === undefined ? {} : { controllers };
    this.cluster = createCluster({ clock, random, nodes, plugins: [grovePlugin], ...others });
    this.user = this.cluster.transport(undefined, 'user');
    this.cluster.requests.onRequest(({ verb, code, user, namespace, resource }) => {
      if (verb !== 'create' || code !== 201 || user !== controller.name) return;
      const key = `${namespace} ${resource}`;
      this.creates.set(key, (this.creates.get(key) ?? 0) + 1);
    });
  }

  async start(): Promise<void> {
    const definitions = crds(this.#options.isLax === true);
    await this.cluster.start();
    await this.clock.drain();
    for (const body of definitions) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await this.ask({ method: 'POST', path, body });
      await this.clock.drain();
    }
    await this.clock.advance(1_000);
  }

  ask(request: KubeRequest): Promise<KubeResponse> {
    return this.user.request(request);
  }

  /** The controller as it is put together in a process, on this world's clock. */
  startController(): void {
    const { cluster, meter, telemetry } = this;
    const clock = meter.clock(this.clock);
    const random = seeded(this.#options.seed + 1);
    const transport = slowed(cluster.transport(controller, 'coppice-controller'), clock);
    const { log } = telemetry;
    const client = createKubeClient({ clock, random, transport, log, host: 'poison' });
    let ids = 0;
    const system = createSystem({
      behaviours: withSettings(grove, settings).behaviours,
      routes: grove.routes,
      ports: {
        clock,
        random,
        cluster: client.cluster,
        ids: { next: () => `p-${++ids}` },
        lease: soleOwner(),
        telemetry,
      },
      delivery: 'direct',
      limits: { writesInFlight: maxRequestsInFlight },
    });
    const reflection = client.reflect(
      grove.routes.map(({ kind }) => kind),
      (observation) => system.observe(observation),
      { echoed: (kind, version) => system.echoed(kind, version) },
    );
    void reflection.synced.then(() => system.synced());
    this.#ends.push(() => reflection.stop());
    this.#ends.push(() => system.stop());
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.toReversed()) {
      const ended = end();
      await this.clock.advance(6_000);
      await ended;
    }
    this.meter.stop();
    await this.cluster.stop();
  }
}

const controller = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

const requestMs = 5;

/** Requests take a moment, and what comes of them is measured with the step that brings it. */
function slowed(inner: KubeTransport, clock: Clock): KubeTransport {
  const wait = (): Promise<void> =>
    new Promise((resolve) => clock.at(clock.now() + requestMs, resolve));
  return {
    request: async (request) => {
      await wait();
      const response = await inner.request(request);
      await wait();
      return response;
    },
    watch: (path, sink) =>
      inner.watch(path, {
        event: (event) => clock.soon(() => sink.event(event)),
        closed: (reason) => clock.soon(() => sink.closed(reason)),
      }),
  };
}
