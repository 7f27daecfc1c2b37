// Checks: the codes and reasons of what cannot be understood - wrong types, kinds, versions,
// addresses - which a client tells apart by the code alone.
import { expect } from 'vitest';
import { objectsAt } from '#machines/kubernetes/fields.ts';
import { configMap, expectRefusal, metaOf, patchTypes, pod, specOf, widget } from './session.ts';
import type { Answer, Session, Suite } from './session.ts';

/** A fault of the server in the words of its libraries: 500 without a reason. */
function expectFault(answer: Answer, message: string | RegExp): void {
  expect(answer.status).toBe(500);
  expect(answer.body['reason']).toBeUndefined();
  expect(answer.body['message']).toMatch(message);
}

const apply = (s: Session, path: string, body: object): Promise<Answer> =>
  s.send('PATCH', `${path}?fieldManager=me`, body, { contentType: patchTypes.apply });

export const refusals: Suite = {
  async 'a wrong type in a patch of a built-in kind is invalid'(s) {
    await s.configMap('a', { data: { k: 'v' } });
    const path = s.path('configmaps', 'a');
    const body = { data: { k: 1 } };
    expectRefusal(await s.tryPatch(path, 'merge', body), 422, 'Invalid', '"" is invalid: patch: ');
    const strategic = await s.tryPatch(path, 'strategic', body);
    expectRefusal(strategic, 422, 'Invalid', 'patch: Invalid value: "map[data:map[k:1]]"');
    const json = [{ op: 'replace', path: '/data/k', value: 1 }];
    expectRefusal(await s.tryPatch(path, 'json', json), 422, 'Invalid', 'patch: Invalid value');
  },

  async 'a wrong type in a new object of a built-in kind is a bad request'(s) {
    const answer = await s.send('POST', s.path('configmaps'), configMap('a', { data: { k: 1 } }));
    expectRefusal(answer, 400, 'BadRequest', 'ConfigMap in version "v1" cannot be handled as a');
  },

  async 'a wrong type in an apply is a fault'(s) {
    const data = configMap('a', { data: { k: { deep: 1 } } });
    expectFault(await apply(s, s.path('configmaps', 'a'), data), '.data.k: expected string, got');
    const size = widget('a', { size: 'big' });
    const why = '.spec.size: expected numeric (int or float), got string';
    expectFault(await apply(s, s.path('widgets', 'a'), size), why);
  },

  async 'an apply of another kind is a bad request'(s) {
    const answer = await apply(s, s.path('pods', 'a'), configMap('a'));
    expectRefusal(answer, 400, 'BadRequest', 'invalid object type: /v1, Kind=ConfigMap');
  },

  async 'another kind is invalid for custom resources and a bad request for built-in ones'(s) {
    const custom = await s.send('POST', s.path('widgets'), { ...widget('a'), kind: 'Gadget' });
    expectRefusal(custom, 422, 'Invalid', 'kind: Invalid value: "Gadget": must be Widget');
    const builtIn = await s.send('POST', s.path('pods'), configMap('a'));
    expectRefusal(builtIn, 400, 'BadRequest', 'cannot be handled as a Pod');
  },

  async 'another version is a bad request'(s) {
    const body = { ...widget('a'), apiVersion: 'conformance.coppice.dev/v9' };
    const why = 'does not match the expected API version (conformance.coppice.dev/v1)';
    expectRefusal(await s.send('POST', s.path('widgets'), body), 400, 'BadRequest', why);
  },

  async 'a wrong type hides the rules of a custom resource'(s) {
    const answer = await s.send('POST', s.path('widgets'), widget('a', { replicas: 'two' }));
    expectRefusal(
      answer,
      422,
      'Invalid',
      '.spec.replicas accessor error: two is of the type string',
    );
    expectRefusal(answer, 422, 'Invalid', '<nil>: Invalid value: null: some validation rules');
  },

  async 'negative replicas of a custom resource are invalid'(s) {
    const answer = await s.send('POST', s.path('widgets'), widget('a', { replicas: -1 }));
    const why = '.spec.replicas: Invalid value: -1: should be a non-negative integer';
    expectRefusal(answer, 422, 'Invalid', why);
  },

  async 'a quantity that is none is a bad request'(s) {
    const resources = { requests: { cpu: 'much' } };
    const containers = [{ name: 'main', image: 'registry.example/none:1', resources }];
    const answer = await s.send('POST', s.path('pods'), pod('a', { containers }));
    expectRefusal(answer, 400, 'BadRequest', 'quantities must match the regular expression');
  },

  async 'a binding without a node, or to something else, is a fault'(s) {
    await s.pod('a');
    const path = s.path('pods', 'a', 'binding');
    const bind = (target: object): Promise<Answer> =>
      s.send('POST', path, { metadata: { name: 'a' }, target });
    expectFault(await bind({ kind: 'Node' }), 'target.name: Required value');
    expectFault(await bind({ kind: 'Pod', name: 'x' }), 'target.kind: Unsupported value: "Pod"');
  },

  async 'bindings can only be posted'(s) {
    expectRefusal(await s.send('GET', s.path('bindings')), 405, 'MethodNotAllowed');
    expectRefusal(await s.send('PUT', s.path('bindings', 'a'), {}), 404, 'NotFound');
  },

  async 'a version that is no number is a bad request of lists and a fault elsewhere'(s) {
    await s.configMap('a');
    const list = await s.send('GET', `${s.path('configmaps')}?resourceVersion=x`);
    expectRefusal(list, 400, 'BadRequest', 'invalid resource version');
    const get = await s.send('GET', `${s.path('configmaps', 'a')}?resourceVersion=x`);
    expectFault(get, 'resourceVersion: Invalid value: "x"');
    const body = configMap('a', {}, { resourceVersion: 'x' });
    expectFault(await s.send('PUT', s.path('configmaps', 'a'), body), 'parsing "x"');
  },

  async 'an item without its merge key is a fault'(s) {
    await s.pod('a');
    const body = { spec: { containers: [{ image: 'registry.example/none:2' }] } };
    const answer = await s.tryPatch(s.path('pods', 'a'), 'strategic', body);
    expectFault(answer, 'does not contain declared merge key: name');
  },

  async 'options of another kind are a bad request'(s) {
    await s.configMap('a');
    const answer = await s.send('DELETE', s.path('configmaps', 'a'), configMap('a'));
    const says = 'no kind "ConfigMap" is registered';
    // Up to 1.34 it is a fault of the server.
    if ((await s.minor()) < 35) expectFault(answer, says);
    else expectRefusal(answer, 400, 'BadRequest', says);
  },

  async 'a group that nobody serves is not found, without a Status'(s) {
    const answer = await s.send('GET', '/apis/none.example.com/v1/things');
    expect([answer.status, answer.body]).toEqual([404, { text: '404 page not found\n' }]);
  },

  async 'a delete that says so in its body is a dry run'(s) {
    await s.configMap('a');
    await s.done('DELETE', s.path('configmaps', 'a'), { dryRun: ['All'] });
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(true);
  },

  async 'a PUT makes a Service that is not there, but no ConfigMap'(s) {
    const service = { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } };
    expect((await s.send('PUT', s.path('services', 'a'), service)).status).toBe(201);
    expectRefusal(await s.send('PUT', s.path('configmaps', 'a'), configMap('a')), 404, 'NotFound');
  },

  async 'empty labels and annotations are none'(s) {
    const made = await s.configMap('a', {}, { labels: {}, annotations: {}, finalizers: [] });
    for (const field of ['labels', 'annotations', 'finalizers']) {
      expect(metaOf(made)).not.toHaveProperty(field);
    }
  },

  async 'the token of its account is mounted into a pod that does not refuse it'(s) {
    const [volume] = objectsAt(specOf(await s.pod('a')), 'volumes');
    expect(volume?.['name']).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    const without = await s.pod('b', { automountServiceAccountToken: false });
    expect(specOf(without)).not.toHaveProperty('volumes');
  },

  async 'a strategic patch puts new items before those that it does not name'(s) {
    const ports = [
      { name: 'x', port: 1 },
      { name: 'a', port: 2 },
      { name: 'b', port: 3 },
    ];
    await s.create(s.path('services'), { metadata: { name: 'a' }, spec: { ports } });
    const names = async (body: object): Promise<unknown[]> => {
      const patched = await s.patch(s.path('services', 'a'), 'strategic', { spec: body });
      return objectsAt(specOf(patched), 'ports').map(({ name }) => name);
    };
    const order = [{ port: 3 }, { port: 2 }];
    expect(await names({ '$setElementOrder/ports': order })).toEqual(['x', 'b', 'a']);
    expect(await names({ ports: [{ name: 'n', port: 9 }] })).toEqual(['n', 'x', 'b', 'a']);
  },
};
