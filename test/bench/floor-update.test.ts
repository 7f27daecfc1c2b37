// The floor of a rolling update on the embedded cluster in this process: it sends what the list of
// its writes says and nothing else, and leaves the set updated.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { installCrds } from '#src/dev/crds.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { get } from '#test/support/workload.ts';
import { core, grove } from './floor-client.ts';
import { runUpdateFloor } from './floor-update.ts';
import { writesOf } from './floor-writes.ts';
import { Harness, type Measure } from './harness.ts';
import { updatedImage } from './observer/claims.ts';
import type { Result } from './statistics.ts';
import { namespace, openNamespace } from './workload.ts';

const replicas = 2;
let cluster: Cluster;

/** Milestones are the observer's, which is not looked at here. */
const measure: Measure = (requests = () => Promise.resolve({})) =>
  new Harness(
    { observer: { until: () => Promise.resolve(0) }, usages: () => Promise.resolve({}), requests },
    { quietSeconds: 0, say: () => {} },
  );

const run = (options: { patienceMs?: number } = {}): Promise<Result> =>
  runUpdateFloor({ connect: () => cluster.transport() }, measure, {
    replicas,
    inFlight: 64,
    ...options,
  });

/** By the keys of the list. */
const sent = (result: Result): Record<string, number> => {
  const counts = Object.entries(Object(result['floor_requests']));
  return Object.fromEntries(counts.map(([key, count]) => [key.replace(' 2xx', ''), Number(count)]));
};

describe('The floor of a rolling update', () => {
  beforeAll(async () => {
    cluster = createCluster({ clock: systemClock, random: seeded(1), nodes: 3 });
    await cluster.start();
    await installCrds(cluster.transport());
    await openNamespace(cluster.transport(), namespace);
  });
  afterAll(() => cluster.stop());

  test('sends what its list says, and all pods and statuses are those of the new template', async () => {
    expect(sent(await run())).toEqual(writesOf(replicas));
    const pods = list(at(await get(cluster.transport(), `${core}/pods`), 'items'));
    const staying = pods.filter((pod) => at(pod, 'metadata', 'deletionTimestamp') === undefined);
    const images = staying.map((pod) => at(list(at(pod, 'spec', 'containers'))[0], 'image'));
    expect(images).toEqual(Array(2 * replicas).fill(updatedImage));
    const [set] = list(at(await get(cluster.transport(), `${grove}/podcliquesets`), 'items'));
    expect(at(set, 'status')).toMatchObject({
      updatedReplicas: replicas,
      updateProgress: { updateEndedAt: expect.any(String), updatedPodCliquesCount: replicas },
    });
  });
});
