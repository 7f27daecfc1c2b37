// Checks: finalizers, the three ways to delete an owner, and graceful deletion.
import { expect } from 'vitest';
import { textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, uidOf } from './session.ts';
import type { Session, Suite } from './session.ts';

const owner = (object: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: textAt(metaOf(object), 'name'),
  uid: uidOf(object),
  ...more,
});

const child = (s: Session, name: string, ...ownerReferences: JsonObject[]) =>
  s.configMap(name, {}, { ownerReferences });

const remove = (s: Session, name: string, propagationPolicy: string) =>
  s.send('DELETE', s.path('configmaps', name), { propagationPolicy });

export const deletion: Suite = {
  async 'an object with a finalizer stays, marked, until the last is gone'(s) {
    const path = s.path('configmaps', 'a');
    await s.configMap('a', {}, { finalizers: ['a.io/one', 'a.io/two'] });
    const answer = await s.send('DELETE', path);
    expect(metaOf(answer.body)).toMatchObject({
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
    });
    await s.patch(path, 'merge', { metadata: { finalizers: ['a.io/two'] } });
    expect(await s.exists(path)).toBe(true);
    await s.patch(path, 'merge', { metadata: { finalizers: null } });
    expect(await s.exists(path)).toBe(false);
  },

  async 'a terminating object gets no new finalizer'(s) {
    const path = s.path('configmaps', 'a');
    await s.configMap('a', {}, { finalizers: ['a.io/one'] });
    await s.send('DELETE', path);
    const metadata = { finalizers: ['a.io/one', 'a.io/new'] };
    const answer = await s.tryPatch(path, 'merge', { metadata });
    const why = 'no new finalizers can be added if the object is being deleted';
    expectRefusal(answer, 422, 'Invalid', why);
    await s.patch(path, 'merge', { metadata: { finalizers: null } });
  },

  async 'a terminating object can still be changed'(s) {
    const path = s.path('configmaps', 'a');
    await s.configMap('a', {}, { finalizers: ['a.io/one'] });
    await s.send('DELETE', path);
    expect((await s.patch(path, 'merge', { data: { k: 'v' } }))['data']).toEqual({ k: 'v' });
    await s.patch(path, 'merge', { metadata: { finalizers: null } });
  },

  async 'a second DELETE keeps the first time'(s) {
    const path = s.path('configmaps', 'a');
    await s.configMap('a', {}, { finalizers: ['a.io/one'] });
    const first = metaOf((await s.send('DELETE', path)).body)['deletionTimestamp'];
    const second = metaOf((await s.send('DELETE', path)).body)['deletionTimestamp'];
    expect(second).toBe(first);
    await s.patch(path, 'merge', { metadata: { finalizers: null } });
  },

  async 'a finalizer without a domain is refused'(s) {
    const metadata = { name: 'a', finalizers: ['mine'] };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const answer = await s.send('POST', s.path('configmaps'), body);
    expectRefusal(answer, 422, 'Invalid', 'name is neither a standard finalizer name nor');
  },

  async 'a DELETE of what is not there is not found'(s) {
    expectRefusal(await s.send('DELETE', s.path('configmaps', 'none')), 404, 'NotFound');
  },

  async 'background deletion takes the dependents of dependents along'(s) {
    const root = await s.configMap('root');
    const middle = await child(s, 'middle', owner(root));
    await child(s, 'leaf', owner(middle));
    await remove(s, 'root', 'Background');
    await s.eventuallyGone(s.path('configmaps', 'leaf'));
  },

  async 'foreground deletion waits for dependents that block it'(s) {
    const root = await s.configMap('root');
    const blocking = owner(root, { blockOwnerDeletion: true });
    await s.configMap('held', {}, { ownerReferences: [blocking], finalizers: ['a.io/hold'] });
    const answer = await remove(s, 'root', 'Foreground');
    expect(metaOf(answer.body)['finalizers']).toEqual(['foregroundDeletion']);
    await s.eventually('the dependent is being deleted', async () => {
      const held = await s.get(s.path('configmaps', 'held'));
      return textAt(metaOf(held), 'deletionTimestamp') !== '';
    });
    expect(await s.exists(s.path('configmaps', 'root'))).toBe(true);
    await s.patch(s.path('configmaps', 'held'), 'merge', { metadata: { finalizers: null } });
    await s.eventuallyGone(s.path('configmaps', 'root'));
  },

  async 'orphans lose their owner and stay'(s) {
    const root = await s.configMap('root');
    await child(s, 'orphan', owner(root));
    await remove(s, 'root', 'Orphan');
    await s.eventuallyGone(s.path('configmaps', 'root'));
    const orphan = await s.get(s.path('configmaps', 'orphan'));
    expect(metaOf(orphan)['ownerReferences'] ?? []).toEqual([]);
  },

  async 'a dependent with another owner stays'(s) {
    const [a, b] = [await s.configMap('a'), await s.configMap('b')];
    await child(s, 'shared', owner(a), owner(b));
    await remove(s, 'a', 'Background');
    await s.eventually('the reference is gone', async () => {
      const shared = await s.get(s.path('configmaps', 'shared'));
      const references = metaOf(shared)['ownerReferences'];
      return Array.isArray(references) && references.length === 1;
    });
  },

  async 'an object whose owner is only a namesake is removed'(s) {
    const root = await s.configMap('root');
    await remove(s, 'root', 'Background');
    await s.configMap('root');
    await child(s, 'stray', owner(root));
    await s.eventuallyGone(s.path('configmaps', 'stray'));
    expect(await s.exists(s.path('configmaps', 'root'))).toBe(true);
  },

  async 'an unknown propagation policy is refused'(s) {
    await s.configMap('a');
    expectRefusal(await remove(s, 'a', 'Sideways'), 422, 'Invalid', 'propagationPolicy');
  },

  async 'a pod without a node goes at once'(s) {
    await s.pod('a');
    await s.send('DELETE', s.path('pods', 'a'));
    expect(await s.exists(s.path('pods', 'a'))).toBe(false);
  },

  async 'a pod on a node takes its grace and then goes by force'(s) {
    await s.pod('a', { nodeName: 'no-such-node', terminationGracePeriodSeconds: 300 });
    const path = s.path('pods', 'a');
    const answer = await s.send('DELETE', path);
    expect(metaOf(answer.body)).toMatchObject({ deletionGracePeriodSeconds: 300 });
    const shorter = await s.send('DELETE', path, { gracePeriodSeconds: 100 });
    expect(metaOf(shorter.body)).toMatchObject({ deletionGracePeriodSeconds: 100 });
    await s.send('DELETE', path, { gracePeriodSeconds: 0 });
    expect(await s.exists(path)).toBe(false);
  },

  async 'a collection is deleted by selector'(s) {
    await s.configMap('a', {}, { labels: { group: 'x' } });
    await s.configMap('b', {}, { labels: { group: 'y' } });
    await s.done('DELETE', `${s.path('configmaps')}?labelSelector=group%3Dx`);
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(false);
    expect(await s.exists(s.path('configmaps', 'b'))).toBe(true);
  },
};
