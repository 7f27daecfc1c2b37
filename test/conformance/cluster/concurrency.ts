// Checks: optimistic concurrency, preconditions of deletes, generation and the split of spec and
// status.
import { expect } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import { expectRefusal, metaOf, specOf, uidOf, versionOf, widget } from './session.ts';
import type { Suite } from './session.ts';

export const concurrency: Suite = {
  async 'a PUT with the live version wins and moves it'(s) {
    const made = await s.configMap('a', { data: { k: '1' } });
    const next = await s.done('PUT', s.path('configmaps', 'a'), { ...made, data: { k: '2' } });
    expect(versionOf(next)).not.toBe(versionOf(made));
    expect(next['data']).toEqual({ k: '2' });
  },

  async 'a PUT with an old version is a conflict'(s) {
    const made = await s.configMap('a');
    await s.done('PUT', s.path('configmaps', 'a'), { ...made, data: { k: '1' } });
    const answer = await s.send('PUT', s.path('configmaps', 'a'), { ...made, data: { k: '2' } });
    expectRefusal(
      answer,
      409,
      'Conflict',
      'the object has been modified; please apply your changes',
    );
  },

  async 'a PUT without a version overwrites a built-in object'(s) {
    await s.configMap('a', { data: { k: '1' } });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '3' } };
    expect((await s.done('PUT', s.path('configmaps', 'a'), body))['data']).toEqual({ k: '3' });
  },

  async 'a PUT without a version is refused for a custom object'(s) {
    await s.widget('a');
    const answer = await s.send('PUT', s.path('widgets', 'a'), widget('a'));
    expectRefusal(answer, 422, 'Invalid', 'metadata.resourceVersion');
  },

  async 'a PUT with another UID is a conflict'(s) {
    const made = await s.configMap('a');
    const metadata = { name: 'a', uid: '00000000-0000-4000-8000-000000000000' };
    const answer = await s.send('PUT', s.path('configmaps', 'a'), { ...made, metadata });
    expectRefusal(answer, 409, 'Conflict', 'Precondition failed: UID in precondition');
  },

  async 'a PUT to an object that is not there is not found'(s) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'none' } };
    const answer = await s.send('PUT', s.path('configmaps', 'none'), body);
    expectRefusal(answer, 404, 'NotFound', 'configmaps "none" not found');
  },

  async 'a PUT that changes nothing keeps the version'(s) {
    const made = await s.configMap('a', { data: { k: '1' } });
    const again = await s.done('PUT', s.path('configmaps', 'a'), made);
    expect(versionOf(again)).toBe(versionOf(made));
  },

  async 'a PATCH with an old version is a conflict'(s) {
    const made = await s.configMap('a');
    await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: '1' } });
    const metadata = { resourceVersion: versionOf(made) };
    const answer = await s.tryPatch(s.path('configmaps', 'a'), 'merge', { metadata });
    expectRefusal(answer, 409, 'Conflict', 'the object has been modified');
  },

  async 'a PATCH with another UID is invalid: it would change it'(s) {
    await s.configMap('a');
    const metadata = { uid: '00000000-0000-4000-8000-000000000000' };
    const answer = await s.tryPatch(s.path('configmaps', 'a'), 'merge', { metadata });
    expectRefusal(answer, 422, 'Invalid', /metadata\.uid: Invalid value: .*field is immutable/);
  },

  async 'patches of different fields at the same time all count'(s) {
    await s.configMap('a', { data: {} });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const path = s.path('configmaps', 'a');
    await Promise.all(keys.map((key) => s.patch(path, 'merge', { data: { [key]: key } })));
    expect(Object.keys(objectAt(await s.get(path), 'data') ?? {}).toSorted()).toEqual(keys);
  },

  async 'a POST of a name that is taken already exists'(s) {
    await s.configMap('a');
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const answer = await s.send('POST', s.path('configmaps'), body);
    expectRefusal(answer, 409, 'AlreadyExists', 'configmaps "a" already exists');
  },

  async 'a POST with a version is refused'(s) {
    const metadata = { name: 'a', resourceVersion: '1' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const answer = await s.send('POST', s.path('configmaps'), body);
    const message = 'resourceVersion should not be set on objects to be created';
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body['message']).toContain(message);
  },

  async 'a DELETE with another UID is a conflict'(s) {
    await s.configMap('a');
    const preconditions = { uid: '00000000-0000-4000-8000-000000000000' };
    const answer = await s.send('DELETE', s.path('configmaps', 'a'), { preconditions });
    expectRefusal(answer, 409, 'Conflict', 'does not match the UID in record');
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(true);
  },

  async 'a DELETE with an old version is a conflict'(s) {
    const made = await s.configMap('a');
    await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: '1' } });
    const preconditions = { resourceVersion: versionOf(made) };
    const answer = await s.send('DELETE', s.path('configmaps', 'a'), { preconditions });
    expectRefusal(answer, 409, 'Conflict', 'does not match the ResourceVersion in record');
  },

  async 'a DELETE with the right preconditions succeeds'(s) {
    const made = await s.configMap('a');
    const preconditions = { uid: uidOf(made), resourceVersion: versionOf(made) };
    const answer = await s.send('DELETE', s.path('configmaps', 'a'), { preconditions });
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(false);
  },

  async 'generation counts changes of the spec, not of metadata'(s) {
    const made = await s.widget('a');
    expect(metaOf(made)['generation']).toBe(1);
    const path = s.path('widgets', 'a');
    const labelled = await s.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(metaOf(labelled)['generation']).toBe(1);
    const changed = await s.patch(path, 'merge', { spec: { size: 2 } });
    expect(metaOf(changed)['generation']).toBe(2);
  },

  async 'a write to the object leaves the status alone'(s) {
    const made = await s.create(s.path('widgets'), { ...widget('a'), status: { replicas: 3 } });
    expect(objectAt(made, 'status')).toBeUndefined();
    const path = s.path('widgets', 'a');
    const next = await s.patch(path, 'merge', { spec: { size: 2 }, status: { replicas: 3 } });
    expect(objectAt(next, 'status')).toBeUndefined();
    expect(specOf(next)['size']).toBe(2);
  },

  async 'a write to the status leaves spec and generation alone'(s) {
    await s.widget('a');
    const path = s.path('widgets', 'a', 'status');
    const body = { spec: { size: 9 }, status: { replicas: 3 }, metadata: { labels: { x: 'y' } } };
    const next = await s.patch(path, 'merge', body);
    expect(specOf(next)['size']).toBe(1);
    expect(next['status']).toEqual({ replicas: 3 });
    expect(metaOf(next)).toMatchObject({ generation: 1 });
    expect(metaOf(next)['labels']).toBeUndefined();
  },

  async 'a PUT to the status needs the live version too'(s) {
    const made = await s.widget('a');
    await s.patch(s.path('widgets', 'a'), 'merge', { spec: { size: 2 } });
    const body = { ...made, status: { replicas: 1 } };
    const answer = await s.send('PUT', s.path('widgets', 'a', 'status'), body);
    expectRefusal(answer, 409, 'Conflict');
  },

  async 'kinds without a spec that others act on have no generation'(s) {
    const spec = { clusterIP: 'None' };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
    expect(metaOf(await s.create(s.path('services'), body))['generation']).toBeUndefined();
    expect(metaOf(await s.configMap('a'))['generation']).toBeUndefined();
  },

  async 'server-owned metadata does not follow the client'(s) {
    const made = await s.configMap('a');
    const path = s.path('configmaps', 'a');
    const metadata = { creationTimestamp: '2001-01-01T00:00:00Z', generation: 77 };
    const next = await s.patch(path, 'merge', { metadata });
    expect(metaOf(next)['creationTimestamp']).toBe(metaOf(made)['creationTimestamp']);
    expect(metaOf(next)['generation']).toBeUndefined();
  },
};
