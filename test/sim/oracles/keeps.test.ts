// The oracle over what belongs to others sees each kind of loss, and lets pass what is ours.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { Keeps } from './keeps.ts';
import { Tally } from './tally.ts';

const pods = '/api/v1/namespaces/default/pods';
const gates = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));
const ours = 'grove.io/podgang-pending-creation';
const pod: JsonObject = {
  metadata: {
    name: 'p',
    labels: { 'foreign/mark': 'x' },
    annotations: { 'foreign/mark': 'x' },
    finalizers: ['foreign/hold'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'foreign-owner', uid: 'u' }],
  },
  spec: {
    containers: [{ name: 'main', image: 'registry.example/none:1' }],
    schedulingGates: gates(ours, 'foreign/quota'),
  },
};

/** What the oracle says of a patch of that pod. */
async function judged(patch: JsonObject): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const cluster = createCluster({ clock, random: seeded(1) });
  await cluster.start();
  const violations: string[] = [];
  const tally = new Tally();
  const keeps = new Keeps(cluster.store, tally, (what) => violations.push(what));
  const client = cluster.transport(undefined, 'user');
  const made = await client.request({ method: 'POST', path: pods, body: pod });
  expect(made.status).toBe(201);
  const contentType = 'application/merge-patch+json';
  const request = { method: 'PATCH', path: `${pods}/p`, contentType, body: patch } as const;
  const answer = await keeps.judge(request, () => client.request(request));
  expect(answer.status).toBe(200);
  expect(tally.counts['marks of others']).toEqual({ judged: 1, abstained: {} });
  await cluster.stop();
  return violations;
}

describe('A write of the controller', () => {
  it.each<[string, JsonObject]>([
    ['a gate', { spec: { schedulingGates: [] } }],
    ['an owner', { metadata: { ownerReferences: null } }],
    ['a finalizer', { metadata: { finalizers: null } }],
    ['a label', { metadata: { labels: { 'foreign/mark': null } } }],
    ['an annotation', { metadata: { annotations: null } }],
    ['a field', { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } }],
  ])('must not touch %s of others', async (_what, patch) => {
    expect(await judged(patch)).not.toEqual([]);
  });

  it('may take its own gate off and put its own label on', async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'grove-operator' };
    const spec = { schedulingGates: gates('foreign/quota') };
    expect(await judged({ metadata: { labels }, spec })).toEqual([]);
  });
});
