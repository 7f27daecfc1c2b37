// Checks: names, labels, annotations, generated names, namespaces.
import { expect } from 'vitest';
import { textAt } from '#machines/kubernetes/fields.ts';
import { configMap, expectRefusal, metaOf } from './session.ts';
import type { Session, Suite } from './session.ts';

const post = (s: Session, name: string, metadata = {}) =>
  s.send('POST', s.path('configmaps'), configMap(name, {}, metadata));

export const naming: Suite = {
  async 'a name with capitals is refused in the usual words'(s) {
    expectRefusal(
      await post(s, 'Bad_Name'),
      422,
      'Invalid',
      'metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of' +
        " lower case alphanumeric characters, '-' or '.', and must start and end with an" +
        " alphanumeric character (e.g. 'example.com', regex used for validation is",
    );
  },

  async 'a name may be as long as 253'(s) {
    await s.configMap('a'.repeat(253));
    expectRefusal(await post(s, 'a'.repeat(254)), 422, 'Invalid', 'must be no more than 253');
  },

  async 'a name that must be a label has no dots'(s) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${s.namespace}.dot` } };
    const answer = await s.send('POST', '/api/v1/namespaces', body);
    expectRefusal(answer, 422, 'Invalid', 'metadata.name: Invalid value');
    expectRefusal(answer, 422, 'Invalid', 'must not contain dots');
  },

  async 'a service name is a DNS label that begins with a letter'(s) {
    const spec = { ports: [{ port: 80 }] };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: '1a' }, spec };
    const answer = await s.send('POST', s.path('services'), body);
    expectRefusal(answer, 422, 'Invalid', 'a DNS-1035 label must consist of');
  },

  async 'a role name may hold a colon'(s) {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const body = { apiVersion, kind: 'Role', metadata: { name: 'a:b' }, rules: [] };
    await s.create(s.path('roles'), body);
  },

  async 'a label key and a label value are checked'(s) {
    const key = await post(s, 'a', { labels: { 'not a key': 'x' } });
    expectRefusal(
      key,
      422,
      'Invalid',
      'metadata.labels: Invalid value: "not a key": name part must',
    );
    const value = await post(s, 'a', { labels: { key: 'not a value' } });
    expectRefusal(value, 422, 'Invalid', 'a valid label must be an empty string or consist of');
  },

  async 'annotations have a limit together'(s) {
    const answer = await post(s, 'a', { annotations: { a: 'x'.repeat(262145) } });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'metadata.annotations: Too long: may not be more than 262144',
    );
  },

  async 'an owner needs all of its fields'(s) {
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x' }];
    expectRefusal(await post(s, 'a', { ownerReferences }), 422, 'Invalid', 'must not be empty');
    const none = await post(s, 'a', { ownerReferences: [null] });
    expectRefusal(none, 422, 'Invalid', 'metadata.ownerReferences.apiVersion: Invalid value: ""');
  },

  async 'a finalizer that is null is an empty one'(s) {
    const answer = await post(s, 'a', { finalizers: [null] });
    expectRefusal(answer, 422, 'Invalid', 'metadata.finalizers: Invalid value: ""');
  },

  async 'generateName gives different names with the prefix'(s) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'pre-' } };
    const [a, b] = [
      await s.create(s.path('configmaps'), body),
      await s.create(s.path('configmaps'), body),
    ];
    const names = [a, b].map((object) => textAt(metaOf(object), 'name'));
    expect(names[0]).toMatch(/^pre-[a-z0-9]{5}$/);
    expect(names[0]).not.toBe(names[1]);
  },

  async 'a name wins over generateName'(s) {
    const made = await s.configMap('a', {}, { generateName: 'pre-' });
    expect(textAt(metaOf(made), 'name')).toBe('a');
  },

  async 'an object without any name is refused'(s) {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
    const answer = await s.send('POST', s.path('configmaps'), body);
    expectRefusal(answer, 422, 'Invalid', 'name or generateName is required');
  },

  async 'a namespace that is not that of the path is refused'(s) {
    const answer = await post(s, 'a', { namespace: 'default' });
    const why =
      'the namespace of the provided object does not match the namespace sent on the request';
    expectRefusal(answer, 400, 'BadRequest', why);
  },

  async 'a namespace that is not there takes nothing'(s) {
    const path = '/api/v1/namespaces/no-such-namespace/configmaps';
    const answer = await s.send('POST', path, configMap('a'));
    expectRefusal(answer, 404, 'NotFound', 'namespaces "no-such-namespace" not found');
  },

  async 'a kind that does not fit the path is refused'(s) {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };
    const answer = await s.send('POST', s.path('configmaps'), body);
    expect(answer.status).toBe(400);
  },

  async 'a body above three megabytes is too large'(s) {
    const body = configMap('a', { data: { k: 'x'.repeat(3 * 1024 * 1024 + 1) } });
    const answer = await s.send('POST', s.path('configmaps'), body);
    expectRefusal(answer, 413, 'RequestEntityTooLarge');
  },

  async 'a config map holds one megabyte'(s) {
    const body = configMap('a', { data: { k: 'x'.repeat(1024 * 1024 + 1) } });
    expectRefusal(await s.send('POST', s.path('configmaps'), body), 422, 'Invalid', 'Too long');
  },

  async 'a deleted namespace empties itself and goes'(s) {
    const name = `${s.namespace}-gone`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await s.create('/api/v1/namespaces', body);
    await s.create(
      `/api/v1/namespaces/${name}/configmaps`,
      configMap('a', {}, { finalizers: ['a.io/x'] }),
    );
    const answer = await s.send('DELETE', `/api/v1/namespaces/${name}`);
    expect(answer.body['status']).toMatchObject({ phase: 'Terminating' });
    const refused = await s.send('POST', `/api/v1/namespaces/${name}/configmaps`, configMap('b'));
    expectRefusal(refused, 403, 'Forbidden', 'because it is being terminated');
    const held = `/api/v1/namespaces/${name}/configmaps/a`;
    await s.patch(held, 'merge', { metadata: { finalizers: null } });
    await s.eventuallyGone(`/api/v1/namespaces/${name}`);
  },
};
