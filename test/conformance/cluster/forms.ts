// Checks: the other forms of an answer (tables, metadata only), dry runs, discovery, OpenAPI,
// tokens and unknown paths.
import { expect } from 'vitest';
import { listAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { configMap, expectRefusal, metaOf, namesOf, versionOf, widgetGroup } from './session.ts';
import type { Session, Suite } from './session.ts';

const tables = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const discoveryForm = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function tokenSecret(s: Session, name: string): Promise<JsonObject> {
  const annotations = { 'kubernetes.io/service-account.name': name };
  return s.create(s.path('secrets'), {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name, annotations },
  });
}

async function account(s: Session, name: string): Promise<JsonObject> {
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  return s.create(s.path('serviceaccounts'), body);
}

async function whoAmI(s: Session, token: string): Promise<JsonObject> {
  const response = await s.server.withToken(token).request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  const { body } = response;
  const object = typeof body === 'object' && body !== null ? JSON.parse(JSON.stringify(body)) : {};
  return objectAt(objectAt(object, 'status'), 'userInfo') ?? { code: response.status };
}

export const forms: Suite = {
  async 'a list of pods is a table with the usual columns'(s) {
    await s.pod('a');
    const answer = await s.send('GET', s.path('pods'), undefined, { accept: tables });
    expect(answer.body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    const columns = objectsAt(answer.body, 'columnDefinitions');
    const shown = columns.filter((each) => each['priority'] === 0).map((each) => each['name']);
    expect(shown).toEqual(['Name', 'Ready', 'Status', 'Restarts', 'Age']);
    expect(objectsAt(answer.body, 'rows')[0]).toMatchObject({
      cells: expect.arrayContaining(['a', '0/1', 'Pending']),
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'a' } },
    });
  },

  async 'a table of custom objects has the columns of their definition'(s) {
    await s.widget('a', { size: 4 });
    const answer = await s.send('GET', s.path('widgets', 'a'), undefined, { accept: tables });
    const columns = objectsAt(answer.body, 'columnDefinitions').map((each) => each['name']);
    expect(columns).toEqual(['Name', 'Size', 'Color', 'Age']);
    const cells = listAt(objectsAt(answer.body, 'rows')[0], 'cells');
    expect(cells.slice(0, 3)).toEqual(['a', 4, 'red']);
  },

  async 'metadata can be had alone'(s) {
    await s.configMap('a', { data: { k: 'v' } });
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const answer = await s.send('GET', s.path('configmaps'), undefined, { accept });
    expect(answer.body['kind']).toBe('PartialObjectMetadataList');
    expect(objectsAt(answer.body, 'items').every((item) => item['data'] === undefined)).toBe(true);
  },

  async 'a dry run answers as if, and stores nothing'(s) {
    const path = `${s.path('configmaps')}?dryRun=All`;
    const answer = await s.send('POST', path, configMap('a', { data: { k: 'v' } }));
    expect(answer).toMatchObject({ status: 201, body: { data: { k: 'v' } } });
    expect(await s.exists(s.path('configmaps', 'a'))).toBe(false);
  },

  async 'a dry run of a change and of a delete leaves the object'(s) {
    const made = await s.configMap('a', { data: { k: '1' } });
    const path = s.path('configmaps', 'a');
    const patched = await s.tryPatch(`${path}?dryRun=All`, 'merge', { data: { k: '2' } });
    expect(patched.body['data']).toEqual({ k: '2' });
    await s.done('DELETE', `${path}?dryRun=All`);
    expect(versionOf(await s.get(path))).toBe(versionOf(made));
  },

  async 'a dry run says what is wrong'(s) {
    const answer = await s.send('POST', `${s.path('configmaps')}?dryRun=All`, configMap('Bad'));
    expectRefusal(answer, 422, 'Invalid');
    const unknown = await s.send('POST', `${s.path('configmaps')}?dryRun=Some`, configMap('a'));
    expect(unknown.status).toBeGreaterThanOrEqual(400);
  },

  async 'discovery names groups, versions and kinds'(s) {
    expect(objectsAt(await s.get('/apis'), 'groups').map((group) => group['name'])).toEqual(
      expect.arrayContaining(['apps', 'rbac.authorization.k8s.io', widgetGroup]),
    );
    const core = objectsAt(await s.get('/api/v1'), 'resources');
    expect(core).toContainEqual(
      expect.objectContaining({ name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] }),
    );
    expect(core.map((each) => each['name'])).toEqual(
      expect.arrayContaining(['pods/status', 'pods/binding', 'pods/eviction']),
    );
  },

  async 'discovery comes in one piece when asked for'(s) {
    const answer = await s.send('GET', '/apis', undefined, { accept: discoveryForm });
    expect(answer.body['kind']).toBe('APIGroupDiscoveryList');
    const group = objectsAt(answer.body, 'items').find(
      (item) => textAt(metaOf(item), 'name') === widgetGroup,
    );
    const resources = objectsAt(objectsAt(group, 'versions')[0], 'resources');
    expect(resources).toContainEqual(
      expect.objectContaining({ resource: 'widgets', scope: 'Namespaced' }),
    );
  },

  async 'OpenAPI describes built-in and custom kinds'(s) {
    const paths = objectAt(await s.get('/openapi/v3'), 'paths') ?? {};
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['api/v1', `apis/${widgetGroup}/v1`]),
    );
    const core = await s.get('/openapi/v3/api/v1');
    const schemas = objectAt(objectAt(core, 'components'), 'schemas') ?? {};
    expect(Object.keys(schemas)).toContain('io.k8s.api.core.v1.Pod');
  },

  async 'a path that nobody serves is not found'(s) {
    expect((await s.send('GET', '/apis/no.such.group/v1/things')).status).toBe(404);
    expectRefusal(await s.send('GET', s.path('nothings')), 404, 'NotFound');
  },

  async 'a method that a path does not have is refused'(s) {
    const answer = await s.send('PUT', s.path('configmaps'), configMap('a'));
    expectRefusal(answer, 405, 'MethodNotAllowed');
  },

  async 'the server tells its version and its health without being asked who'(s) {
    expect(await s.get('/version')).toMatchObject({ major: '1', gitVersion: expect.any(String) });
    for (const path of ['/livez', '/readyz', '/healthz']) {
      expect((await s.send('GET', path)).status).toBe(200);
    }
  },

  async 'a token of an account stands for the account'(s) {
    await account(s, 'robot');
    const path = s.path('serviceaccounts', 'robot', 'token');
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const token = textAt(objectAt(await s.create(path, body), 'status'), 'token');
    const user = await whoAmI(s, token);
    expect(user['username']).toBe(`system:serviceaccount:${s.namespace}:robot`);
    expect(listAt(user, 'groups')).toContain(`system:serviceaccounts:${s.namespace}`);
  },

  async 'a token that is no token is unauthorized'(s) {
    expect(await whoAmI(s, 'nonsense')).toEqual({ code: 401 });
  },

  async 'a token secret is filled, and its token works until the account goes'(s) {
    await account(s, 'robot');
    await tokenSecret(s, 'robot');
    const path = s.path('secrets', 'robot');
    const data = async (): Promise<JsonObject> => objectAt(await s.get(path), 'data') ?? {};
    await s.eventually('the secret is filled', async () => (await data())['token'] !== undefined);
    expect(Object.keys(await data()).toSorted()).toEqual(['ca.crt', 'namespace', 'token']);
    const token = Buffer.from(textAt(await data(), 'token'), 'base64').toString();
    expect((await whoAmI(s, token))['username']).toBe(`system:serviceaccount:${s.namespace}:robot`);
    await s.send('DELETE', s.path('serviceaccounts', 'robot'));
    await s.eventuallyGone(path);
  },

  async 'a token secret goes where its account is not there'(s) {
    await tokenSecret(s, 'nobody');
    await s.eventuallyGone(s.path('secrets', 'nobody'));
  },

  async 'a namespace is born with its account and the authority'(s) {
    await s.eventually('the account', () => s.exists(s.path('serviceaccounts', 'default')));
    await s.eventually('the authority', () => s.exists(s.path('configmaps', 'kube-root-ca.crt')));
  },

  async 'an event of the new kind says who reports what'(s) {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a.2' },
      involvedObject: { kind: 'Pod', name: 'a', namespace: s.namespace },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingComponent: 'coppice.dev/check',
      type: 'Normal',
    };
    const answer = await s.send('POST', s.path('events'), event);
    expectRefusal(answer, 422, 'Invalid', 'reportingInstance: Required value');
    const more = { reportingInstance: 'one', action: 'Checking', reason: 'Testing' };
    expect(await s.create(s.path('events'), { ...event, ...more })).toMatchObject({
      firstTimestamp: null,
      source: {},
    });
  },

  async 'events can be found by what they are about'(s) {
    const pod = await s.pod('a');
    const { name, namespace, uid } = metaOf(pod);
    const involvedObject = {
      kind: 'Pod',
      name: name ?? '',
      namespace: namespace ?? '',
      uid: uid ?? '',
    };
    await s.create(s.path('events'), {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a.1' },
      involvedObject,
      reason: 'Testing',
      type: 'Normal',
    });
    const selector = encodeURIComponent('involvedObject.name=a,reason=Testing');
    const found = await s.list(`${s.path('events')}?fieldSelector=${selector}`);
    expect(namesOf(found)).toEqual(['a.1']);
  },
};
