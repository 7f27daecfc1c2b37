// Deletion: preconditions, grace, finalizers and propagation policies, single and of collections.
import { describe, expect, test } from 'vitest';
import { configMap, configMaps, meta, names, pod, pods, versionOf, withBench } from './support.ts';

const held = (name: string, finalizers: string[]) => ({
  ...configMap(name),
  metadata: { name, finalizers },
});

describe('a delete', () => {
  test('answers with a Status that names what went', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      const deleted = await bench.delete(`${configMaps}/a`);
      expect(deleted.body).toMatchObject({
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: meta(body)['uid'] },
      });
      expect((await bench.get(`${configMaps}/a`)).status).toBe(404);
    }));

  test.each([
    ['uid', { uid: 'another' }],
    ['resourceVersion', { resourceVersion: '1' }],
  ])('with another %s as a precondition is a conflict', (_what, preconditions) =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const { status, body } = await bench.delete(`${configMaps}/a`, { preconditions });
      expect(status).toBe(409);
      expect(body['reason']).toBe('Conflict');
    }),
  );

  test('waits for finalizers, which can then only be removed', () =>
    withBench(async (bench) => {
      const path = `${configMaps}/a`;
      await bench.post(configMaps, held('a', ['example.io/one', 'example.io/two']));
      const marked = await bench.delete(path);
      expect(meta(marked.body)).toMatchObject({
        deletionTimestamp: '2026-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 0,
      });
      expect(versionOf((await bench.delete(path)).body)).toBe(versionOf(marked.body));
      const more = { metadata: { finalizers: ['example.io/one', 'example.io/three'] } };
      expect((await bench.patch(path, more)).status).toBe(422);
      await bench.patch(path, { metadata: { finalizers: ['example.io/two'] } });
      expect((await bench.get(path)).status).toBe(200);
      const last = await bench.patch(path, { metadata: { finalizers: null } });
      expect(last.status).toBe(200);
      expect((await bench.get(path)).status).toBe(404);
    }));

  test.each([
    ['Foreground', ['example.io/x', 'foregroundDeletion']],
    ['Orphan', ['example.io/x', 'orphan']],
    ['Background', ['example.io/x']],
  ])('with propagationPolicy %s leaves the marks for the garbage collector', (policy, expected) =>
    withBench(async (bench) => {
      await bench.post(configMaps, held('a', ['example.io/x']));
      const { body } = await bench.delete(`${configMaps}/a`, { propagationPolicy: policy });
      expect(meta(body)['finalizers']).toEqual(expected);
    }),
  );

  test('with an unknown policy is invalid', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const { status } = await bench.delete(`${configMaps}/a`, { propagationPolicy: 'Sideways' });
      expect(status).toBe(422);
    }));

  test('of a running pod gives it its grace; a second one may only shorten it', () =>
    withBench(async (bench) => {
      await bench.post(pods, pod('p', { nodeName: 'n' }));
      const graceOf = async (seconds?: number) => {
        const options = seconds === undefined ? {} : { gracePeriodSeconds: seconds };
        return meta((await bench.delete(`${pods}/p`, options)).body);
      };
      expect(await graceOf()).toMatchObject({
        deletionTimestamp: '2026-01-01T00:00:30Z',
        deletionGracePeriodSeconds: 30,
      });
      expect((await graceOf(60))['deletionGracePeriodSeconds']).toBe(30);
      expect((await graceOf(5))['deletionGracePeriodSeconds']).toBe(5);
      await graceOf(0);
      expect((await bench.get(`${pods}/p`)).status).toBe(404);
    }));

  test('of a collection takes what the selectors mean', () =>
    withBench(async (bench) => {
      for (const name of ['a', 'b', 'c']) {
        await bench.post(configMaps, configMap(name, {}, { keep: name === 'b' ? 'yes' : 'no' }));
      }
      const { body } = await bench.delete(`${configMaps}?labelSelector=keep%3Dno`);
      expect(names(body)).toEqual(['a', 'c']);
      expect(names((await bench.get(configMaps)).body)).toEqual(['b']);
    }));

  test('of the default namespace is forbidden', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.delete('/api/v1/namespaces/default');
      expect(status).toBe(403);
      expect(body['message']).toBe(
        'namespaces "default" is forbidden: this namespace may not be deleted',
      );
    }));
});

describe('an eviction', () => {
  test('is refused where a disruption budget has nothing to give', () =>
    withBench(async (bench) => {
      const labelled = {
        ...pod('p', { nodeName: 'n' }),
        metadata: { name: 'p', labels: { a: 'b' } },
      };
      await bench.post(pods, labelled);
      await bench.patch(`${pods}/p/status`, { status: { phase: 'Running' } });
      const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
      const selector = { matchLabels: { a: 'b' } };
      const spec = { minAvailable: 1, selector };
      await bench.post(budgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec,
      });
      const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
      expect((await bench.post(`${pods}/p/eviction`, eviction)).status).toBe(429);
      await bench.patch(`${budgets}/b/status`, { status: { disruptionsAllowed: 1 } });
      expect((await bench.post(`${pods}/p/eviction`, eviction)).status).toBe(201);
      expect(meta((await bench.get(`${pods}/p`)).body)['deletionTimestamp']).toBeDefined();
    }));
});
