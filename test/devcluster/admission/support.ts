// Attempts, configurations and a webhook that is a function, for the tests of the admission.
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { WebhookWorld } from '#src/devcluster/admission/index.ts';
import { callValidating } from '#src/devcluster/admission/index.ts';
import type { AdmissionAttempt } from '#src/devcluster/api/admission.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';
import { strategies } from '#src/devcluster/strategies/index.ts';
import { environment } from '#test/devcluster/strategies/support.ts';

export const pods = (version = 'v1'): ResourceInfo => ({
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

export const attempt = (more: Partial<AdmissionAttempt> = {}): AdmissionAttempt => ({
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
export function configuration(name: string, webhook: JsonObject = {}): Stored {
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

export type Respond = (request: JsonObject, url: string) => JsonObject | Error;

export interface Fake {
  readonly world: WebhookWorld;
  readonly requests: JsonObject[];
}

export function fake(respond: Respond, more: Partial<WebhookWorld> = {}): Fake {
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

export const allow: Respond = () => ({ allowed: true });
export const patch = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
export const label = (key: string): JsonObject =>
  patch({ op: 'add', path: `/metadata/labels/${key}`, value: 'x' });
export const noWarnings = (): void => {};

export const validate = (
  webhook: JsonObject,
  respond: Respond,
  more: Partial<AdmissionAttempt> = {},
) => {
  const { world, requests } = fake(respond);
  const done = callValidating([configuration('one', webhook)], attempt(more), world, noWarnings);
  return { done, requests };
};
