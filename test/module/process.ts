// The module alone in a whole process: put together by the product's own composition root, on an
// embedded cluster and a virtual clock. Only what it serves over HTTP is real.
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Module } from '#machines/contract/module.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { startController, type Controller } from '#src/controller/start.ts';
import { FaultPlan, type FaultRule } from '#src/devcluster/faults.ts';
import type { RequestRecord } from '#src/devcluster/requests.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import type { ModuleEdge } from '#src/modules/edge.ts';
import { withWorld, type World } from '#test/devcluster/controllers/support.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { crdsWithout, kinds } from './shop.ts';

const user = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

const host = 'embedded';

const configuration: Configuration = {
  ...defaultConfiguration,
  bus: { ...defaultConfiguration.bus, enabled: false },
  server: {
    bindAddress: '127.0.0.1',
    metricsBindAddress: undefined,
    healthPort: 0,
    metricsPort: 0,
  },
};

/** What happened, counted without the product's metrics. */
export interface Seen {
  /** Reconciles of each kind of actor. */
  readonly reconciles: Readonly<Record<'printer' | 'job', { all: number; thrown: number }>>;
  /** Requests of the controller, as the server has answered them. */
  readonly requests: readonly RequestRecord[];
}

export interface Process {
  readonly world: World;
  readonly system: Controller['system'];
  readonly seen: Seen;
  readonly scrape: () => Promise<Exposition>;
}

/** `faults`: of the server. */
export async function withProcess(
  module: Module,
  run: (process: Process) => Promise<void>,
  faults: readonly FaultRule[] = [],
): Promise<void> {
  await withWorld({ nodes: 0, faults: new FaultPlan(faults) }, async (world) => {
    for (const crd of crdsWithout()) {
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    const requests: RequestRecord[] = [];
    world.cluster.requests.onRequest((one) => {
      if (one.user === user.name) requests.push(one);
    });
    const reconciles = { printer: { all: 0, thrown: 0 }, job: { all: 0, thrown: 0 } };
    const behaviours = module.behaviours.map((one) => counted(one, reconciles));
    const controller = await start(world, { ...module, behaviours });
    try {
      await world.clock.advance(1_000);
      const { system, metricsUrl } = controller;
      const seen = { reconciles, requests };
      await run({ world, system, seen, scrape: () => scrape(metricsUrl) });
    } finally {
      const stopped = controller.stop();
      await world.clock.drain();
      await stopped;
    }
  });
}

function counted(behaviour: Behaviour, counts: Seen['reconciles']): Behaviour {
  const { kind } = behaviour;
  if (kind !== 'printer' && kind !== 'job') throw new Error(`${kind} is not of the module`);
  return {
    ...behaviour,
    reconcile: (...given) => {
      counts[kind].all++;
      try {
        return behaviour.reconcile(...given);
      } catch (error) {
        counts[kind].thrown++;
        throw error;
      }
    },
  };
}

function start({ cluster, clock }: World, module: Module): Promise<Controller> {
  let ids = 0;
  const edge: ModuleEdge = {
    // The configuration has no other switch, and nobody asks for it here.
    name: 'grove',
    module: () => module,
    preflight: async () => kinds,
  };
  const transport = cluster.transport(user, 'coppice-controller');
  return startController({
    configuration,
    connection: {
      server: `https://${host}`,
      tls: { insecure: false },
      namespace: 'default',
      credentials: fixedCredentials(),
    },
    transport: {
      host,
      request: (request) => transport.request(request),
      watch: (path, sink) => transport.watch(path, sink),
      close: () => Promise.resolve(),
    },
    clock,
    random: seeded(7),
    ids: { next: () => String(++ids) },
    log: { line: () => {}, level: () => 'info', setLevel: () => {}, close: () => {} },
    version: 'test',
    modules: [edge],
  });
}
