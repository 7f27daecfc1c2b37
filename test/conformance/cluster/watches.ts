// Checks: where watches begin, what they tell, bookmarks, and versions that are too old.
import { expect } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { WatchEnd } from '#src/kube/transport/transport.ts';
import { metaOf, uidOf, versionOf } from './session.ts';
import type { Session, Suite } from './session.ts';

interface Seen {
  readonly type: string;
  readonly object: JsonObject;
}

interface Watching {
  readonly events: readonly Seen[];
  readonly ended: () => WatchEnd | undefined;
  readonly close: () => void;
  /** Waits until so many events came. */
  readonly came: (count: number) => Promise<void>;
}

const watch = (s: Session, query: string, plural = 'configmaps'): Watching =>
  watchAt(s, `${s.path(plural)}?${query}`);

/** Of a path with a query. */
export function watchAt(s: Session, path: string): Watching {
  const events: Seen[] = [];
  let end: WatchEnd | undefined;
  const close = s.server.transport.watch(`${path}&watch=true`, {
    event: ({ type, object }) => events.push({ type, object: isObject(object) ? object : {} }),
    closed: (reason) => (end = reason),
  });
  const came = (count: number): Promise<void> =>
    s.eventually(`${count} events`, () => Promise.resolve(events.length >= count || !!end));
  return { events, close, came, ended: () => end };
}

export const told = (events: readonly Seen[]): string[] =>
  events.map(({ type, object }) => `${type} ${textAt(metaOf(object), 'name')}`);

/** The version of an empty selection right now. */
const now = async (s: Session): Promise<string> => versionOf(await s.get(s.path('configmaps')));

