import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/objects.ts';
import type { WebhookWorld } from '#src/devcluster/admission/index.ts';
import { callMutating, callValidating, webhookAdmission } from '#src/devcluster/admission/index.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { isObject, objectAt, textAt } from '#src/devcluster/strategies/json.ts';
import { strategies } from '#src/devcluster/strategies/index.ts';
import { environment } from '#test/devcluster/strategies/support.ts';

const pods = (version = 'v1'): ResourceInfo => ({
  group: '',
  version,
  kind: 'Pod',
  listKind: 'PodList',
  plural: 'pods',
  singular: 'pod',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [{ name: 'binding', kind: 'Binding', verbs: ['create'] }],
  schema: {},
  strategy: { hasStatus: true },
  custom: false,
});

const attempt = (more: Partial<AdmissionAttempt> = {}): AdmissionAttempt => ({
  operation: 'CREATE',
  resource: pods(),
  subresource: '',
  namespace: 'default',
  name: 'web',
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { app: 'a' } } },
  user: { name: 'me', groups: ['g'] },
  dryRun: false,
  options: {},
  ...more,
});

/** A configuration with one webhook, defaulted as the server stores it. */
function configuration(name: string, webhook: JsonObject = {}): Stored {
  const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'] };
  const object: Stored = {
    metadata: { name },
    webhooks: [
      {
        name: `${name}.test.io`,
        clientConfig: { url: `https://${name}.test.io/hook` },
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...webhook,
      },
    ],
  };
  const key = 'admissionregistration.k8s.io/mutatingwebhookconfigurations';
  strategies[key]?.defaults?.(object, environment);
  return object;
}

type Respond = (request: JsonObject, url: string) => JsonObject | Error;

interface Fake {
  readonly world: WebhookWorld;
  readonly requests: JsonObject[];
}

function fake(respond: Respond, more: Partial<WebhookWorld> = {}): Fake {
  const requests: JsonObject[] = [];
  let uid = 0;
  const world: WebhookWorld = {
    newUid: () => `review-${++uid}`,
    namespaceLabels: (name) => ({ name }),
    versionsOf: (resource) => [resource],
    post: (target, review) => {
      const request = objectAt(review, 'request') ?? {};
      requests.push(request);
      const response = respond(request, target.url);
      if (response instanceof Error) return Promise.reject(response);
      const body = { uid: textAt(request, 'uid'), ...response };
      const kind = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
      return Promise.resolve({ ...kind, response: body });
    },
    ...more,
  };
  return { world, requests };
}

const allow: Respond = () => ({ allowed: true });
const patch = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const label = (key: string): JsonObject =>
  patch({ op: 'add', path: `/metadata/labels/${key}`, value: 'x' });
const noWarnings = (): void => {};

const validate = (webhook: JsonObject, respond: Respond, more: Partial<AdmissionAttempt> = {}) => {
  const { world, requests } = fake(respond);
  const done = callValidating([configuration('one', webhook)], attempt(more), world, noWarnings);
  return { done, requests };
};

