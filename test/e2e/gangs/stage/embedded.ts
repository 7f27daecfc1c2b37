// The embedded cluster under a scenario: a new one for each, in this process and on a virtual
// clock, so that no scenario waits. Used by embedded.test.ts.
import { withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import { text, at } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { startController } from '#test/devcluster/controlled.ts';
import { withWorld, type World } from '#test/devcluster/controllers/support.ts';
import { allCrds } from '#test/devcluster/schema/crd-fixtures.ts';
import { kitSettings } from '#test/support/kit.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import type { Cluster } from './cluster.ts';
import { Scene, type Scenario } from './scene.ts';

const limitMs = 300_000;
const modules = [withSettings(grove, kitSettings)];

export const playEmbedded = ({ run }: Scenario): Promise<void> =>
  withWorld({ nodes: 0 }, async (world) => {
    for (const crd of allCrds()) {
      await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    }
    let controller = startController(world, modules);
    const client = world.cluster.transport();
    const onlooker = new Onlooker(client);
    await onlooker.synced;
    const cluster: Cluster = {
      client,
      onlooker,
      now: () => world.clock.now(),
      until: async (what, claim, tell) => {
        if (await world.clock.until(claim, limitMs)) return;
        throw new Error(`not ${what}: ${JSON.stringify(tell(), undefined, 1)}`);
      },
      drain: (node, namespace) => drain({ client, world }, node, namespace),
      endController: () => controller.end(),
      startController: () => {
        controller = startController(world, modules);
        return Promise.resolve();
      },
    };
    try {
      await run(new Scene(cluster, 'default'));
    } finally {
      onlooker.stop();
      await controller.end();
    }
  });

interface Drained {
  readonly client: KubeTransport;
  readonly world: World;
}

/** As `kubectl drain` does. */
async function drain({ client, world }: Drained, node: string, namespace: string): Promise<void> {
  const body = { spec: { unschedulable: true } };
  const contentType = 'application/merge-patch+json';
  await client.request({ method: 'PATCH', path: `/api/v1/nodes/${node}`, contentType, body });
  for (const { metadata, ...pod } of world.stored('/pods')) {
    if (at(pod, 'spec', 'nodeName') !== node) continue;
    const name = text(metadata['name']);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    await client.request({ method: 'POST', path, body: eviction });
  }
}
