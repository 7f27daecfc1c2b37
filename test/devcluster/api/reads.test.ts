// Lists, pages, versions, selectors and forms: the rules of "Kubernetes API concepts" one by one.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Bench } from './support.ts';
import { configMap, configMaps, meta, names, pod, pods, versionOf, withBench } from './support.ts';

async function withMaps(bench: Bench, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await bench.post(
      configMaps,
      configMap(`m-${n}`, {}, { n: String(n), parity: n % 2 ? 'odd' : 'even' }),
    );
  }
}

const tokenOf = (list: Parameters<typeof meta>[0]): string => textAt(meta(list), 'continue');

describe('a paged list', () => {
  test('shows one version on all its pages, whatever happens meanwhile', () =>
    withBench(async (bench) => {
      await withMaps(bench, 5);
      const first = await bench.get(`${configMaps}?limit=2`);
      expect(names(first.body)).toEqual(['m-0', 'm-1']);
      expect(meta(first.body)['remainingItemCount']).toBe(3);
      await bench.delete(`${configMaps}/m-3`);
      await bench.post(configMaps, configMap('m-1b'));
      const second = await bench.get(`${configMaps}?limit=2&continue=${tokenOf(first.body)}`);
      expect(names(second.body)).toEqual(['m-2', 'm-3']);
      expect(versionOf(second.body)).toBe(versionOf(first.body));
      const third = await bench.get(`${configMaps}?limit=2&continue=${tokenOf(second.body)}`);
      expect(names(third.body)).toEqual(['m-4']);
      expect(tokenOf(third.body)).toBe('');
    }));

  test('whose version is forgotten is expired, with a token for the rest', () =>
    withBench(async (bench) => {
      await withMaps(bench, 3);
      const first = await bench.get(`${configMaps}?limit=1`);
      await bench.post(configMaps, configMap('m-9'));
      bench.cluster.store.compact(bench.cluster.store.version);
      const { status, body } = await bench.get(
        `${configMaps}?limit=1&continue=${tokenOf(first.body)}`,
      );
      expect(status).toBe(410);
      expect(body['reason']).toBe('Expired');
      const rest = await bench.get(`${configMaps}?continue=${tokenOf(body)}`);
      expect(names(rest.body)).toEqual(['m-1', 'm-2', 'm-9']);
    }));

  test('can be continued for five minutes, not for ten', () =>
    withBench(async (bench) => {
      await withMaps(bench, 3);
      const first = await bench.get(`${configMaps}?limit=1`);
      const next = `${configMaps}?limit=1&continue=${tokenOf(first.body)}`;
      await bench.clock.advance(4.9 * 60_000);
      await bench.post(configMaps, configMap('m-9'));
      expect((await bench.get(next)).status).toBe(200);
      await bench.clock.advance(6 * 60_000);
      expect((await bench.get(next)).status).toBe(410);
    }));

  test('with a token that is none is refused', () =>
    withBench(async (bench) => {
      expect((await bench.get(`${configMaps}?continue=nonsense`)).status).toBe(400);
    }));

  test('with selectors does not count the rest', () =>
    withBench(async (bench) => {
      await withMaps(bench, 5);
      const { body } = await bench.get(`${configMaps}?limit=1&labelSelector=parity%3Deven`);
      expect(names(body)).toEqual(['m-0']);
      expect(meta(body)['remainingItemCount']).toBeUndefined();
      expect(tokenOf(body)).not.toBe('');
    }));
});

describe('a list at a version', () => {
  test('is exact, not older, or the latest by resourceVersionMatch', () =>
    withBench(async (bench) => {
      await withMaps(bench, 2);
      const then = String(bench.cluster.store.version);
      await withMaps(bench, 3);
      const at = (query: string) =>
        bench.get(`${configMaps}?${query}`).then(({ body }) => names(body));
      expect(await at(`resourceVersion=${then}&resourceVersionMatch=Exact`)).toHaveLength(2);
      expect(await at(`resourceVersion=${then}&resourceVersionMatch=NotOlderThan`)).toHaveLength(3);
      expect(await at(`resourceVersion=${then}`)).toHaveLength(3);
      expect(await at(`resourceVersion=${then}&limit=500`)).toHaveLength(2);
      expect(await at('resourceVersion=0')).toHaveLength(3);
    }));

  test.each([
    ['resourceVersionMatch=Exact', 422, /forbidden unless resourceVersion is provided/],
    ['resourceVersion=0&resourceVersionMatch=Exact', 422, /forbidden for resourceVersion "0"/],
    ['resourceVersion=5&resourceVersionMatch=Nearly', 422, /supported values/],
    ['resourceVersion=x', 400, /resourceVersion: Invalid value/],
    ['limit=many', 400, /parsing "many": invalid syntax/],
    ['resourceVersion=1000000', 504, /Too large resource version: 1000000, current: \d+/],
  ])('refuses %s', (query, code, message) =>
    withBench(async (bench) => {
      const { status, body } = await bench.get(`${configMaps}?${query}`);
      expect(status).toBe(code);
      expect(body['message']).toMatch(message);
    }),
  );

  test('that is past keeps its version when the metadata stays the same within a second', () =>
    withBench(async (bench) => {
      await withMaps(bench, 1);
      const path = `${configMaps}/m-0`;
      const put = async (value: string): Promise<string> => {
        const { body: live } = await bench.get(path);
        return versionOf((await bench.put(path, { ...live, data: { value } })).body);
      };
      await put('first');
      const then = await put('second');
      await put('third');
      const query = `resourceVersion=${then}&resourceVersionMatch=Exact`;
      const { body } = await bench.get(`${configMaps}?${query}`);
      const past = objectsAt(body, 'items').map((map) => [versionOf(map), objectAt(map, 'data')]);
      expect(past).toEqual([[then, { value: 'second' }]]);
    }));

  test('that is forgotten is expired', () =>
    withBench(async (bench) => {
      const then = bench.cluster.store.version;
      await withMaps(bench, 2);
      bench.cluster.store.compact(bench.cluster.store.version);
      const query = `resourceVersion=${then}&resourceVersionMatch=Exact`;
      expect((await bench.get(`${configMaps}?${query}`)).status).toBe(410);
    }));
});

