// Each write is one request, each answer one outcome.
import { expect, test } from 'vitest';
import type { ClusterEvent, WriteOutcome } from '#actors/ports.ts';
import { clusterPort, requestOf } from '#src/kube/write.ts';
import { clique, status } from './support/objects.ts';
import { ScriptedTransport } from './support/scripted-transport.ts';

const ref = { kind: 'PodClique', namespace: 'default', name: 'a' } as const;
const pod = { kind: 'Pod', namespace: 'default', name: 'a' } as const;
const base = '/apis/grove.io/v1alpha1/namespaces/default/podcliques';

test('a create is a POST to the collection', () => {
  const body = clique({ name: 'a', version: 1 });
  expect(requestOf({ op: 'create', ref, body })).toEqual({ method: 'POST', path: base, body });
});

test('a patch is a JSON merge patch', () => {
  const patch = { metadata: { uid: 'u', labels: { x: null } } };
  expect(requestOf({ op: 'patch', ref, patch })).toEqual({
    method: 'PATCH',
    path: `${base}/a`,
    contentType: 'application/merge-patch+json',
    body: patch,
  });
});

test('a status is a PUT to the subresource', () => {
  const body = clique({ name: 'a', version: 1, status: {} });
  expect(requestOf({ op: 'status', ref, body })).toEqual({
    method: 'PUT',
    path: `${base}/a/status`,
    body,
  });
});

test('a delete names UID and version as preconditions and deletes in the background', () => {
  const write = {
    op: 'delete',
    ref,
    uid: 'u',
    resourceVersion: '7',
  } as const;
  expect(requestOf(write)).toEqual({
    method: 'DELETE',
    path: `${base}/a`,
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions: { uid: 'u', resourceVersion: '7' },
    },
  });
  const bare = requestOf({ op: 'delete', ref, uid: 'u' });
  expect(bare.body).toMatchObject({ preconditions: { uid: 'u' } });
  const last = requestOf({ op: 'delete', ref, uid: 'u', propagation: 'Foreground' });
  expect(last.body).toMatchObject({ propagationPolicy: 'Foreground' });
});

const deleting = async (body: unknown): Promise<WriteOutcome> => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).write({ op: 'delete', ref: pod, uid: 'u' });
  transport.lastRequest.answer(200, body);
  return outcome;
};

const terminating = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' };

test.each([
  ['a Status', { kind: 'Status', status: 'Success' }],
  ['the object as it was', { kind: 'Pod', metadata: { name: 'a' } }],
  [
    'a pod without grace',
    { kind: 'Pod', metadata: { ...terminating, deletionGracePeriodSeconds: 0 } },
  ],
])('a DELETE answered with %s removed the object', async (_what, body) => {
  expect(await deleting(body)).toEqual({ ok: true, gone: true });
});

test.each([
  ['a finalizer', { ...terminating, finalizers: ['f'] }],
  ['a grace period', { ...terminating, deletionGracePeriodSeconds: 30 }],
])('a DELETE of an object held by %s gives the terminating object', async (_what, metadata) => {
  const outcome = await deleting({ kind: 'Pod', metadata });
  expect(outcome).toMatchObject({ ok: true, object: { metadata: terminating } });
  expect(outcome).not.toHaveProperty('gone');
});

const patching = async (metadata: unknown): Promise<WriteOutcome> => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).write({ op: 'patch', ref: pod, patch: {} });
  transport.lastRequest.answer(200, { kind: 'Pod', metadata });
  return outcome;
};

test('a PATCH that takes the last finalizer off an object being deleted removes it', async () => {
  // kube-apiserver answers with the object under its old version: the reply is no news otherwise.
  expect(await patching({ ...terminating, finalizers: [] })).toEqual({ ok: true, gone: true });
  expect(await patching(terminating)).toEqual({ ok: true, gone: true });
});

