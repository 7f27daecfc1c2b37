// The webhook configuration objects that make the API server ask us (spec api 3.1, 3.9): for the
// chart, `coppice dev` and tests. They are written so that nothing else is ever in the way of a
// controller that is away: the rules name our own resources, or objects that carry our label, and
// matchConditions keep out requests that would be allowed anyway.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { webhookTimeoutMs } from './limits.ts';
import type { RegisteredWebhook } from './webhook.ts';

export interface Registration {
  /** How the API server reaches a path: a URL, or a Service. */
  readonly clientConfig: (path: string) => JsonObject;
  /** PEM of the authorities to trust; absent: filled in later by the process. */
  readonly authorities?: string;
  readonly webhooks: readonly RegisteredWebhook[];
  /** User names that the authorizer always allows. */
  readonly trusted: readonly string[];
}

/** The kind of the configuration object that holds a webhook. */
const configurationKind = ({ mutating }: RegisteredWebhook): string =>
  mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';

/** Where the configuration object of a webhook is. */
export const configurationPath = (webhook: RegisteredWebhook): string =>
  `/apis/admissionregistration.k8s.io/v1/${configurationKind(webhook).toLowerCase()}s` +
  `/${webhook.configuration}`;

/** All configuration objects, each with one webhook, in the same order. */
export const webhookConfigurations = (registration: Registration): readonly JsonObject[] =>
  registration.webhooks.map((webhook) => configuration(webhook, registration));

function configuration(webhook: RegisteredWebhook, registration: Registration): JsonObject {
  const { authorities, clientConfig } = registration;
  const caBundle =
    authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: configurationKind(webhook),
    metadata: { name: webhook.configuration, labels: webhook.labels },
    webhooks: [
      {
        name: webhook.name,
        admissionReviewVersions: ['v1'],
        clientConfig: { ...clientConfig(webhook.path), ...caBundle },
        failurePolicy: 'Fail',
        matchPolicy: 'Exact',
        sideEffects: 'None',
        timeoutSeconds: webhookTimeoutMs / 1000,
        namespaceSelector: {},
        objectSelector: webhook.about === undefined ? {} : { matchLabels: webhook.about },
        matchConditions: conditions(webhook, registration.trusted),
        rules: webhook.rules.map((each) => ({
          apiGroups: each.groups,
          apiVersions: each.versions,
          resources: each.resources,
          operations: each.operations,
          scope: each.scope,
        })),
      },
    ],
  };
}

/**
 * Of the authorizer: requests of users that it trusts are not sent. Of the others: an update of an
 * object that is being deleted only takes finalizers away, and must be possible while nobody
 * answers.
 */
function conditions(webhook: RegisteredWebhook, trusted: readonly string[]): JsonObject[] {
  if (webhook.optional) {
    if (trusted.length === 0) return [];
    const users = trusted.map((user) => JSON.stringify(user)).join(', ');
    return [{ name: 'not-trusted', expression: `!(request.userInfo.username in [${users}])` }];
  }
  return [
    {
      name: 'not-being-deleted',
      expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
    },
  ];
}
