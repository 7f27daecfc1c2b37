// Checks: JSON, merge and strategic patches.
import { expect } from 'vitest';
import { objectAt, objectsAt } from '#machines/kubernetes/fields.ts';
import { expectRefusal, metaOf, specOf, versionOf } from './session.ts';
import type { Suite } from './session.ts';

export const patches: Suite = {
  async 'a merge patch sets, and removes with null'(s) {
    await s.configMap('a', { data: { keep: '1', drop: '2' } });
    const body = { data: { drop: null, add: '3' } };
    const next = await s.patch(s.path('configmaps', 'a'), 'merge', body);
    expect(next['data']).toEqual({ keep: '1', add: '3' });
  },

  async 'a merge patch replaces lists'(s) {
    await s.widget('a', { tags: ['a', 'b'] });
    const next = await s.patch(s.path('widgets', 'a'), 'merge', { spec: { tags: ['c'] } });
    expect(specOf(next)['tags']).toEqual(['c']);
  },

  async 'a merge patch that changes nothing keeps the version'(s) {
    const made = await s.configMap('a', { data: { k: '1' } });
    const next = await s.patch(s.path('configmaps', 'a'), 'merge', { data: { k: '1' } });
    expect(versionOf(next)).toBe(versionOf(made));
  },

  async 'a JSON patch adds, replaces, moves and removes'(s) {
    await s.configMap('a', { data: { x: '1', y: '2' } });
    const next = await s.patch(s.path('configmaps', 'a'), 'json', [
      { op: 'add', path: '/data/new', value: '3' },
      { op: 'replace', path: '/data/x', value: '9' },
      { op: 'move', from: '/data/y', path: '/data/z' },
      { op: 'remove', path: '/data/new' },
    ]);
    expect(next['data']).toEqual({ x: '9', z: '2' });
  },

  async 'a JSON patch whose test fails changes nothing'(s) {
    await s.configMap('a', { data: { x: '1' } });
    const answer = await s.tryPatch(s.path('configmaps', 'a'), 'json', [
      { op: 'replace', path: '/data/x', value: '2' },
      { op: 'test', path: '/data/x', value: '1' },
    ]);
    expectRefusal(answer, 422, 'Invalid');
    expect((await s.get(s.path('configmaps', 'a')))['data']).toEqual({ x: '1' });
  },

  async 'a JSON patch escapes slashes and tildes'(s) {
    await s.configMap('a', {}, { annotations: { 'a.io/b': '1' } });
    const next = await s.patch(s.path('configmaps', 'a'), 'json', [
      { op: 'replace', path: '/metadata/annotations/a.io~1b', value: '2' },
    ]);
    expect(metaOf(next)['annotations']).toEqual({ 'a.io/b': '2' });
  },

  async 'a strategic patch merges lists by their key'(s) {
    await s.pod('a');
    const path = s.path('pods', 'a');
    const containers = [{ name: 'main', image: 'other:1' }];
    const next = await s.patch(path, 'strategic', { spec: { containers } });
    expect(objectsAt(specOf(next), 'containers')).toMatchObject([
      { name: 'main', image: 'other:1', terminationMessagePolicy: 'File' },
    ]);
  },

  async 'a strategic patch merges conditions by type'(s) {
    await s.pod('a');
    const path = s.path('pods', 'a', 'status');
    const condition = (type: string, status: string) => ({
      status: { conditions: [{ type, status }] },
    });
    await s.patch(path, 'strategic', condition('a.io/one', 'True'));
    await s.patch(path, 'strategic', condition('a.io/two', 'True'));
    const next = await s.patch(path, 'strategic', condition('a.io/one', 'False'));
    const conditions = objectsAt(objectAt(next, 'status'), 'conditions')
      .map((each) => `${String(each['type'])}=${String(each['status'])}`)
      .filter((each) => each.startsWith('a.io/'));
    expect(conditions.toSorted()).toEqual(['a.io/one=False', 'a.io/two=True']);
  },

  async 'a strategic patch deletes from a list by directive'(s) {
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports } };
    await s.create(s.path('services'), service);
    const body = { spec: { ports: [{ port: 81, $patch: 'delete' }] } };
    const next = await s.patch(s.path('services', 'a'), 'strategic', body);
    expect(objectsAt(specOf(next), 'ports').map((port) => port['port'])).toEqual([80]);
  },

  async 'a strategic patch of a custom object is not supported'(s) {
    await s.widget('a');
    const answer = await s.tryPatch(s.path('widgets', 'a'), 'strategic', { spec: { size: 2 } });
    expectRefusal(answer, 415, 'UnsupportedMediaType');
  },

  async 'a patch of an unknown type is refused'(s) {
    await s.configMap('a');
    const more = { contentType: 'application/json' };
    const answer = await s.send('PATCH', s.path('configmaps', 'a'), {}, more);
    expectRefusal(answer, 415, 'UnsupportedMediaType');
  },

  async 'a patch of what is not there is not found'(s) {
    const answer = await s.tryPatch(s.path('configmaps', 'none'), 'merge', {});
    expectRefusal(answer, 404, 'NotFound');
  },

  async 'a patch may not change the name'(s) {
    await s.configMap('a');
    const answer = await s.tryPatch(s.path('configmaps', 'a'), 'merge', {
      metadata: { name: 'b' },
    });
    expectRefusal(
      answer,
      400,
      'BadRequest',
      'the name of the object (b) does not match the name on',
    );
  },
};
