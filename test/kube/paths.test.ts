// Paths for every request, and what a path says about its request.
import { expect, test } from 'vitest';
import {
  isSelected,
  listPath,
  objectPath,
  requestInfo,
  statusPath,
  watchPath,
} from '#src/kube/paths.ts';

const ref = { kind: 'PodClique', namespace: 'team-a', name: 'demo-0-worker' } as const;

test('object paths follow group, version and plural of the kind', () => {
  expect(objectPath(ref)).toBe(
    '/apis/grove.io/v1alpha1/namespaces/team-a/podcliques/demo-0-worker',
  );
  expect(objectPath({ ...ref, kind: 'Pod' })).toBe('/api/v1/namespaces/team-a/pods/demo-0-worker');
  expect(statusPath(ref)).toBe(`${objectPath(ref)}/status`);
});

test('the path of an object without a namespace has none', () => {
  const topology = { kind: 'Topology', namespace: '', name: 'dc' } as const;
  expect(objectPath(topology)).toBe('/apis/kai.scheduler/v1alpha1/topologies/dc');
  expect(requestInfo('GET', objectPath(topology))).toEqual({ verb: 'get', resource: 'topologies' });
});

test('lists and watches of managed kinds carry the selector, those of our own kinds do not', () => {
  const selector = 'labelSelector=app.kubernetes.io%2Fmanaged-by%3Dgrove-operator';
  expect(listPath('Pod', 500)).toBe(`/api/v1/pods?limit=500&${selector}`);
  expect(watchPath('Pod', '7', 45)).toContain(selector);
  expect(listPath('PodGang', 500)).toBe('/apis/scheduler.grove.io/v1alpha1/podgangs?limit=500');
  expect(watchPath('PodGang', '7', 45)).toBe(
    '/apis/scheduler.grove.io/v1alpha1/podgangs?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=45',
  );
});

test('a continue token survives whatever characters it has', () => {
  const query = new URLSearchParams(listPath('Pod', 2, 'a+b/c=&d').split('?', 2)[1]);
  expect(query.get('continue')).toBe('a+b/c=&d');
});

test('an object is selected by its label, or always where the kind has no selector', () => {
  const metadata = { name: 'x' };
  const labels = { 'app.kubernetes.io/managed-by': 'grove-operator' };
  expect(isSelected('Pod', { apiVersion: 'v1', kind: 'Pod', metadata })).toBe(false);
  const managed = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels } };
  expect(isSelected('Pod', managed)).toBe(true);
  expect(isSelected('PodClique', { apiVersion: 'v1', kind: 'PodClique', metadata })).toBe(true);
});

test.each([
  ['GET', '/api/v1/pods?limit=500', 'list', 'pods'],
  ['GET', '/api/v1/pods?watch=true', 'watch', 'pods'],
  ['GET', '/api/v1/namespaces/a/pods/b', 'get', 'pods'],
  ['GET', '/api/v1/namespaces/a', 'get', 'namespaces'],
  ['GET', '/api/v1/namespaces', 'list', 'namespaces'],
  ['GET', '/api/v1/nodes/a/status', 'get', 'nodes/status'],
  ['GET', '/apis/grove.io/v1alpha1', 'get', ''],
  ['POST', '/apis/grove.io/v1alpha1/namespaces/a/podcliques', 'create', 'podcliques'],
  [
    'PUT',
    '/apis/grove.io/v1alpha1/namespaces/a/podcliques/b/status',
    'update',
    'podcliques/status',
  ],
  ['PATCH', '/api/v1/namespaces/a/pods/b', 'patch', 'pods'],
  ['DELETE', '/api/v1/namespaces/a/pods/b', 'delete', 'pods'],
] as const)('%s %s is to %s %s', (method, path, verb, resource) => {
  expect(requestInfo(method, path)).toEqual({ verb, resource });
});
