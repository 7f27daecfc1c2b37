// Reviews as they come in and go out: which of them can be read, what is read of them, and what an
// answer looks like on its way back.
import { describe, expect, it } from 'vitest';
import { invalid as invalidValue } from '#machines/kubernetes/field-errors.ts';
import {
  allowed,
  decodeReview,
  encodeReview,
  invalid,
  refused,
  type Answer,
} from '#src/admission/review.ts';

const request = {
  uid: 'u-1',
  operation: 'UPDATE',
  resource: { group: 'grove.io', version: 'v1alpha1', resource: 'podcliquesets' },
  namespace: 'n',
  name: 'demo',
  userInfo: { username: 'alice' },
  object: { a: 1 },
  oldObject: { a: 0 },
};
const review = (changes: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { ...request, ...changes },
});

describe('A review', () => {
  it('is read whole', () => {
    expect(decodeReview(review())).toEqual({
      ok: true,
      request: {
        ...request,
        resource: 'grove.io/podcliquesets',
        plural: 'podcliquesets',
        userInfo: undefined,
        user: 'alice',
      },
    });
  });

  it('of a kind of the core has no group', () => {
    expect(decodeReview(review({ resource: { group: '', resource: 'pods' } }))).toMatchObject({
      request: { resource: 'pods', plural: 'pods' },
    });
  });

  it('without objects, names and user has none', () => {
    expect(decodeReview({ ...review(), request: { uid: 'u', object: null } })).toEqual({
      ok: true,
      request: {
        ...{ uid: 'u', operation: '', resource: '', plural: '', namespace: '', name: '', user: '' },
        ...{ object: undefined, oldObject: undefined },
      },
    });
  });

  const ofVersion = 'the body must be an AdmissionReview of admission.k8s.io/v1';
  it.each([
    [undefined, ofVersion],
    [{ ...review(), kind: 'ConversionReview' }, ofVersion],
    [{ ...review(), apiVersion: 'admission.k8s.io/v1beta1' }, ofVersion],
    [{ ...review(), request: undefined }, 'request is missing'],
    [{ ...review(), request: 'text' }, 'request is missing'],
    [review({ uid: '' }), 'request.uid is missing'],
    [review({ uid: 7 }), 'request.uid is missing'],
  ])('such as %j is none: %s', (body, problem) => {
    expect(decodeReview(body)).toEqual({ ok: false, problem });
  });
});

describe('An answer', () => {
  const sent = (answer: Answer) => encodeReview('u-1', answer);
  const around = (response: object) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', ...response },
  });

  it('that allows says no more', () => {
    expect(sent(allowed)).toEqual(around({ allowed: true }));
    expect(sent({ allowed: true, warnings: [], patch: [] })).toEqual(around({ allowed: true }));
  });

  it('has its warnings, and its patch in base64', () => {
    const patch = [{ op: 'add', path: '/spec/a', value: 1 }] as const;
    expect(sent({ allowed: true, warnings: ['old'], patch })).toEqual(
      around({
        allowed: true,
        warnings: ['old'],
        patchType: 'JSONPatch',
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      }),
    );
  });

  it('that refuses is a Status with its code and reason', () => {
    expect(sent(refused(504, 'Timeout', 'late'))).toEqual(
      around({
        allowed: false,
        status: { status: 'Failure', code: 504, reason: 'Timeout', message: 'late' },
      }),
    );
  });
});

describe('Field errors', () => {
  const error = (field: string) => invalidValue(field, 7, 'must be less');

  it('are one text, and each a cause with its field (3.1)', () => {
    expect(invalid({ kind: 'PodCliqueSet', name: 'demo' }, [error('a.b')])).toEqual({
      allowed: false,
      status: {
        ...{ status: 'Failure', code: 403, reason: 'Forbidden' },
        message: 'a.b: Invalid value: 7: must be less',
        details: {
          ...{ name: 'demo', group: 'grove.io', kind: 'PodCliqueSet' },
          causes: [
            {
              ...{ reason: 'FieldValueInvalid', field: 'a.b' },
              message: 'Invalid value: 7: must be less',
            },
          ],
        },
      },
    });
  });

  it.each([
    [200, 200, /\]$/],
    [201, 200, / and 1 more errors$/],
    [250, 200, / and 50 more errors$/],
  ])('are shown as far as anybody reads: of %i there are %i', (count, shown, message) => {
    const errors = Array.from({ length: count }, (_, index) => error(`f${index}`));
    const { status } = invalid({ kind: 'PodCliqueSet', name: '' }, errors);
    expect(status?.['message']).toMatch(message);
    expect(status?.['details']).toMatchObject({ causes: { length: shown } });
    expect(status?.['details']).not.toHaveProperty('name');
  });
});
