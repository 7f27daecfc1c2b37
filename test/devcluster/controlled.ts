// The controller at work on an embedded cluster, in this process and on one virtual clock: for
// scenarios that need both and no faults.
import { soleOwner } from '#actors/shard.ts';
import { createSystem } from '#actors/system.ts';
import { allBehaviours, allRoutes } from '#test/support/modules.ts';
import { parkedStatus } from '#machines/supervision.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { kitSettings } from '#test/support/kit.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { withWorld, type World, type WorldOptions } from './controllers/support.ts';
import { allCrds } from './schema/crd-fixtures.ts';

const user = { name: 'controller', groups: ['system:masters', 'system:authenticated'] };

/** Starts a cluster with all CRDs and a controller, runs the test, and stops both. */
export async function withController(
  options: WorldOptions,
  run: (world: World) => Promise<void>,
): Promise<void> {
  await withWorld(options, async (world) => {
    for (const crd of allCrds()) {
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    const end = await startController(world);
    try {
      await run(world);
    } finally {
      await end();
    }
  });
}

/** The returned function stops it. */
async function startController({ cluster, clock }: World): Promise<() => Promise<void>> {
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
    behaviours: allBehaviours,
    routes: allRoutes,
    settings: kitSettings,
    parkedStatus,
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
  const kinds = allRoutes.map(({ kind }) => kind);
  const reflection = client.reflect(kinds, (observation) => system.observe(observation));
  void reflection.synced.then(
    () => system.synced(),
    () => {},
  );
  return async () => {
    const stopped = system.stop();
    await clock.drain();
    await stopped;
    reflection.stop();
  };
}
