// Watches: where they begin, what selectors make of changes, bookmarks, and the ways they end.
import { describe, expect, test } from 'vitest';
import { configMap, configMaps, meta, versionOf, withBench } from './support.ts';

const label = (value: string | null) => ({ metadata: { labels: { a: value } } });

describe('a watch', () => {
  test('without a version begins with what there is', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const watched = bench.watch(`${configMaps}?watch=1`);
      await bench.clock.drain();
      await bench.patch(`${configMaps}/a`, { data: { x: '1' } });
      await bench.delete(`${configMaps}/a`);
      await bench.clock.drain();
      expect(watched.seen.map((each) => each.split('@')[0])).toEqual([
        'ADDED a',
        'MODIFIED a',
        'DELETED a',
      ]);
      const versions = watched.objects.map((object) => Number(versionOf(object)));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(new Set(versions).size).toBe(3);
    }));

  test('from a version tells what came after it, once', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      await bench.post(configMaps, configMap('b'));
      const watched = bench.watch(`${configMaps}?watch=1&resourceVersion=${versionOf(body)}`);
      await bench.post(configMaps, configMap('c'));
      await bench.clock.drain();
      expect(watched.seen.map((each) => each.split('@')[0])).toEqual(['ADDED b', 'ADDED c']);
    }));

  test('from a forgotten version is told 410 in an ERROR event', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      await bench.post(configMaps, configMap('b'));
      bench.cluster.store.compact(bench.cluster.store.version);
      const watched = bench.watch(`${configMaps}?watch=1&resourceVersion=${versionOf(body)}`);
      await bench.clock.drain();
      expect(watched.objects).toEqual([expect.objectContaining({ code: 410, reason: 'Expired' })]);
      expect(watched.end).toEqual({ kind: 'ended' });
    }));

  test('with a selector sees objects come and go as they match', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const watched = bench.watch(`${configMaps}?watch=1&labelSelector=a%3D1`);
      for (const value of ['1', '1', '2', '1', null]) {
        await bench.patch(`${configMaps}/a`, {
          ...label(value),
          data: { n: String(bench.clock.now()) },
        });
        await bench.clock.advance(1);
      }
      const types = watched.seen.map((each) => each.split(' ')[0]);
      expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED']);
      const left = watched.objects[2];
      expect(left && meta(left)['labels']).toEqual({ a: '1' });
    }));

  test('ends after timeoutSeconds', () =>
    withBench(async (bench) => {
      const watched = bench.watch(`${configMaps}?watch=1&timeoutSeconds=5`);
      await bench.clock.advance(4_900);
      expect(watched.end).toBeUndefined();
      await bench.clock.advance(200);
      expect(watched.end).toEqual({ kind: 'ended' });
    }));

  test('gets bookmarks when it asks for them', () =>
    withBench(async (bench) => {
      const watched = bench.watch(`${configMaps}?watch=1&allowWatchBookmarks=true`);
      await bench.post('/api/v1/namespaces/default/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'elsewhere' },
      });
      await bench.clock.advance(80_000);
      expect(watched.seen).toEqual([`BOOKMARK @${bench.cluster.store.version}`]);
    }));

  test('with sendInitialEvents marks the end of the initial ones', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const query =
        'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watched = bench.watch(`${configMaps}?${query}`);
      await bench.clock.drain();
      expect(watched.seen.map((each) => each.split('@')[0])).toEqual(['ADDED a', 'BOOKMARK ']);
      expect(watched.objects[1]).toMatchObject({
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      });
      const refused = bench.watch(`${configMaps}?watch=1&sendInitialEvents=true`);
      await bench.clock.drain();
      expect(refused.end).toMatchObject({ kind: 'refused', response: { status: 422 } });
    }));

  test('is silent after its close', () =>
    withBench(async (bench) => {
      const watched = bench.watch(`${configMaps}?watch=1`);
      await bench.clock.drain();
      const body = configMap('a');
      const posted = bench.transport.request({ method: 'POST', path: configMaps, body });
      watched.close();
      await posted;
      await bench.clock.drain();
      expect(watched.seen).toEqual([]);
      expect(watched.end).toEqual({ kind: 'aborted' });
    }));

  test('of a resource that is not served is refused', () =>
    withBench(async (bench) => {
      const watched = bench.watch('/apis/nowhere.io/v1/things?watch=1');
      await bench.clock.drain();
      expect(watched.end).toMatchObject({ kind: 'refused', response: { status: 404 } });
    }));

  test('ends with the cluster', () =>
    withBench(async (bench) => {
      const watched = bench.watch(`${configMaps}?watch=1`);
      await bench.clock.drain();
      await bench.cluster.stop();
      expect(watched.end).toEqual({ kind: 'ended' });
    }));
});
