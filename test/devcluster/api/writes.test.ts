// Create, update, patch and delete as a client sees them: what the server owns in metadata, which
// refusals come in which words, and what a write without a change does.
import { describe, expect, test } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import { configMap, configMaps, meta, pod, pods, versionOf, withBench } from './support.ts';

describe('a create', () => {
  test('fills in what the server owns', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.post(configMaps, configMap('a', { key: 'value' }));
      expect(status).toBe(201);
      expect(meta(body)).toMatchObject({
        name: 'a',
        namespace: 'default',
        creationTimestamp: '2026-01-01T00:00:00Z',
        uid: expect.stringMatching(
          /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        ),
      });
    }));

  test('of a name that is taken is a conflict', () =>
    withBench(async (bench) => {
      await bench.post(configMaps, configMap('a'));
      const { status, body } = await bench.post(configMaps, configMap('a'));
      expect(status).toBe(409);
      expect(body).toMatchObject({
        kind: 'Status',
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
      });
    }));

  test('makes up names from generateName', () =>
    withBench(async (bench) => {
      const body = { ...configMap(''), metadata: { generateName: 'job-' } };
      const made = await Promise.all([1, 2, 3].map(() => bench.post(configMaps, body)));
      const created = made.map((each) => meta(each.body)['name']);
      expect(new Set(created).size).toBe(3);
      for (const name of created) expect(name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }));

  test('in a namespace that is not there is not found', () =>
    withBench(async (bench) => {
      const path = '/api/v1/namespaces/nowhere/configmaps';
      const { status, body } = await bench.post(path, configMap('a'));
      expect(status).toBe(404);
      expect(body['message']).toBe('namespaces "nowhere" not found');
    }));

  test('in a terminating namespace is forbidden', () =>
    withBench(async (bench) => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'old' } };
      await bench.post('/api/v1/namespaces', namespace);
      const { body: leaving } = await bench.delete('/api/v1/namespaces/old');
      expect(leaving).toMatchObject({ status: { phase: 'Terminating' } });
      const { status, body } = await bench.post(
        '/api/v1/namespaces/old/configmaps',
        configMap('a'),
      );
      expect(status).toBe(403);
      expect(body).toMatchObject({
        reason: 'Forbidden',
        details: { causes: [{ reason: 'NamespaceTerminating' }] },
      });
      await bench.put('/api/v1/namespaces/old/finalize', {
        ...namespace,
        spec: { finalizers: [] },
      });
      expect((await bench.get('/api/v1/namespaces/old')).status).toBe(404);
    }));

  test('with dryRun=All stores nothing', () =>
    withBench(async (bench) => {
      const before = bench.cluster.store.version;
      const { status, body } = await bench.post(`${configMaps}?dryRun=All`, configMap('a'));
      expect(status).toBe(201);
      expect(meta(body)['uid']).toBeDefined();
      expect(bench.cluster.store.version).toBe(before);
      expect((await bench.get(`${configMaps}/a`)).status).toBe(404);
    }));

  test('with an unknown field warns, refuses or passes over by fieldValidation', () =>
    withBench(async (bench) => {
      const body = { ...configMap('a'), date: { x: 'y' } };
      const warned = await bench.post(`${configMaps}?dryRun=All`, body);
      expect(warned.headers['warning']).toBe('299 - "unknown field \\"date\\""');
      const strict = await bench.post(`${configMaps}?dryRun=All&fieldValidation=Strict`, body);
      expect(strict.status).toBe(400);
      expect(strict.body['message']).toMatch(/strict decoding error: unknown field "date"$/);
      const ignored = await bench.post(`${configMaps}?dryRun=All&fieldValidation=Ignore`, body);
      expect(ignored.headers['warning']).toBeUndefined();
    }));

  test.each([
    ['another kind', { ...configMap('a'), kind: 'Secret' }, /kind in the data \(Secret\)/],
    ['another version', { ...configMap('a'), apiVersion: 'v2' }, /API version in the data \(v2\)/],
    [
      'another namespace',
      { ...configMap('a'), metadata: { name: 'a', namespace: 'b' } },
      /does not match the namespace/,
    ],
    ['a wrong type', { ...configMap('a'), data: { a: 1 } }, /cannot be handled as a ConfigMap/],
  ])('with %s is a bad request', (_what, body, message) =>
    withBench(async (bench) => {
      const answer = await bench.post(configMaps, body);
      expect(answer.status).toBe(400);
      expect(answer.body['message']).toMatch(message);
    }),
  );

  test('without a name is invalid', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.post(configMaps, configMap(''));
      expect(status).toBe(422);
      expect(body['message']).toMatch(
        /metadata\.name: Required value: name or generateName is required/,
      );
    }));

  test('of an invalid object names every field', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.post(pods, pod('Bad_Name', { containers: [] }));
      expect(status).toBe(422);
      expect(body['message']).toMatch(
        /^Pod "Bad_Name" is invalid: \[.*spec\.containers: Required value/,
      );
      const causes = objectAt(body, 'details')?.['causes'];
      expect(causes).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ field: 'metadata.name', reason: 'FieldValueInvalid' }),
          expect.objectContaining({ field: 'spec.containers', reason: 'FieldValueRequired' }),
        ]),
      );
    }));
});