describe('a review', () => {
  test('a webhook is told who wants what', async () => {
    const { done, requests } = validate({}, allow);
    await done;
    expect(requests).toMatchObject([
      {
        uid: 'review-1',
        kind: { group: '', version: 'v1', kind: 'Pod' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        namespace: 'default',
        name: 'web',
        operation: 'CREATE',
        userInfo: { username: 'me', groups: ['g'] },
        object: { metadata: { name: 'web' } },
        oldObject: null,
        dryRun: false,
      },
    ]);
  });

  test.each([
    [{ status: { message: 'no', code: 403 } }, 403, ': no'],
    [{ status: { reason: 'Bad' } }, 400, ': Bad'],
    [{}, 400, ' without explanation'],
    [{ status: { message: 'no', code: 200 } }, 400, ': no'],
  ])('a refusal %j is answered with %d', async (response, code, why) => {
    const { done } = validate({}, () => ({ allowed: false, ...response }));
    await expect(done).rejects.toMatchObject({
      code,
      message: `admission webhook "one.test.io" denied the request${why}`,
    });
  });

  test('a call that fails refuses by default, and is passed over with Ignore', async () => {
    const down = (): Error => new Error('connection refused');
    await expect(validate({}, down).done).rejects.toMatchObject({
      code: 500,
      message:
        'Internal error occurred: failed calling webhook "one.test.io": failed to call webhook:' +
        ' Post "https://one.test.io/hook?timeout=10s": connection refused',
    });
    await validate({ failurePolicy: 'Ignore' }, down).done;
  });

  test('a refusal counts whatever the failure policy', async () => {
    const { done } = validate({ failurePolicy: 'Ignore' }, () => ({ allowed: false }));
    await expect(done).rejects.toThrow('denied the request');
  });

  test('an answer to another review is a failure', async () => {
    const { done } = validate({}, () => ({ uid: 'other', allowed: true }));
    await expect(done).rejects.toThrow('expected response.uid="review-1", got "other"');
  });

  test('a service cannot be called and says why', async () => {
    const clientConfig = { service: { namespace: 'a', name: 'b' } };
    await expect(validate({ clientConfig }, allow).done).rejects.toThrow(
      'service a/b cannot be reached',
    );
  });

  test('a webhook with side effects refuses a dry run', async () => {
    const { done } = validate({ sideEffects: 'Some' }, allow, { dryRun: true });
    await expect(done).rejects.toMatchObject({
      code: 400,
      message: 'admission webhook "one.test.io" does not support dry run',
    });
  });

  test('warnings reach the client', async () => {
    const warnings: string[] = [];
    const { world } = fake(() => ({ allowed: true, warnings: ['old field'] }));
    await callValidating([configuration('one')], attempt(), world, (text) => warnings.push(text));
    expect(warnings).toEqual(['old field']);
  });
});

describe('who is asked', () => {
  const rule = (more: JsonObject): JsonObject => ({
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], ...more }],
  });
  const cases: [string, JsonObject, Partial<AdmissionAttempt>, boolean][] = [
    ['another operation', rule({ operations: ['UPDATE'] }), {}, false],
    ['another group', rule({ apiGroups: ['apps'] }), {}, false],
    ['all resources', rule({}), {}, true],
    ['all resources, a subresource', rule({}), { subresource: 'status' }, false],
    ['all and all subresources', rule({ resources: ['*/*'] }), { subresource: 'status' }, true],
    ['pods/status', rule({ resources: ['pods/status'] }), { subresource: 'status' }, true],
    ['pods/*', rule({ resources: ['pods/*'] }), { subresource: 'binding' }, true],
    ['the cluster scope', rule({ scope: 'Cluster' }), {}, false],
    ['labels of the object', { objectSelector: { matchLabels: { app: 'a' } } }, {}, true],
    ['other labels', { objectSelector: { matchLabels: { app: 'b' } } }, {}, false],
    [
      'labels of the namespace',
      { namespaceSelector: { matchLabels: { name: 'default' } } },
      {},
      true,
    ],
    ['another namespace', { namespaceSelector: { matchLabels: { name: 'x' } } }, {}, false],
    [
      'a condition that holds',
      { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'web'" }] },
      {},
      true,
    ],
    [
      'a condition that does not',
      { matchConditions: [{ name: 'c', expression: "request.operation == 'DELETE'" }] },
      {},
      false,
    ],
  ];
  test.each(cases)('a webhook for %s', async (_what, webhook, more, asked) => {
    const { done, requests } = validate(webhook, allow, more);
    await done;
    expect(requests.length).toBe(asked ? 1 : 0);
  });

  test('a condition that fails to evaluate refuses, or passes over with Ignore', async () => {
    const matchConditions = [{ name: 'bad', expression: 'object.nothing.there == 1' }];
    await expect(validate({ matchConditions }, allow).done).rejects.toMatchObject({ code: 403 });
    const { done, requests } = validate({ matchConditions, failurePolicy: 'Ignore' }, allow);
    await done;
    expect(requests).toEqual([]);
  });

  test('a rule for another version of the resource counts unless the match is Exact', async () => {
    const versionsOf = (): ResourceInfo[] => [pods('v1'), pods('v2')];
    const inV2 = rule({ apiVersions: ['v2'], resources: ['pods'] });
    const equivalent = fake(allow, { versionsOf });
    await callValidating([configuration('one', inV2)], attempt(), equivalent.world, noWarnings);
    expect(equivalent.requests).toMatchObject([
      {
        resource: { version: 'v2' },
        requestResource: { version: 'v1' },
        object: { apiVersion: 'v2' },
      },
    ]);
    const exact = fake(allow, { versionsOf });
    const only = configuration('one', { ...inV2, matchPolicy: 'Exact' });
    await callValidating([only], attempt(), exact.world, noWarnings);
    expect(exact.requests).toEqual([]);
  });

  test('nobody is asked about webhook configurations', () => {
    const { world } = fake(allow);
    const admission = webhookAdmission({
      ...world,
      mutating: () => [configuration('one', rule({ resources: ['*/*'] }))],
      validating: () => [],
    });
    expect(admission.wants(attempt())).toBe(true);
    const resource = { ...pods(), group: 'admissionregistration.k8s.io' };
    expect(admission.wants(attempt({ resource }))).toBe(false);
  });
});

describe('mutation', () => {
  const labelsOf = (object: unknown): string[] =>
    isObject(object) ? Object.keys(objectAt(objectAt(object, 'metadata'), 'labels') ?? {}) : [];

  test('webhooks change the object one after the other, in the order of their names', async () => {
    const { world, requests } = fake((_request, url) => label(url.includes('a.') ? 'a' : 'b'));
    const both = [configuration('b'), configuration('a')];
    const result = await callMutating(both, attempt(), world, noWarnings);
    expect(labelsOf(result)).toEqual(['app', 'a', 'b']);
    expect(requests.map((request) => labelsOf(request['object']))).toEqual([['app'], ['app', 'a']]);
  });

  test('a webhook is asked again when a later one changed the object', async () => {
    const { world, requests } = fake((_request, url) =>
      url.includes('b.') ? label('b') : { allowed: true },
    );
    const configurations = [
      configuration('a', { reinvocationPolicy: 'IfNeeded' }),
      configuration('b'),
    ];
    await callMutating(configurations, attempt(), world, noWarnings);
    expect(requests.map((request) => labelsOf(request['object']))).toEqual([
      ['app'],
      ['app'],
      ['app', 'b'],
    ]);
  });

  test('an object that nobody changes stays the very same', async () => {
    const { world } = fake(allow);
    const before = attempt();
    expect(await callMutating([configuration('a')], before, world, noWarnings)).toBe(before.object);
  });

  test('a patch that does not fit is a failure', async () => {
    const { world } = fake(() => patch({ op: 'remove', path: '/spec/nothing' }));
    await expect(
      callMutating([configuration('a')], attempt(), world, noWarnings),
    ).rejects.toMatchObject({ code: 500 });
  });

  test('a validating webhook may not patch', async () => {
    const { done } = validate({}, () => label('x'));
    await expect(done).rejects.toThrow('validating webhook may not return a patch');
  });
});
