// Golden graphs: what becomes of the worked example of spec api 4.4 and of every sample of the
// chart - names, labels, owners, finalizers, environment, gangs with their references - against
// checked-in texts. `npx vitest run -u` writes them anew; look at the difference.
import { describe, expect, it } from 'vitest';
import { isObject } from '#machines/json.ts';
import type { JsonObject, KubeObject } from '#machines/objects.ts';
import { applyDefaults } from '#src/devcluster/schema/structural.ts';
import { allSamples, crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';
import { enrolledSet, gpuContainer } from '#test/support/domains.ts';
import { renderGraph } from '#test/support/graph.ts';
import { outsideTemplates, sharingSet } from '#test/support/sharing.ts';
import { aware, fabric, placedSet } from '#test/support/topology.ts';
import { groupedSet, scheduledBy } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const schema = crdSchema('podcliquesets');

const clique = (name: string, replicas: number): JsonObject => ({
  name,
  spec: { roleName: name, replicas, podSpec: { containers: [{ name: 'main', image: 'x' }] } },
});

const workedExample = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'mn-disagg' },
  spec: {
    replicas: 1,
    template: {
      cliques: [clique('frontend', 2), clique('pleader', 1), clique('pworker', 3)],
      podCliqueScalingGroups: [
        { name: 'prefill', cliqueNames: ['pleader', 'pworker'], replicas: 2, minAvailable: 1 },
      ],
    },
  },
};

/** Every layer of the annotation, and a clique without GPUs. */
const nvlinkGroups = enrolledSet(
  1,
  'rack',
  [
    { name: 'router', podSpec: { containers: [{ name: 'main', image: 'x' }] } },
    { name: 'cache', group: 'none' },
    { name: 'embed' },
    {
      name: 'lead',
      podSpec: { initContainers: [gpuContainer('1', 'requests')], containers: [{ name: 'log' }] },
    },
    { name: 'hand', group: 'own' },
  ],
  { cliqueNames: ['lead', 'hand'], group: 'pack' },
);

const isKubeObject = (value: unknown): value is KubeObject =>
  isObject(value) && isObject(value['metadata']) && typeof value['kind'] === 'string';

/** As the API server would store it, with the schema's defaults. */
function stored(manifest: unknown): KubeObject {
  const object: unknown = structuredClone(manifest);
  if (!isKubeObject(object)) throw new Error('no object');
  applyDefaults(schema, object);
  return { ...object, metadata: { ...object.metadata, namespace: 'default' } };
}

function graphOf(
  manifest: unknown,
  options?: WorldOptions,
  others: readonly KubeObject[] = [],
): string {
  const world = new World(options);
  for (const other of others) world.create(other);
  world.create(stored(manifest));
  world.converge();
  return renderGraph(world.objects.values());
}

describe('the golden graph', () => {
  it('of the worked example in spec api 4.4 is as written', async () => {
    await expect(graphOf(workedExample)).toMatchFileSnapshot('golden/worked-example.txt');
  });

  it('of a set with topology constraints at all levels is as written', async () => {
    const graph = graphOf(placedSet(), aware, [fabric()]);
    await expect(graph).toMatchFileSnapshot('golden/topology.txt');
  });

  it('of a set with groups for NVLink is as written', async () => {
    await expect(graphOf(nvlinkGroups)).toMatchFileSnapshot('golden/nvlink-groups.txt');
  });

  it('of that set for KAI is as written', async () => {
    const set = scheduledBy(placedSet(), 'kai-scheduler', { 'kai.scheduler/queue': 'team' });
    await expect(graphOf(set, aware, [fabric()])).toMatchFileSnapshot('golden/kai.txt');
  });

  it('of a set with a scaling group for Volcano is as written', async () => {
    const queue = { 'scheduling.grove.io/volcano-queue': 'team' };
    const set = scheduledBy(groupedSet(1), 'volcano', queue);
    await expect(graphOf(set)).toMatchFileSnapshot('golden/volcano.txt');
  });

  it('of a set that shares claims at all levels is as written', async () => {
    const graph = graphOf(sharingSet(), {}, outsideTemplates('default'));
    await expect(graph).toMatchFileSnapshot('golden/sharing.txt');
  });

  it.each(allSamples())('of the sample %s is as written', async (file, sample) => {
    const name = file.replace('.yaml', '.txt');
    await expect(graphOf(sample)).toMatchFileSnapshot(`golden/${name}`);
  });
});