describe('a selector', () => {
  test.each([
    ['parity=odd', ['m-1', 'm-3']],
    ['parity==odd,n!=1', ['m-3']],
    ['n in (0, 3),parity', ['m-0', 'm-3']],
    ['n notin (0,1,2)', ['m-3']],
    ['!parity', []],
    ['n>1', ['m-2', 'm-3']],
  ])('of labels: %s', (selector, expected) =>
    withBench(async (bench) => {
      await withMaps(bench, 4);
      const { body } = await bench.get(
        `${configMaps}?labelSelector=${encodeURIComponent(selector)}`,
      );
      expect(names(body)).toEqual(expected);
    }),
  );

  test('of fields finds by name, by the kind’s own fields, and refuses others', () =>
    withBench(async (bench) => {
      await bench.post(pods, pod('a', { nodeName: 'n1' }));
      await bench.post(pods, pod('b'));
      const find = (fields: string) =>
        bench.get(`${pods}?fieldSelector=${encodeURIComponent(fields)}`);
      expect(names((await find('spec.nodeName=n1')).body)).toEqual(['a']);
      expect(names((await find('spec.nodeName!=n1,metadata.namespace=default')).body)).toEqual([
        'b',
      ]);
      expect(names((await find('metadata.name=b')).body)).toEqual(['b']);
      const refused = await find('spec.color=red');
      expect(refused.status).toBe(400);
      expect(refused.body['message']).toBe('field label not supported: spec.color');
    }));

  test('that makes no sense is a bad request', () =>
    withBench(async (bench) => {
      expect(
        (await bench.get(`${configMaps}?labelSelector=${encodeURIComponent('a b c')}`)).status,
      ).toBe(400);
    }));
});

describe('the form of an answer', () => {
  test('is a Table when that is asked for first', () =>
    withBench(async (bench) => {
      await bench.post(pods, pod('a'));
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
      const { body } = await bench.get(pods, accept);
      expect(body['kind']).toBe('Table');
      expect(objectsAt(body, 'columnDefinitions').map((column) => column['name'])).toContain(
        'Ready',
      );
      expect(objectsAt(body, 'rows')[0]).toMatchObject({
        cells: expect.arrayContaining(['a']),
        object: { kind: 'PartialObjectMetadata' },
      });
    }));

  test('is metadata alone when that is asked for', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a', { big: 'data' }));
      const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
      const { body } = await bench.get(configMaps, accept);
      expect(body['kind']).toBe('PartialObjectMetadataList');
      expect(objectsAt(body, 'items')[0]).not.toHaveProperty('data');
      const one = await bench.get(`${configMaps}/a`, accept.replace('List', ''));
      expect(one.body['kind']).toBe('PartialObjectMetadata');
    }));

  test('is JSON beside protobuf, and nothing for protobuf alone', () =>
    withBench(async (bench) => {
      const both = 'application/vnd.kubernetes.protobuf,application/json';
      expect((await bench.get(configMaps, both)).status).toBe(200);
      const { status, body } = await bench.get(configMaps, 'application/vnd.kubernetes.protobuf');
      expect(status).toBe(406);
      expect(body['reason']).toBe('NotAcceptable');
    }));

  test('is never shared with the store', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a', { x: '1' }));
      const { body } = await bench.get(`${configMaps}/a`);
      const data = objectAt(body, 'data') ?? {};
      data['x'] = 'changed';
      expect((await bench.get(`${configMaps}/a`)).body['data']).toEqual({ x: '1' });
    }));
});