describe('an update', () => {
  test('with an old version is a conflict in the known words', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      await bench.patch(`${configMaps}/a`, { data: { x: '1' } });
      const { status, body: refused } = await bench.put(`${configMaps}/a`, body);
      expect(status).toBe(409);
      expect(refused).toMatchObject({
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
          'please apply your changes to the latest version and try again',
      });
    }));

  test('without a version replaces whatever is there', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a', { x: '1' }));
      const { status, body: next } = await bench.put(`${configMaps}/a`, configMap('a', { y: '2' }));
      expect(status).toBe(200);
      expect(next['data']).toEqual({ y: '2' });
      expect(meta(next)['uid']).toBe(meta(body)['uid']);
    }));

  test('that changes nothing gets no new version', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a', { x: '1' }));
      const same = await bench.put(`${configMaps}/a`, configMap('a', { x: '1' }));
      expect(versionOf(same.body)).toBe(versionOf(body));
      const patched = await bench.patch(`${configMaps}/a`, { data: { x: '1' } });
      expect(versionOf(patched.body)).toBe(versionOf(body));
    }));

  test('cannot change what the server owns', () =>
    withBench(async (bench) => {
      const { body } = await bench.post(configMaps, configMap('a'));
      const { uid: _uid, ...metadata } = meta(body);
      const sent = {
        ...body,
        metadata: { ...metadata, creationTimestamp: '2001-01-01T00:00:00Z', generation: 77 },
        data: { new: 'data' },
      };
      const { body: next } = await bench.put(`${configMaps}/a`, sent);
      expect(meta(next)['creationTimestamp']).toBe(meta(body)['creationTimestamp']);
      expect(meta(next)['generation']).toBe(meta(body)['generation']);
    }));

  test('of an object that is not there is not found', () =>
    withBench(async (bench) => {
      const { status, body } = await bench.put(`${configMaps}/a`, configMap('a'));
      expect(status).toBe(404);
      expect(body['message']).toBe('configmaps "a" not found');
    }));
});

describe('spec and status', () => {
  test('are written apart, and only a change of the spec counts', () =>
    withBench(async (bench) => {
      const claims = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
      const budget = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
        status: { currentHealthy: 9 },
      };
      const created = await bench.post(claims, budget);
      expect(created.body['status']).not.toMatchObject({ currentHealthy: 9 });
      const status = {
        currentHealthy: 4,
        desiredHealthy: 1,
        expectedPods: 4,
        disruptionsAllowed: 3,
      };
      const written = await bench.patch(`${claims}/b/status`, {
        status,
        spec: { minAvailable: 7 },
      });
      expect(written.body).toMatchObject({ status, spec: { minAvailable: 1 } });
      expect(meta(written.body)['generation']).toBe(1);
      const changed = await bench.patch(`${claims}/b`, { status: {}, spec: { minAvailable: 2 } });
      expect(changed.body).toMatchObject({ status, spec: { minAvailable: 2 } });
      expect(meta(changed.body)['generation']).toBe(2);
    }));
});