test.each([
  ['that stays', { name: 'a' }],
  ['held by a finalizer', { ...terminating, finalizers: ['f'] }],
  ['held by a grace period', { ...terminating, deletionGracePeriodSeconds: 30 }],
])('a PATCH of an object %s gives the object', async (_what, metadata) => {
  const outcome = await patching(metadata);
  expect(outcome).toMatchObject({ ok: true, object: { metadata: { name: 'a' } } });
  expect(outcome).not.toHaveProperty('gone');
});

test('a reply is pruned', async () => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).read({ ...pod, kind: 'Secret' });
  transport.lastRequest.answer(200, {
    metadata: { name: 'a', managedFields: [] },
    data: { token: 'eA==' },
  });
  expect(await outcome).toEqual({
    ok: true,
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a' },
    },
  });
});

test('a write never rejects: no answer is UNREACHABLE, a refusal its code', async () => {
  const transport = new ScriptedTransport();
  const port = clusterPort(transport);
  const lost = port.read(ref);
  transport.lastRequest.fail(new Error('socket hang up'));
  expect(await lost).toEqual({ ok: false, code: 'UNREACHABLE', message: 'socket hang up' });
  const refused = port.read(ref);
  transport.lastRequest.answer(409, status(409, 'Conflict', 'changed'));
  expect(await refused).toEqual({ ok: false, code: 'CONFLICT', message: 'changed (409 Conflict)' });
  const odd = port.read(ref);
  transport.lastRequest.answer(200, '<html>');
  expect(await odd).toMatchObject({ ok: false, code: 'SERVER_ERROR' });
  expect(transport.requests).toHaveLength(3);
});

// -- events ---------------------------------------------------------------------------------------

const event = (count: number, isWritten: boolean): ClusterEvent => ({
  name: 'a.1f',
  regarding: { ...ref, apiVersion: 'grove.io/v1alpha1', uid: 'u' },
  severity: 'Warning',
  reason: 'PodCreateFailed',
  note: 'n'.repeat(2_000),
  controller: 'podclique-controller',
  count,
  isWritten,
  firstAt: Date.UTC(2026, 0, 1),
  lastAt: Date.UTC(2026, 0, 2),
});

test('an Event is created the first time', async () => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).event(event(1, false));
  expect(transport.lastRequest).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/default/events',
    body: {
      metadata: { name: 'a.1f', namespace: 'default' },
      involvedObject: { kind: 'PodClique', name: 'a', uid: 'u' },
      type: 'Warning',
      count: 1,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-02T00:00:00Z',
      source: { component: 'podclique-controller' },
    },
  });
  expect(JSON.stringify(transport.lastRequest.body).length).toBeLessThan(1_700);
  transport.lastRequest.answer(201, {});
  expect(await outcome).toEqual({ ok: true });
});

test('a repeated Event raises its count', async () => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).event(event(3, true));
  expect(transport.lastRequest).toMatchObject({
    method: 'PATCH',
    path: '/api/v1/namespaces/default/events/a.1f',
    body: { count: 3, lastTimestamp: '2026-01-02T00:00:00Z' },
  });
  transport.lastRequest.answer(200, {});
  expect(await outcome).toEqual({ ok: true });
});

test.each([
  ['a repeated Event that has expired is created', true, 404, 'NotFound', 'POST'],
  ['a first Event that is there already is raised', false, 409, 'AlreadyExists', 'PATCH'],
])('%s', async (_title, isWritten, code, reason, then) => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).event(event(2, isWritten));
  transport.lastRequest.answer(code, status(code, reason));
  await expect.poll(() => transport.requests.length).toBe(2);
  expect(transport.lastRequest.method).toBe(then);
  transport.lastRequest.answer(200, {});
  expect(await outcome).toEqual({ ok: true });
});

test('an Event that is refused is refused once', async () => {
  const transport = new ScriptedTransport();
  const outcome = clusterPort(transport).event(event(1, false));
  transport.lastRequest.answer(403, status(403, 'Forbidden'));
  expect(await outcome).toMatchObject({ ok: false, code: 'FORBIDDEN' });
  expect(transport.requests).toHaveLength(1);
});
