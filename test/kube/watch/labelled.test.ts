// Kinds of which only the objects with a label are listed and watched, and rows that select
// different objects of one kind of the API.
import { expect, test } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { isSelected, listPath, objectPath, watchPath } from '#src/kube/paths.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { list } from '../support/objects.ts';
import { short } from '../support/reflecting.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';
import { workerLabel } from '../support/workers.ts';

const query = `labelSelector=${encodeURIComponent(workerLabel)}`;
const managed = { 'app.kubernetes.io/managed-by': 'grove-operator' };
const worker = { [workerLabel]: '' };

test('lists and watches of such a kind ask for the label, with any value', () => {
  expect(listPath('WorkerPod', 500)).toBe(`/api/v1/pods?limit=500&${query}`);
  expect(watchPath('WorkerNode', '7', 45)).toMatch(/^\/api\/v1\/nodes\?watch=true&/);
  expect(watchPath('WorkerNode', '7', 45)).toContain(query);
  expect(
    new URLSearchParams(listPath('OwnWorkerPod', 5).split('?', 2)[1]).get('labelSelector'),
  ).toBe(`app.kubernetes.io/managed-by=grove-operator,${workerLabel}`);
});

test('an object is selected by each kind whose labels it has', () => {
  const selecting = (labels: Record<string, string>): string[] => {
    const kinds = ['Pod', 'WorkerPod', 'OwnWorkerPod', 'PodClique'] as const;
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels } };
    return kinds.filter((kind) => isSelected(kind, object));
  };
  expect(selecting({})).toEqual(['PodClique']);
  expect(selecting(worker)).toEqual(['WorkerPod', 'PodClique']);
  expect(selecting({ [workerLabel]: 'x', ...managed })).toHaveLength(4);
  expect(selecting(managed)).toEqual(['Pod', 'PodClique']);
});

const pod = (name: string, version: number, labels: Record<string, string>) => ({
  metadata: { name, namespace: 'default', uid: name, resourceVersion: String(version), labels },
});

function following(kinds: readonly Kind[]) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const told: string[] = [];
  const options = { transport, clock, random: seeded(1), host: 'server', log: () => {} };
  const reflection = createKubeClient(options).reflect(kinds, (observation) => {
    const { type } = observation;
    const kind = type === 'seen' ? observation.kind : observation.ref.kind;
    const isDoubtful = type === 'gone' && observation.isSure === false;
    told.push(`${kind} ${short(observation)}${isDoubtful ? '?' : ''}`);
  });
  return { clock, transport, told, reflection };
}

test('two rows of one kind of the API are listed and watched apart, each under its own name', async () => {
  const { clock, transport, told, reflection } = following(['WorkerPod', 'OwnWorkerPod']);
  await clock.drain();
  const [all, own] = transport.requests;
  const labels = { ...worker, ...managed };
  all?.answer(200, list(5, [pod('a', 3, worker), pod('b', 4, labels)]));
  own?.answer(200, list(5, [pod('b', 4, labels)]));
  await clock.drain();
  expect(told).toEqual(['WorkerPod +a@3', 'WorkerPod +b@4', 'OwnWorkerPod +b@4']);
  const watch = transport.watches.find(({ path }) => !path.includes('managed-by'));
  watch?.send('MODIFIED', pod('b', 6, labels));
  expect(told.slice(3)).toEqual(['WorkerPod +b@6']);
  reflection.stop();
});

test('an object that loses the label is gone, not for sure, and comes back with it', async () => {
  const { clock, transport, told, reflection } = following(['WorkerPod']);
  await clock.drain();
  transport.lastRequest.answer(200, list(5, [pod('a', 3, worker)]));
  await clock.drain();
  const lists = transport.requests.length;
  transport.lastWatch.send('DELETED', pod('a', 6, worker));
  transport.lastWatch.send('ADDED', pod('a', 8, worker));
  await clock.drain();
  expect(told).toEqual(['WorkerPod +a@3', 'WorkerPod -a/a?', 'WorkerPod +a@8']);
  // Nobody hunts for it: that is for kinds with another label of ours.
  expect(transport.requests).toHaveLength(lists);
  reflection.stop();
});

test('nodes, which have no namespace, are followed by their label on the embedded cluster', async () => {
  const clock = new VirtualClock();
  const random = seeded(3);
  const embedded = createCluster({ clock, random, controllers: false });
  await embedded.start();
  const transport = embedded.transport();
  const node = (name: string, labels = {}) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
  });
  const create = (body: object) =>
    transport.request({ method: 'POST', path: '/api/v1/nodes', body });
  await create(node('one', worker));
  await create(node('two'));
  const client = createKubeClient({ transport, clock, random, host: 'embedded', log: () => {} });
  const seen: Observation[] = [];
  const reflection = client.reflect(['WorkerNode'], (observation) => seen.push(observation));
  await clock.advance(100);
  const ref = { kind: 'WorkerNode', namespace: '', name: 'two' } as const;
  const relabel = async (label: string | null): Promise<void> => {
    const patch = { metadata: { labels: { [workerLabel]: label } } };
    const contentType = 'application/merge-patch+json';
    await transport.request({ method: 'PATCH', path: objectPath(ref), contentType, body: patch });
    await clock.advance(100);
  };
  await relabel('x');
  await relabel(null);
  expect(seen).toMatchObject([
    { type: 'seen', kind: 'WorkerNode', object: expect.objectContaining({ kind: 'Node' }) },
    { type: 'seen', kind: 'WorkerNode', object: expect.objectContaining({ kind: 'Node' }) },
    { type: 'gone', ref, uid: expect.any(String), isSure: false, upTo: expect.any(String) },
  ]);
  reflection.stop();
  await embedded.stop();
});
