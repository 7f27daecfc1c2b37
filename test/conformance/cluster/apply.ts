// Checks: server-side apply - who owns what, conflicts, force, lists with keys, removal.
import { expect } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import {
  configMap,
  expectRefusal,
  metaOf,
  patchTypes,
  specOf,
  versionOf,
  widget,
} from './session.ts';
import type { Answer, Session, Suite } from './session.ts';

function tryApply(
  s: Session,
  manager: string,
  plural: string,
  object: JsonObject,
  query = '',
): Promise<Answer> {
  const name = textAt(metaOf(object), 'name');
  const path = `${s.path(plural, name)}?fieldManager=${manager}${query}`;
  return s.send('PATCH', path, object, { contentType: patchTypes.apply });
}

async function apply(s: Session, manager: string, plural: string, object: JsonObject, query = '') {
  const answer = await tryApply(s, manager, plural, object, query);
  if (answer.status >= 300)
    throw new Error(`apply: ${answer.status} ${String(answer.body['message'])}`);
  return answer.body;
}

const data = (values: JsonObject): JsonObject => configMap('a', { data: values });
const managersOf = (object: JsonObject): string[] =>
  objectsAt(metaOf(object), 'managedFields').map(
    (each) => `${textAt(each, 'manager')}/${textAt(each, 'operation')}`,
  );

export const serverSideApply: Suite = {
  async 'an apply of what is not there creates it'(s) {
    const answer = await tryApply(s, 'one', 'configmaps', data({ k: '1' }));
    expect(answer.status).toBe(201);
    expect(managersOf(answer.body)).toEqual(['one/Apply']);
    expect(objectsAt(metaOf(answer.body), 'managedFields')).toMatchObject([
      { fieldsType: 'FieldsV1', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:k': {} } } },
    ]);
  },

  async 'an apply that changes nothing keeps the version'(s) {
    const first = await apply(s, 'one', 'configmaps', data({ k: '1' }));
    const second = await apply(s, 'one', 'configmaps', data({ k: '1' }));
    expect(versionOf(second)).toBe(versionOf(first));
  },

  async 'a field that is no longer applied is removed'(s) {
    await apply(s, 'one', 'configmaps', data({ a: '1', b: '2' }));
    const next = await apply(s, 'one', 'configmaps', data({ a: '1' }));
    expect(next['data']).toEqual({ a: '1' });
  },

  async 'a field that someone else owns too stays when one lets go'(s) {
    await apply(s, 'one', 'configmaps', data({ a: '1', b: '2' }));
    await apply(s, 'two', 'configmaps', data({ b: '2' }));
    const next = await apply(s, 'one', 'configmaps', data({ a: '1' }));
    expect(next['data']).toEqual({ a: '1', b: '2' });
  },

  async 'a value of another manager is a conflict that names it'(s) {
    await apply(s, 'one', 'configmaps', data({ k: '1' }));
    const answer = await tryApply(s, 'two', 'configmaps', data({ k: '2' }));
    const message = /^Apply failed with 1 conflict: conflict with "one": \.data\.k$/;
    expectRefusal(answer, 409, 'Conflict', message);
    expect(objectAt(answer.body, 'details')).toMatchObject({
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
      ],
    });
  },

  async 'force takes the field over'(s) {
    await apply(s, 'one', 'configmaps', data({ k: '1' }));
    const next = await apply(s, 'two', 'configmaps', data({ k: '2' }), '&force=true');
    expect(next['data']).toEqual({ k: '2' });
    expect(managersOf(next)).toEqual(['two/Apply']);
  },

  async 'an update makes its writer an owner'(s) {
    await s.create(`${s.path('configmaps')}?fieldManager=writer`, data({ k: '1' }));
    const answer = await tryApply(s, 'one', 'configmaps', data({ k: '2' }));
    expectRefusal(answer, 409, 'Conflict', /conflict with "writer" using v1.*\.data\.k/);
  },

  async 'the same value of two managers is shared'(s) {
    await apply(s, 'one', 'configmaps', data({ k: '1' }));
    const next = await apply(s, 'two', 'configmaps', data({ k: '1' }));
    expect(managersOf(next).toSorted()).toEqual(['one/Apply', 'two/Apply']);
  },

  async 'items of a list with keys belong to managers one by one'(s) {
    const ports = (...names: string[]) => widget('a', { ports: names.map((name) => ({ name })) });
    await apply(s, 'one', 'widgets', ports('x', 'y'));
    await apply(s, 'two', 'widgets', {
      ...widget('a'),
      spec: { size: 1, ports: [{ name: 'z' }] },
    });
    const next = await apply(s, 'one', 'widgets', ports('x'));
    expect(objectsAt(specOf(next), 'ports').map((port) => port['name'])).toEqual(['x', 'z']);
  },

  async 'items of a set belong to managers one by one'(s) {
    await apply(s, 'one', 'widgets', widget('a', { tags: ['a', 'b'] }));
    await apply(s, 'two', 'widgets', widget('a', { tags: ['c'] }));
    const next = await apply(s, 'one', 'widgets', widget('a', { tags: ['a'] }));
    expect(specOf(next)['tags']).toEqual(['a', 'c']);
  },

  async 'containers of a pod are merged by name'(s) {
    const pod = (containers: JsonObject[]): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { schedulerName: 'nobody', containers },
    });
    await apply(
      s,
      'one',
      'pods',
      pod([
        { name: 'x', image: 'x:1' },
        { name: 'y', image: 'y:1' },
      ]),
    );
    const next = await apply(
      s,
      'two',
      'pods',
      { ...pod([{ name: 'y', image: 'y:2' }]) },
      '&force=true',
    );
    const images = objectsAt(specOf(next), 'containers').map((each) => each['image']);
    expect(images).toEqual(['x:1', 'y:2']);
  },

  async 'an apply needs a field manager'(s) {
    const path = s.path('configmaps', 'a');
    const body = data({});
    const answer = await s.send('PATCH', path, body, { contentType: patchTypes.apply });
    expect([400, 422]).toContain(answer.status);
    expect(textAt(answer.body, 'message')).toContain('fieldManager');
  },

  async 'an apply may not carry managedFields'(s) {
    const metadata = { name: 'a', managedFields: [{ manager: 'x', operation: 'Apply' }] };
    const answer = await tryApply(s, 'one', 'configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
    });
    expectRefusal(answer, 400, 'BadRequest', 'metadata.managedFields must be nil');
  },

  async 'status is applied apart and owned apart'(s) {
    await apply(s, 'one', 'widgets', widget('a'));
    const { spec: _spec, ...rest } = widget('a');
    const body = { ...rest, status: { replicas: 2 } };
    const path = `${s.path('widgets', 'a', 'status')}?fieldManager=two`;
    const answer = await s.send('PATCH', path, body, { contentType: patchTypes.apply });
    expect(answer.body['status']).toEqual({ replicas: 2 });
    const entry = objectsAt(metaOf(answer.body), 'managedFields').find(
      (each) => each['manager'] === 'two',
    );
    expect(entry).toMatchObject({ subresource: 'status' });
    expect(specOf(answer.body)['size']).toBe(1);
  },
};
