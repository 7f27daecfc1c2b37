// ClusterTopologyBindings on a real controller process: KAI is enabled before its CRD is there,
// then the CRD comes, the Topology follows, and an edit of the levels puts another in its place.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { kaiTopologyCrd } from '#test/support/backends.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import { get, must } from '#test/support/workload.ts';

const place = new Place();
beforeAll(() => place.start({ nodes: 1 }), 60_000);
afterAll(() => place.end());

const bindings = '/apis/grove.io/v1alpha1/clustertopologybindings';
const topologies = '/apis/kai.scheduler/v1alpha1/topologies';
const levels = (...keys: readonly string[]) =>
  keys.map((key, index) => ({ domain: `level-${index}`, key }));

const drift = async (): Promise<unknown> => {
  const one = await get(place.client, `${bindings}/dc`);
  return at(list(at(one, 'status', 'conditions'))[0], 'reason');
};
const keys = async (): Promise<unknown[]> => {
  const { body } = await place.client.request({ method: 'GET', path: `${topologies}/dc` });
  return list(at(body, 'spec', 'levels')).map((level) => at(level, 'nodeLabel'));
};

test('a binding has a Topology as soon as KAI is there, and another for other levels', async () => {
  const { client } = place;
  const profiles = [{ name: 'kai-scheduler' }];
  const { program } = await place.controller({ scheduler: { profiles } });
  await program.line(/controller synced/);
  await must(client, {
    method: 'POST',
    path: bindings,
    body: {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'ClusterTopologyBinding',
      metadata: { name: 'dc' },
      spec: { levels: levels('zone', 'rack') },
    },
  });
  await eventually('drifted', drift, (reason) => reason === 'Drift');
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await must(client, { method: 'POST', path, body: kaiTopologyCrd });
  await eventually('in sync', drift, (reason) => reason === 'InSync', 90_000);
  expect(await keys()).toEqual(['zone', 'rack']);

  await must(client, {
    method: 'PATCH',
    path: `${bindings}/dc`,
    contentType: 'application/merge-patch+json',
    body: { spec: { levels: levels('zone', 'rack', 'host') } },
  });
  await eventually('of three levels', keys, ({ length }) => length === 3, 90_000);
  expect(await keys()).toEqual(['zone', 'rack', 'host']);

  const events = await get(client, '/api/v1/namespaces/default/events');
  const reasons = list(at(events, 'items')).map((one) => at(one, 'reason'));
  expect(reasons).toContain('TopologyDriftDetected');
  expect(reasons).toContain('TopologyInSync');
  await must(client, { method: 'DELETE', path: `${bindings}/dc` });
  await eventually('collected', keys, ({ length }) => length === 0);
}, 240_000);
