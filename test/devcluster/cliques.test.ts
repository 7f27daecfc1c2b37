// Cliques on the embedded cluster after their controller has ended: daemons come and go, and the
// garbage collector does its work.
import { expect, it } from 'vitest';
import { withSettings } from '#machines/contract/module.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { nvidiaPlugin } from '#src/devcluster/plugins/nvidia/index.ts';
import { nvidiaSettings } from '#test/support/nvidia.ts';
import { startController } from './controlled.ts';
import { isReady, withWorld, type World } from './controllers/support.ts';
import { crd } from './schema/crd-fixtures.ts';

const driver = 'driver';
const nvidiaApi = '/apis/resource.nvidia.com/v1beta1';
const cliques = `${nvidiaApi}/namespaces/${driver}/computedomaincliques`;
const size = 3;

/** Nodes of one fabric, and a domain with a workload on each. */
async function furnish(world: World): Promise<void> {
  for (const plural of ['computedomains', 'computedomaincliques']) {
    await world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd(plural));
  }
  await world.create('/api/v1/namespaces', { metadata: { name: driver } });
  const account = { metadata: { name: 'compute-domain-daemon-service-account' } };
  await world.create(`/api/v1/namespaces/${driver}/serviceaccounts`, account);
}

async function deploy(world: World): Promise<void> {
  await world.create(`${nvidiaApi}/namespaces/default/computedomains`, {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata: { name: 'mesh' },
    spec: { numNodes: 0, channel: { resourceClaimTemplate: { name: 'mesh' } } },
  });
  for (let node = 0; node < size; node++) {
    await world.createPod(`work-${node}`, {
      nodeName: `node-${node}`,
      resourceClaims: [{ name: 'channel', resourceClaimTemplateName: 'mesh' }],
    });
  }
}

const daemons = (world: World) =>
  world.stored('/pods').filter(({ metadata }) => at(metadata, 'namespace') === driver);

/** Of the one clique, by index. */
async function rows(world: World): Promise<readonly unknown[]> {
  const all = (await world.list(cliques)).flatMap((one) => list(one['daemons']));
  return all.toSorted((one, other) => Number(at(one, 'index')) - Number(at(other, 'index')));
}

const status = async (world: World): Promise<unknown> =>
  at(await world.get(`${nvidiaApi}/namespaces/default/computedomains/mesh`), 'status');

const start = (world: World) => startController(world, [withSettings(nvidia, nvidiaSettings)]);

/** A domain whose controller has ended, and what that has left. */
const withOrphans = (
  run: (world: World, left: { rows: readonly unknown[]; status: unknown }) => Promise<void>,
): Promise<void> =>
  withWorld({ nodes: size, plugins: [nvidiaPlugin] }, async (world) => {
    await furnish(world);
    const { end } = start(world);
    await deploy(world);
    await world.clock.advance(60_000);
    await end();
    await run(world, { rows: await rows(world), status: await status(world) });
  });

/** One after the other, each with its successor. */
async function replaceDaemons(world: World, stays?: unknown): Promise<void> {
  for (const { metadata, spec } of daemons(world)) {
    if (at(spec, 'nodeName') === stays) continue;
    const path = `/api/v1/namespaces/${driver}/pods/${text(at(metadata, 'name'))}`;
    await world.client.send({ method: 'DELETE', path });
    await world.clock.advance(60_000);
  }
}

it('Rows of a clique and the readiness of its domain stay while there is no controller, though daemons are replaced (A-46)', () =>
  withOrphans(async (world, before) => {
    await replaceDaemons(world, at(before.rows.at(-1), 'nodeName'));
    expect({ rows: await rows(world), status: await status(world) }).toEqual(before);
    expect(daemons(world).filter(isReady)).toHaveLength(size);
    expect(before.status).toMatchObject({ status: 'Ready' });
    expect(before.rows.map((row) => at(row, 'status'))).toEqual(['Ready', 'Ready', 'Ready']);
  }));

it('A clique that the garbage collector took with the last of its daemons meanwhile is made anew with the same indices (A-38)', () =>
  withOrphans(async (world, before) => {
    await replaceDaemons(world);
    expect(await rows(world)).toEqual([]);
    const { end } = start(world);
    await world.clock.advance(60_000);
    const indices = (all: readonly unknown[]) =>
      all.map((row) => [at(row, 'nodeName'), at(row, 'index'), at(row, 'status')]);
    expect(indices(await rows(world))).toEqual(indices(before.rows));
    await end();
  }));
