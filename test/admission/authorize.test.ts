// The authorizer: each decision of the table decides its example, with the same words.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authorizationRules,
  type AuthorizationSubject,
  decide,
  decideEarly,
} from '#src/admission/authorize.ts';

const operator = 'system:serviceaccount:grove:grove-operator';

const denied: AuthorizationSubject = {
  operation: 'UPDATE',
  resource: 'podcliques',
  namespace: 'default',
  name: 'base-0-router',
  user: 'alice',
  object: { metadata: { labels: { 'app.kubernetes.io/part-of': 'base' } } },
  trusted: [operator],
  set: { is: 'there', annotations: {} },
};

describe.each(authorizationRules)('Decision $id', ({ id, example, says }) => {
  const subject = { ...denied, ...example };

  it('is the first that has an opinion on its example', () => {
    expect(authorizationRules.find((rule) => rule.decide(subject) !== undefined)?.id).toBe(id);
    expect(decide(subject)).toEqual(says);
  });
});

describe('The authorizer', () => {
  it('denies to delete a PodClique and allows to delete a pod', () => {
    expect(decide({ ...denied, operation: 'DELETE' })).toMatchObject({ allowed: false, code: 403 });
    expect(decide({ ...denied, operation: 'DELETE', resource: 'pods' })).toEqual({ allowed: true });
  });

  it('needs no lookup for the controller itself, and one for a stranger', () => {
    const { set: _, ...unseen } = denied;
    expect(decideEarly({ ...unseen, user: operator })).toEqual({ allowed: true });
    expect(decideEarly(unseen)).toBeUndefined();
  });

  it('never throws, whatever the object is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.string(), (object, operation, user) => {
        decide({ ...denied, object, operation, user });
        decide({ ...denied, object, set: { is: 'there', annotations: object } });
      }),
    );
  });
});
