// What a webhook is told and how its answers count, and how mutations follow each other.
import { describe, expect, test } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { callMutating, callValidating } from '#src/devcluster/admission/index.ts';
import {
  allow,
  attempt,
  configuration,
  fake,
  label,
  noWarnings,
  patch,
  validate,
} from './support.ts';

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