export const watches: Suite = {
  async 'a watch from a version tells all that came after'(s) {
    const from = await now(s);
    await s.configMap('a');
    const { came, close, events } = watch(s, `resourceVersion=${from}`);
    await came(1);
    await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: 'v' } });
    await s.send('DELETE', s.path('configmaps', 'a'));
    await came(3);
    close();
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  },

  async 'a watch from 0 begins with what there is'(s) {
    await s.configMap('a');
    await s.configMap('b');
    const { came, close, events } = watch(s, 'resourceVersion=0&labelSelector=!none');
    await came(2);
    close();
    expect(
      told(events)
        .filter((each) => / [ab]$/.test(each))
        .toSorted(),
    ).toEqual(['ADDED a', 'ADDED b']);
  },

  async 'the last form of a deleted object has the version of the deletion'(s) {
    const made = await s.configMap('a');
    const { came, close, events } = watch(s, `resourceVersion=${versionOf(made)}`);
    await s.send('DELETE', s.path('configmaps', 'a'));
    await came(1);
    close();
    const last = events[0]?.object ?? {};
    expect(uidOf(last)).toBe(uidOf(made));
    expect(Number(versionOf(last))).toBeGreaterThan(Number(versionOf(made)));
  },

  async 'an object that enters or leaves a selection is added or deleted'(s) {
    const from = await now(s);
    const { came, close, events } = watch(s, `resourceVersion=${from}&labelSelector=in%3Dyes`);
    await s.configMap('a');
    const path = s.path('configmaps', 'a');
    await s.patch(path, 'merge', { metadata: { labels: { in: 'yes' } } });
    await s.patch(path, 'merge', { data: { k: 'v' } });
    await s.patch(path, 'merge', { metadata: { labels: { in: 'no' } } });
    await came(3);
    close();
    expect(told(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  },

  async 'an object that leaves a selection is shown as it was, with the version of the change'(s) {
    const made = await s.configMap('a', { data: { k: 'old' } }, { labels: { in: 'yes' } });
    const query = `resourceVersion=${versionOf(made)}&labelSelector=in%3Dyes`;
    const { came, close, events } = watch(s, query);
    const after = { metadata: { labels: { in: null } }, data: { k: 'new' } };
    const left = await s.patch(s.path('configmaps', 'a'), 'merge', after);
    await came(1);
    close();
    const last = events[0]?.object;
    expect(told(events)).toEqual(['DELETED a']);
    expect(uidOf(last ?? {})).toBe(uidOf(made));
    expect(versionOf(last ?? {})).toBe(versionOf(left));
    expect(objectAt(metaOf(last ?? {}), 'labels')).toEqual({ in: 'yes' });
    expect(objectAt(last, 'data')).toEqual({ k: 'old' });
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(true);
  },

  async 'an object deleted at once is shown without a time of deletion'(s) {
    const made = await s.configMap('a', {}, { labels: { in: 'yes' } });
    const query = `resourceVersion=${versionOf(made)}&labelSelector=in%3Dyes`;
    const { came, close, events } = watch(s, query);
    await s.send('DELETE', s.path('configmaps', 'a'));
    await came(1);
    close();
    expect(told(events)).toEqual(['DELETED a']);
    expect(metaOf(events[0]?.object ?? {})).not.toHaveProperty('deletionTimestamp');
  },

  async 'a watch of one name hears of nothing else'(s) {
    const from = await now(s);
    const query = `resourceVersion=${from}&fieldSelector=metadata.name%3Db`;
    const { came, close, events } = watch(s, query);
    await s.configMap('a');
    await s.configMap('b');
    await came(1);
    close();
    expect(told(events)).toEqual(['ADDED b']);
  },

  async 'a write that changes nothing is not told'(s) {
    const made = await s.configMap('a', { data: { k: '1' } });
    const { came, close, events } = watch(s, `resourceVersion=${versionOf(made)}`);
    await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: '1' } });
    await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: '2' } });
    await came(1);
    close();
    expect(objectAt(events[0]?.object, 'data')).toEqual({ k: '2' });
  },

  async 'a watch from a version that is gone fails with 410'(s) {
    // From before there were widgets: a real server keeps all events of what it serves.
    const old = versionOf(await s.get('/api/v1/namespaces/kube-system'));
    await s.widget('a');
    await s.compact();
    const watching = watch(s, `resourceVersion=${old}`, 'widgets');
    await s.eventually('it ends', () => Promise.resolve(watching.ended() !== undefined));
    const end = watching.ended();
    const refused = end?.kind === 'refused' ? end.response.body : undefined;
    const status = watching.events[0]?.object ?? refused;
    expect(status).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    expect(watching.events[0]?.type ?? 'ERROR').toBe('ERROR');
  },

  async 'a streamed list ends its first part with a bookmark'(s) {
    await s.configMap('a');
    const query =
      'sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
    const { close, events } = watch(s, query);
    const marked = () => events.find(({ type }) => type === 'BOOKMARK');
    await s.eventually('a bookmark', () => Promise.resolve(marked() !== undefined));
    close();
    expect(told(events)).toContain('ADDED a');
    expect(metaOf(marked()?.object ?? {})).toMatchObject({
      annotations: { 'k8s.io/initial-events-end': 'true' },
      resourceVersion: expect.stringMatching(/^\d+$/),
    });
  },

  async 'a watch ends by itself after its time'(s) {
    const from = await now(s);
    const watching = watch(s, `resourceVersion=${from}&timeoutSeconds=1`);
    await s.eventually('it ends', () => Promise.resolve(watching.ended() !== undefined));
    expect(watching.ended()?.kind).toBe('ended');
  },

  async 'a watch from a version that is yet to come says nothing, and ends as if all was well'(s) {
    const from = Number(await now(s)) + 100_000;
    const query = `resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=4`;
    const watching = watch(s, query);
    await s.configMap('a');
    await s.eventually('it ends', () => Promise.resolve(watching.ended() !== undefined));
    expect(watching.ended()).toEqual({ kind: 'ended' });
    expect(watching.events).toEqual([]);
  },

  async 'a watch of custom objects tells them whole'(s) {
    const from = await now(s);
    const { came, close, events } = watch(s, `resourceVersion=${from}`, 'widgets');
    await s.widget('a');
    await came(1);
    close();
    expect(events[0]).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Widget', spec: { size: 1, color: 'red' } },
    });
  },
};
