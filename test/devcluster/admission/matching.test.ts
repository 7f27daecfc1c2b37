// Which webhooks are asked about a request: rules, selectors, conditions, versions.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { callValidating, webhookAdmission } from '#src/devcluster/admission/index.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import type { ResourceInfo } from '#src/devcluster/contract.ts';
import { allow, attempt, configuration, fake, noWarnings, pods, validate } from './support.ts';

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
