// ComputeDomains on real controller processes: a start without their API, sets with groups, one
// that somebody deletes, and what is left when the switch is turned off.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { crd } from '#test/devcluster/schema/crd-fixtures.ts';
import { enrolledSet } from '#test/support/domains.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import { deleteSet, get, must, patchSet, setsIn } from '#test/support/workload.ts';

const place = new Place();
beforeAll(() => place.start({ nodes: 2 }), 60_000);
afterAll(() => place.end());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const isOn = { network: { autoMNNVLEnabled: true } };
const collection = '/apis/resource.nvidia.com/v1beta1/namespaces/default/computedomains';

const items = async (path: string): Promise<readonly unknown[]> =>
  list(at(await get(place.client, path), 'items'));
const domains = async (): Promise<readonly string[]> =>
  (await items(collection)).map((one) => text(at(one, 'metadata', 'name')));
const available = async (): Promise<unknown> =>
  at(await get(place.client, `${setsIn('default')}/demo`), 'status', 'availableReplicas');
const isGone = async (): Promise<boolean> =>
  (await place.client.request({ method: 'GET', path: `${setsIn('default')}/demo` })).status === 404;

/** The template of the one claim of a pod, which has the name of its ComputeDomain. */
const claimOf = (pod: unknown): unknown =>
  at(list(at(pod, 'spec', 'resourceClaims'))[0], 'resourceClaimTemplateName');

/** Two replicas of a clique in the group `train`, all available. */
async function deploy(): Promise<void> {
  const body = enrolledSet(2, 'train', [{ name: 'worker' }]);
  const metadata = { ...body.metadata, namespace: 'default' };
  const path = setsIn('default');
  await must(place.client, { method: 'POST', path, body: { ...body, metadata } });
  await eventually('available', available, (count) => count === 2);
}

test('a controller that shall make ComputeDomains ends with code 7 without their API', async () => {
  const path = `${definitions}/computedomains.resource.nvidia.com`;
  await must(place.client, { method: 'DELETE', path });
  const file = place.writeConfiguration(isOn);
  const flags = ['--config', file, '--kubeconfig', place.kubeconfig];
  const program = place.programs.coppice('controller', ...flags);
  await program.line(/does not serve computedomains in resource.nvidia.com\/v1beta1; install/);
  expect(await program.ended).toEqual({ code: 7, signal: null });
}, 120_000);

test('a set has a ComputeDomain per group and replica, as long as it has the replica', async () => {
  await must(place.client, { method: 'POST', path: definitions, body: crd('computedomains') });
  await eventually(
    'served',
    () => place.client.request({ method: 'GET', path: collection }),
    ({ status }) => status === 200,
  );
  const { program } = await place.controller(isOn);
  await program.line(/controller synced/);
  await deploy();
  expect(await domains()).toEqual(['demo-0-train', 'demo-1-train']);
  const pods = await items('/api/v1/namespaces/default/pods');
  expect(new Set(pods.map(claimOf))).toEqual(new Set(['demo-0-train', 'demo-1-train']));

  const before = at(await get(place.client, `${collection}/demo-0-train`), 'metadata', 'uid');
  await must(place.client, { method: 'DELETE', path: `${collection}/demo-0-train` });
  await eventually(
    'made again',
    async () => (await items(collection)).map((one) => at(one, 'metadata', 'uid')),
    (uids) => uids.length === 2 && !uids.includes(before),
  );
  await patchSet(place.client, 'default', 'demo', { spec: { replicas: 0 } });
  await eventually('without ComputeDomains', domains, ({ length }) => length === 0);
  await deleteSet(place.client, 'default', 'demo');
  await eventually('gone', isGone, Boolean);
  const events = await items('/api/v1/namespaces/default/events');
  const reasons = events.map((one) => at(one, 'reason'));
  expect(reasons).toContain('ComputeDomainCreateSuccessful');
  expect(reasons).toContain('ComputeDomainDeleteSuccessful');

  await deploy();
  program.signal('SIGTERM');
  await program.ended;
}, 240_000);

test('a controller without the switch lets go of what is left, and makes none (gap 11)', async () => {
  const { program } = await place.controller();
  await program.line(/ComputeDomains are there although network.autoMNNVLEnabled is false/);
  await program.line(/controller synced/);
  await patchSet(place.client, 'default', 'demo', { spec: { replicas: 3 } });
  await eventually('available', available, (count) => count === 3);
  expect(await domains()).toEqual(['demo-0-train', 'demo-1-train']);
  await patchSet(place.client, 'default', 'demo', { spec: { replicas: 1 } });
  await eventually('scaled in', domains, ({ length }) => length === 1);
  await deleteSet(place.client, 'default', 'demo');
  await eventually('without ComputeDomains', domains, ({ length }) => length === 0);
  await eventually('gone', isGone, Boolean);
}, 120_000);
