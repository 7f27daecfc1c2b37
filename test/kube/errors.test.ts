// Which answer of the server is which error, and what is kept of its text.
import { expect, test } from 'vitest';
import { codeOf, failureOf, failureOfStatus, isSuccess, unreachable } from '#src/kube/errors.ts';
import { status } from './support/objects.ts';

test.each([
  [100, false],
  [199, false],
  [200, true],
  [201, true],
  [299, true],
  [300, false],
  [404, false],
  [503, false],
])('a status of %i is a success: %s', (code, expected) => {
  expect(isSuccess({ status: code, headers: {}, body: {} })).toBe(expected);
});

test.each([
  [400, 'BadRequest', 'INVALID'],
  [401, 'Unauthorized', 'UNAUTHORIZED'],
  [403, 'Forbidden', 'FORBIDDEN'],
  [404, 'NotFound', 'NOT_FOUND'],
  [405, 'MethodNotAllowed', 'INVALID'],
  [408, 'Timeout', 'SERVER_ERROR'],
  [409, 'Conflict', 'CONFLICT'],
  [409, 'AlreadyExists', 'ALREADY_EXISTS'],
  [409, undefined, 'CONFLICT'],
  [410, 'Gone', 'GONE'],
  [410, 'Expired', 'GONE'],
  [400, 'Expired', 'GONE'],
  [413, 'RequestEntityTooLarge', 'TOO_LARGE'],
  [415, 'UnsupportedMediaType', 'INVALID'],
  [422, 'Invalid', 'INVALID'],
  [429, 'TooManyRequests', 'THROTTLED'],
  [500, 'InternalError', 'SERVER_ERROR'],
  [503, 'ServiceUnavailable', 'SERVER_ERROR'],
  [504, 'Timeout', 'SERVER_ERROR'],
  [302, undefined, 'SERVER_ERROR'],
  [400, undefined, 'INVALID'],
  [401, undefined, 'UNAUTHORIZED'],
  [403, undefined, 'FORBIDDEN'],
  [404, undefined, 'NOT_FOUND'],
  [408, undefined, 'SERVER_ERROR'],
  [410, undefined, 'GONE'],
  [411, undefined, 'INVALID'],
  [413, undefined, 'TOO_LARGE'],
  [429, undefined, 'THROTTLED'],
  [499, undefined, 'INVALID'],
  [500, undefined, 'SERVER_ERROR'],
] as const)('%i %s is %s', (code, reason, expected) => {
  expect(codeOf(code, reason)).toBe(expected);
});

const respond = (code: number, body: unknown, headers: Record<string, string> = {}) =>
  failureOf({ status: code, headers, body });

test('a failure holds the text of the server, its status and its reason', () => {
  const failure = respond(422, status(422, 'Invalid', 'spec.replicas: must not be negative'));
  expect(failure.message).toBe('spec.replicas: must not be negative (422 Invalid)');
});

test('a PATCH that names another UID is a conflict, though the server calls it invalid', () => {
  const causes = [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }];
  expect(respond(422, status(422, 'Invalid', 'immutable', { causes })).code).toBe('CONFLICT');
});

test('a 404 tells an object that is not there from a kind that is not served', () => {
  const details = { name: 'a', group: 'grove.io', kind: 'podcliques' };
  const named = (message: string) => status(404, 'NotFound', message, details);
  const missing = { name: 'a', group: 'grove.io', plural: 'podcliques' };
  expect(respond(404, named('podcliques.grove.io "a" not found')).missing).toEqual(missing);
  const pod = status(404, 'NotFound', 'pods "a" not found', { name: 'a', kind: 'pods' });
  expect(respond(404, pod).missing).toEqual({ name: 'a', group: '', plural: 'pods' });
  for (const other of [
    respond(404, '404 page not found'),
    respond(404, status(404, 'NotFound')),
    respond(409, { ...named('is there'), code: 409 }),
    respond(404, named('admission webhook "x.y" denied the request: podcliques "a" not found')),
  ]) {
    expect(other).not.toHaveProperty('missing');
  }
});

test('a long text of the server is cut', () => {
  expect(respond(500, 'x'.repeat(5_000)).message.length).toBeLessThan(550);
});

test('Retry-After comes from the header before the details, in milliseconds', () => {
  const body = status(429, 'TooManyRequests', 'wait', { retryAfterSeconds: 9 });
  expect(respond(429, body, { 'retry-after': '2' }).retryAfterMs).toBe(2_000);
  expect(respond(429, body).retryAfterMs).toBe(9_000);
  expect(respond(429, body, { 'retry-after': 'tomorrow' }).retryAfterMs).toBe(9_000);
  expect(respond(503, body, { 'retry-after': '0' }).retryAfterMs).toBe(0);
  expect(respond(503, body, { 'retry-after': '-5' }).retryAfterMs).toBe(9_000);
  expect(respond(503, status(503, 'ServiceUnavailable'))).not.toHaveProperty('retryAfterMs');
});

test('Retry-After as a date counts from the date of the answer, whatever our own clock says', () => {
  const after = (retryAfter: string, date?: string) =>
    respond(503, {}, { 'retry-after': retryAfter, ...(date === undefined ? {} : { date }) });
  const now = 'Fri, 20 Nov 1998 10:00:00 GMT';
  expect(after('Fri, 20 Nov 1998 10:00:30 GMT', now).retryAfterMs).toBe(30_000);
  expect(after('Fri, 20 Nov 1998 09:59:59 GMT', now).retryAfterMs).toBe(0);
  expect(after('Fri, 20 Nov 2998 10:00:00 GMT', now).retryAfterMs).toBe(300_000);
  expect(after('Fri, 99 Foo 1998 10:00:00 GMT', now)).not.toHaveProperty('retryAfterMs');
  expect(after('1.5', now)).not.toHaveProperty('retryAfterMs');
  expect(after('Fri, 20 Nov 1998 10:00:30 GMT')).not.toHaveProperty('retryAfterMs');
});

test('a server that does not know the kind of the owner yet is asked again soon', () => {
  const text =
    'pods "a" is forbidden: cannot set blockOwnerDeletion in this case because cannot find ' +
    'RESTMapping for APIVersion grove.io/v1alpha1 Kind PodClique: no matches for kind';
  expect(respond(403, status(403, 'Forbidden', text)).retryAfterMs).toBe(5_000);
  expect(respond(403, status(403, 'Forbidden', 'no'))).not.toHaveProperty('retryAfterMs');
});

test('Retry-After is bounded', () => {
  expect(respond(429, {}, { 'retry-after': '999999' }).retryAfterMs).toBe(300_000);
});

test('an ERROR event of a watch has its code inside', () => {
  expect(failureOfStatus(status(410, 'Expired', 'too old')).code).toBe('GONE');
  expect(failureOfStatus(null).code).toBe('SERVER_ERROR');
});

test('no answer is UNREACHABLE, with the cause that Node hides', () => {
  const cause = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  const failure = unreachable(new TypeError('fetch failed', { cause }));
  expect(failure).toEqual({
    ok: false,
    code: 'UNREACHABLE',
    message: 'fetch failed: ECONNREFUSED',
  });
});
