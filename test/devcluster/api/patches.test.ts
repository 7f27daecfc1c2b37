// PATCH in its four forms as a client sees them; the algorithms have tests of their own in patch/.
import { describe, expect, test } from 'vitest';
import { configMap, configMaps, pod, pods, versionOf, withBench } from './support.ts';

describe('a patch', () => {
  test('of each type changes the object', () =>
    withBench(async (bench) => {
      await bench.post(pods, pod('p'));
      const path = `${pods}/p`;
      await bench.patch(
        path,
        [{ op: 'add', path: '/metadata/labels', value: { a: '1' } }],
        'json-patch+json',
      );
      await bench.patch(path, { metadata: { labels: { b: '2' } } });
      const containers = [{ name: 'main', image: 'example/image:2' }];
      const { status, body } = await bench.patch(
        path,
        { spec: { containers } },
        'strategic-merge-patch+json',
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({
        metadata: { labels: { a: '1', b: '2' } },
        spec: {
          containers: [{ name: 'main', image: 'example/image:2', imagePullPolicy: 'IfNotPresent' }],
        },
      });
    }));

  test('of JSON whose test fails is unprocessable', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a', { x: '1' }));
      const operations = [{ op: 'test', path: '/data/x', value: '2' }];
      const { status, body } = await bench.patch(`${configMaps}/a`, operations, 'json-patch+json');
      expect(status).toBe(422);
      expect(body['reason']).toBe('Invalid');
    }));

  test('with an old version is a conflict', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      await bench.patch(`${configMaps}/a`, { data: { x: '1' } });
      const old = { metadata: { resourceVersion: versionOf(body) }, data: { x: '2' } };
      expect((await bench.patch(`${configMaps}/a`, old)).status).toBe(409);
    }));

  test('of an unknown type names those that are known', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.patch(`${configMaps}/a`, {}, 'json');
      expect(status).toBe(415);
      expect(body['message']).toContain('application/merge-patch+json');
    }));
});

describe('a server-side apply', () => {
  const apply = 'apply-patch+yaml';

  test('creates, owns, and conflicts with other owners until it is forced', () =>
    withBench(async (bench) => {
      const path = `${configMaps}/a?fieldManager=one`;
      const created = await bench.patch(path, configMap('a', { x: '1' }), apply);
      expect(created.status).toBe(201);
      const other = configMap('a', { x: '2' });
      const refused = await bench.patch(`${configMaps}/a?fieldManager=two`, other, apply);
      expect(refused.status).toBe(409);
      expect(refused.body['message']).toBe(
        'Apply failed with 1 conflict: conflict with "one": .data.x',
      );
      const forced = await bench.patch(`${configMaps}/a?fieldManager=two&force=true`, other, apply);
      expect(forced.status).toBe(200);
      expect(forced.body['data']).toEqual({ x: '2' });
    }));

  test('of a field that is not in the schema says where it is', () =>
    withBench(async (bench) => {
      const body = { ...configMap('a'), wrong: { deep: 1 } };
      const refused = await bench.patch(`${configMaps}/a?fieldManager=one`, body, apply);
      expect(refused).toMatchObject({
        status: 500,
        body: {
          message:
            'failed to create typed patch object (/a; /v1, Kind=ConfigMap): ' +
            '.wrong: field not declared in schema',
        },
      });
    }));

  test('again changes nothing, and needs a manager', () =>
    withBench(async (bench) => {
      const path = `${configMaps}/a?fieldManager=one`;
      const first = await bench.patch(path, configMap('a', { x: '1' }), apply);
      await bench.clock.advance(60_000);
      const again = await bench.patch(path, configMap('a', { x: '1' }), apply);
      expect(versionOf(again.body)).toBe(versionOf(first.body));
      expect((await bench.patch(`${configMaps}/a`, configMap('a'), apply)).status).toBe(422);
    }));
});
