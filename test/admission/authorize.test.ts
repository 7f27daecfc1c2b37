// The authorizer: each decision of the table decides its example, with the same words.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authorizationRules,
  type AuthorizationSubject,
  decide,
  decideEarly,
} from '#src/admission/authorize.ts';
import { ask, ports } from './ask.ts';

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

  it('is what the webhook answers to its example', async () => {
    const { operation, resource: plural, namespace, name, user, object, trusted, set } = subject;
    const { ports: usual } = ports({ trusted });
    const lookups = { ...usual.lookups, set: async () => set ?? expect.fail('no set') };
    const request = { operation, plural, namespace, name, user, object: {}, oldObject: object };
    const answer = await ask('authorizer-webhook', request, { ...usual, lookups });
    const { allowed, warning, ...refusal } = { warning: undefined, ...says };
    expect(answer).toEqual({
      allowed,
      ...(warning === undefined ? {} : { warnings: [warning] }),
      ...(allowed ? {} : { status: { status: 'Failure', ...refusal } }),
    });
  });
});

describe('The authorizer', () => {
  it.each(['CREATE', 'UPDATE', 'DELETE'])(
    'judges a %s by the object that it is about',
    async (verb) => {
      const [mine, other] = [denied.object, { metadata: {} }];
      const request = { operation: verb, plural: 'podcliques', user: 'alice' };
      const judged = { object: mine, oldObject: other };
      const turned = { object: other, oldObject: mine };
      const isNew = verb === 'CREATE';
      const [about, around] = isNew ? [judged, turned] : [turned, judged];
      expect((await ask('authorizer-webhook', { ...request, ...about })).allowed).toBe(false);
      expect((await ask('authorizer-webhook', { ...request, ...around })).allowed).toBe(true);
    },
  );

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
