// Custom resources: served from the moment their definition is stored, with defaults, validation,
// their own status and scale, and gone with the definition.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt } from '#machines/kubernetes/fields.ts';
import type { Bench } from '../support.ts';
import {
  definitions,
  meta,
  versionOf,
  widget,
  widgetDefinition,
  widgets,
  withBench,
} from '../support.ts';

const withWidgets = (run: (bench: Bench) => Promise<void>): Promise<void> =>
  withBench(async (bench) => {
    expect(await bench.post(definitions, widgetDefinition())).toMatchObject({ status: 201 });
    await run(bench);
  });

describe('a custom resource definition', () => {
  test('is established at once', () =>
    withWidgets(async (bench) => {
      const { body } = await bench.get(`${definitions}/widgets.example.io`);
      const conditions = objectsAt(objectAt(body, 'status'), 'conditions');
      expect(conditions).toEqual([
        expect.objectContaining({ type: 'NamesAccepted', status: 'True' }),
        expect.objectContaining({ type: 'Established', status: 'True' }),
      ]);
      expect((await bench.get(widgets)).body).toMatchObject({ kind: 'WidgetList', items: [] });
      expect((await bench.get('/apis/example.io/v1')).body).toMatchObject({
        resources: [
          { name: 'widgets', shortNames: ['wd'] },
          { name: 'widgets/scale' },
          { name: 'widgets/status' },
        ],
      });
    }));

  test('is updated with the finalizer that the server gave it', () =>
    withWidgets(async (bench) => {
      const path = `${definitions}/widgets.example.io`;
      const { status, body } = await bench.patch(path, { metadata: { labels: { a: 'b' } } });
      expect(status).toBe(200);
      expect(meta(body)['finalizers']).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    }));

  test('whose names are taken is not served', () =>
    withWidgets(async (bench) => {
      const other = widgetDefinition();
      const spec = {
        ...objectAt(other, 'spec'),
        names: { kind: 'Gadget', plural: 'gadgets', shortNames: ['wd'] },
      };
      const { body } = await bench.post(definitions, {
        ...other,
        metadata: { name: 'gadgets.example.io' },
        spec,
      });
      expect(objectsAt(objectAt(body, 'status'), 'conditions')[0]).toMatchObject({
        type: 'NamesAccepted',
        status: 'False',
        message: '"wd" is already in use',
      });
      expect((await bench.get('/apis/example.io/v1/namespaces/default/gadgets')).status).toBe(404);
    }));

  test('that goes takes its objects along, and waits for their finalizers', () =>
    withWidgets(async (bench) => {
      await bench.post(widgets, widget('a'));
      const watched = bench.watch(`${widgets}?watch=1`);
      const finalizers = ['example.io/hold'];
      await bench.post(widgets, { ...widget('b'), metadata: { name: 'b', finalizers } });
      await bench.delete(`${definitions}/widgets.example.io`);
      await bench.clock.advance(1000);
      expect((await bench.get(`${widgets}/a`)).status).toBe(404);
      expect((await bench.post(widgets, widget('c'))).status).toBe(403);
      expect((await bench.get(`${definitions}/widgets.example.io`)).status).toBe(200);
      await bench.patch(`${widgets}/b`, { metadata: { finalizers: null } });
      await bench.clock.advance(1000);
      expect((await bench.get(`${definitions}/widgets.example.io`)).status).toBe(404);
      expect((await bench.get(widgets)).status).toBe(404);
      expect(watched.seen.at(-1)).toMatch(/^DELETED b@/);
      expect(watched.end).toEqual({ kind: 'ended' });
    }));
});

describe('a custom object', () => {
  test('is defaulted, pruned and counted by generation', () =>
    withWidgets(async (bench) => {
      const sent = { ...widget('a', { color: 'red', unknown: true }), status: { replicas: 9 } };
      const { body, headers } = await bench.post(widgets, sent);
      expect(body['spec']).toEqual({ color: 'red', replicas: 1 });
      expect(body['status']).toBeUndefined();
      expect(headers['warning']).toContain('unknown field \\"spec.unknown\\"');
      const status = await bench.patch(`${widgets}/a/status`, {
        status: { replicas: 1 },
        spec: { replicas: 7 },
      });
      expect(status.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } });
      expect(meta(status.body)['generation']).toBe(1);
      const labelled = await bench.patch(`${widgets}/a`, { metadata: { labels: { a: 'b' } } });
      expect(meta(labelled.body)['generation']).toBe(1);
      const changed = await bench.patch(`${widgets}/a`, { spec: { replicas: 2 } });
      expect(meta(changed.body)['generation']).toBe(2);
    }));

  test('that breaks its schema is invalid', () =>
    withWidgets(async (bench) => {
      const { status, body } = await bench.post(
        widgets,
        widget('a', { color: 'green', replicas: -1 }),
      );
      expect(status).toBe(422);
      expect(body['message']).toMatch(/^Widget\.example\.io "a" is invalid: \[/);
      expect(objectsAt(objectAt(body, 'details'), 'causes').map((cause) => cause['field'])).toEqual(
        expect.arrayContaining(['spec.color', 'spec.replicas']),
      );
    }));

  test('must name the version that its update replaces', () =>
    withWidgets(async (bench) => {
      const { body } = await bench.post(widgets, widget('a'));
      expect((await bench.put(`${widgets}/a`, widget('a', { replicas: 3 }))).status).toBe(422);
      const next = { ...body, spec: { replicas: 3 } };
      expect((await bench.put(`${widgets}/a`, next)).status).toBe(200);
    }));

  test('is scaled through its scale', () =>
    withWidgets(async (bench) => {
      await bench.post(widgets, widget('a'));
      const path = `${widgets}/a/scale`;
      const { body } = await bench.get(path);
      expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 1 }, status: { replicas: 0 } });
      const scaled = await bench.put(path, { ...body, spec: { replicas: 4 } });
      expect(scaled.body).toMatchObject({ spec: { replicas: 4 } });
      expect((await bench.put(path, { ...body, spec: { replicas: 5 } })).status).toBe(409);
      expect((await bench.get(`${widgets}/a`)).body).toMatchObject({
        spec: { replicas: 4 },
        metadata: { generation: 2 },
      });
      expect((await bench.patch(path, { spec: { replicas: -4 } })).status).toBe(422);
    }));

  test('has no strategic merge', () =>
    withWidgets(async (bench) => {
      await bench.post(widgets, widget('a'));
      const type = 'strategic-merge-patch+json';
      expect((await bench.patch(`${widgets}/a`, { spec: {} }, type)).status).toBe(415);
    }));

  test('shows the columns of its definition', () =>
    withWidgets(async (bench) => {
      await bench.post(widgets, widget('a'));
      const { body } = await bench.get(widgets, 'application/json;as=Table;v=v1;g=meta.k8s.io');
      expect(objectsAt(body, 'rows')[0]).toMatchObject({ cells: ['a', 1] });
    }));

  test('is stored once for all served versions', () =>
    withBench(async (bench) => {
      const definition = widgetDefinition();
      const spec = objectAt(definition, 'spec') ?? {};
      const [v1 = {}] = objectsAt(spec, 'versions');
      const v2 = { ...v1, name: 'v2', storage: false };
      await bench.post(definitions, { ...definition, spec: { ...spec, versions: [v1, v2] } });
      const { body } = await bench.post(widgets, widget('a'));
      const path = widgets.replace('/v1/', '/v2/');
      const seen = await bench.get(`${path}/a`);
      expect(seen.body).toMatchObject({ apiVersion: 'example.io/v2' });
      expect(versionOf(seen.body)).toBe(versionOf(body));
    }));
});
