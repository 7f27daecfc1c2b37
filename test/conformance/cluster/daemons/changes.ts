// Checks: DaemonSets - what replaces a pod that went, failed or is of an older template, which pods
// belong to a set, and what becomes of them when it goes.
import { expect } from 'vitest';
import { objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { metaOf, pod, specOf, uidOf } from '../session.ts';
import type { Session, Suite } from '../session.ts';
import {
  alive,
  isReady,
  labels,
  makeSet,
  only,
  onNodes,
  runsOn,
  saysStatus,
  sets,
  template,
} from './stage.ts';

/** The only pod is ready, and not the one that was. */
const isReplaced = (s: Session, before: JsonObject): Promise<void> =>
  s.eventually('the pod is replaced', async () => {
    const [now, ...others] = await alive(s);
    return now !== undefined && others.length === 0 && uidOf(now) !== uidOf(before) && isReady(now);
  });

export const daemonChanges: Suite = {
  'a pod that is deleted is replaced': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s);
      await runsOn(s, 'a');
      const before = await only(s);
      await s.done('DELETE', s.path('pods', textAt(metaOf(before), 'name')));
      await isReplaced(s, before);
    }),

  'a pod that failed is replaced': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s);
      await runsOn(s, 'a');
      const before = await only(s);
      const path = s.path('pods', textAt(metaOf(before), 'name'), 'status');
      await s.patch(path, 'merge', { status: { phase: 'Failed' } });
      await isReplaced(s, before);
    }),

  'a pod of the selector without an owner is taken over': (s) =>
    onNodes(s, ['a'], async () => {
      const spec = specOf(template(s));
      await s.pod('orphan', { ...spec, schedulerName: 'default-scheduler' }, { labels });
      await runsOn(s, 'a');
      // It is of no template of the set: a rolling update would replace it.
      const set = await makeSet(s, { updateStrategy: { type: 'OnDelete' } });
      await saysStatus(s, { observedGeneration: 1, numberReady: 1, updatedNumberScheduled: 0 });
      const owners = [{ kind: 'DaemonSet', uid: uidOf(set), controller: true }];
      expect(metaOf(await s.get(s.path('pods', 'orphan')))).toMatchObject({
        ownerReferences: owners,
      });
    }),

  'a pod whose labels no longer match is let go, and replaced': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s);
      await runsOn(s, 'a');
      const path = s.path('pods', textAt(metaOf(await only(s)), 'name'));
      await s.patch(path, 'merge', { metadata: { labels: { app: 'other' } } });
      await runsOn(s, 'a a');
      expect(metaOf(await s.get(path))['ownerReferences']).toBeUndefined();
      await s.done('DELETE', path);
    }),

  'an update replaces one pod after the other': (s) =>
    onNodes(s, ['a', 'b', 'c'], async () => {
      await makeSet(s);
      await saysStatus(s, { numberAvailable: 3 });
      const before = new Set((await alive(s)).map(uidOf));
      const annotations = { 'x.io/restarted': 'now' };
      await s.patch(sets(s, 'd'), 'merge', { spec: { template: { metadata: { annotations } } } });
      let fewest = 3;
      await s.eventually('all pods are new', async () => {
        const now = await alive(s);
        fewest = Math.min(fewest, now.length);
        return now.filter(isReady).length === 3 && now.every((each) => !before.has(uidOf(each)));
      });
      expect(fewest).toBeGreaterThanOrEqual(2);
      await saysStatus(s, { observedGeneration: 2, updatedNumberScheduled: 3, numberReady: 3 });
      const now = await alive(s);
      const revisions = now.map((each) => textsAt(metaOf(each), 'labels'));
      expect(revisions).toMatchObject(now.map(() => ({ 'pod-template-generation': '2' })));
      expect(now).toMatchObject(now.map(() => ({ metadata: { annotations } })));
    }),

  'an update waits for the user where it is to': (s) =>
    onNodes(s, ['a', 'b'], async () => {
      await makeSet(s, { updateStrategy: { type: 'OnDelete' } });
      await saysStatus(s, { numberAvailable: 2, updatedNumberScheduled: 2 });
      const annotations = { 'x.io/restarted': 'now' };
      await s.patch(sets(s, 'd'), 'merge', { spec: { template: { metadata: { annotations } } } });
      await saysStatus(s, { observedGeneration: 2, numberAvailable: 2, updatedNumberScheduled: 0 });
      const [first = {}] = await alive(s);
      await s.done('DELETE', s.path('pods', textAt(metaOf(first), 'name')));
      await saysStatus(s, { numberAvailable: 2, updatedNumberScheduled: 1 });
    }),

  'a pod counts as available when it was ready for long enough': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s, { minReadySeconds: 3 });
      await saysStatus(s, { numberReady: 1, numberAvailable: 0, numberUnavailable: 1 });
      await saysStatus(s, { numberReady: 1, numberAvailable: 1, numberUnavailable: 0 });
    }),

  'pods go with their set, and stay where they are orphaned': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s);
      await runsOn(s, 'a');
      await s.done('DELETE', sets(s, 'd'), { propagationPolicy: 'Orphan' });
      await s.eventuallyGone(sets(s, 'd'));
      const kept = await only(s);
      expect(metaOf(kept)['ownerReferences']).toBeUndefined();
      await makeSet(s);
      await s.eventually('the pod is taken over', async () => {
        const owners = objectsAt(metaOf(await only(s)), 'ownerReferences');
        return uidOf(await only(s)) === uidOf(kept) && owners.length === 1;
      });
      await s.done('DELETE', sets(s, 'd'), { propagationPolicy: 'Foreground' });
      await s.eventuallyGone(sets(s, 'd'));
      expect(await alive(s)).toEqual([]);
    }),

  'a pod without a set of its own is left alone': (s) =>
    onNodes(s, ['a'], async () => {
      await s.create(s.path('pods'), pod('other', {}, { labels: { app: 'other' } }));
      await makeSet(s);
      await runsOn(s, 'a');
      expect(await s.exists(s.path('pods', 'other'))).toBe(true);
    }),
};
