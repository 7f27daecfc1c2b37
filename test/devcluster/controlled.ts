// The controller at work on an embedded cluster, in this process and on one virtual clock: for
// scenarios that need both and no faults.
import { soleOwner } from '#actors/shards/shard.ts';
import { createSystem } from '#actors/system.ts';
import type { ActorSystem } from '#actors/system.ts';
import { withSettings, type Module } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import { isWatched } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { kitSettings } from '#test/support/kit.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { withWorld, type World, type WorldOptions } from './controllers/support.ts';
import { allCrds } from './schema/crd-fixtures.ts';

const user = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

interface Served {
  readonly modules: readonly Module[];
  readonly crds: readonly JsonObject[];
}

/** Starts a cluster and a controller, by default with all CRDs and modules, runs the test, and
 *  stops both. */
export async function withController(
  options: WorldOptions,
  run: (world: World, system: ActorSystem) => Promise<void>,
  served: Served = { modules: [withSettings(grove, kitSettings)], crds: allCrds() },
): Promise<void> {
  await withWorld(options, async (world) => {
    for (const crd of served.crds) {
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    const { system, end } = startController(world, served.modules);
    try {
      await run(world, system);
    } finally {
      await end();
    }
  });
}

export interface Controller {
  readonly system: ActorSystem;
  readonly end: () => Promise<void>;
}

export function startController({ cluster, clock }: World, served: readonly Module[]): Controller {
  const random = seeded(7);
  const telemetry = recordingTelemetry();
  const client = createKubeClient({
    transport: cluster.transport(user, 'coppice-controller'),
    clock,
    random,
    log: telemetry.log,
    host: 'embedded',
  });
  let ids = 0;
  const system = createSystem({
    behaviours: served.flatMap(({ behaviours }) => behaviours),
    routes: served.flatMap(({ routes }) => routes),
    ports: {
      cluster: client.cluster,
      clock,
      random,
      ids: { next: () => String(++ids) },
      lease: soleOwner(1),
      telemetry,
    },
    delivery: 'direct',
  });
  const kinds = new Set(served.flatMap((module) => module.kinds));
  const reflection = client.reflect([...kinds].filter(isWatched), (observation) =>
    system.observe(observation),
  );
  void reflection.synced.then(
    () => system.synced(),
    () => {},
  );
  const end = async (): Promise<void> => {
    const stopped = system.stop();
    await clock.drain();
    await stopped;
    reflection.stop();
  };
  return { system, end };
}
