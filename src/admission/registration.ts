// The webhook configuration objects that make the API server ask us (spec api 3.1, 3.9): for the
// chart, `coppice dev` and tests. They are written so that nothing else is ever in the way of a
// controller that is away: the rules name our own resources, or objects that carry our label, and
// matchConditions keep out requests that would be allowed anyway.
import { label, managedBy } from '#machines/grove/labels.ts';
import type { JsonObject } from '#machines/objects.ts';
import { webhookTimeoutMs } from './limits.ts';
import { enabledWebhooks, type Webhook } from './webhooks.ts';

export interface Registration {
  /** How the API server reaches a path: a URL, or a Service. */
  readonly clientConfig: (path: string) => JsonObject;
  /** PEM of the authorities to trust; absent: filled in later by the process. */
  readonly authorities?: string;
  readonly authorizer: boolean;
  /** User names that the authorizer always allows. */
  readonly trusted: readonly string[];
}

interface Rule {
  readonly groups: string[];
  readonly versions: string[];
  readonly resources: string[];
  readonly operations: string[];
  readonly scope: 'Namespaced' | 'Cluster';
}

const created = ['CREATE', 'UPDATE'];
const changed = ['UPDATE', 'DELETE'];
const all = ['CREATE', 'UPDATE', 'DELETE'];

const rule = (
  groups: string[],
  versions: string[],
  resources: string[],
  operations: string[],
  scope: Rule['scope'] = 'Namespaced',
): Rule => ({ groups, versions, resources, operations, scope });

const grove = ['v1alpha1'];
const set = rule(['grove.io'], grove, ['podcliquesets'], created);

/** By name of the configuration. No subresource is named, so status and scale are never asked. */
const rules: Readonly<Record<string, readonly Rule[]>> = {
  'podcliqueset-defaulting-webhook': [set],
  'podcliqueset-validating-webhook': [set],
  'clustertopology-validating-webhook': [
    rule(['grove.io'], grove, ['clustertopologybindings'], created, 'Cluster'),
  ],
  'authorizer-webhook': [
    rule([''], ['v1'], ['secrets', 'serviceaccounts', 'services'], changed),
    rule([''], ['v1'], ['pods'], ['UPDATE']),
    rule(['rbac.authorization.k8s.io'], ['v1'], ['roles', 'rolebindings'], changed),
    rule(['autoscaling'], ['v1', 'v2'], ['horizontalpodautoscalers'], changed),
    rule(['grove.io'], grove, ['podcliques', 'podcliquescalinggroups'], all),
    rule(['scheduler.grove.io'], grove, ['podgangs'], all),
  ],
};

/** The kind of the configuration object that holds a webhook. */
const configurationKind = ({ mutating }: Pick<Webhook, 'mutating'>): string =>
  mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';

/** Where the configuration object of a webhook is. */
export const configurationPath = (webhook: Webhook): string =>
  `/apis/admissionregistration.k8s.io/v1/${configurationKind(webhook).toLowerCase()}s` +
  `/${webhook.configuration}`;

/** All configuration objects, each with one webhook, in the order of `enabledWebhooks`. */
export const webhookConfigurations = (registration: Registration): readonly JsonObject[] =>
  enabledWebhooks(registration.authorizer).map((webhook) => configuration(webhook, registration));

function configuration(webhook: Webhook, registration: Registration): JsonObject {
  const { authorities, clientConfig } = registration;
  const caBundle =
    authorities === undefined ? {} : { caBundle: Buffer.from(authorities).toString('base64') };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: configurationKind(webhook),
    metadata: {
      name: webhook.configuration,
      labels: {
        [label.managedBy]: managedBy,
        [label.component]: 'webhook',
        [label.partOf]: 'grove',
      },
    },
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
        objectSelector: webhook.optional ? { matchLabels: { [label.managedBy]: managedBy } } : {},
        matchConditions: conditions(webhook, registration.trusted),
        rules: (rules[webhook.configuration] ?? []).map((each) => ({
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
function conditions(webhook: Webhook, trusted: readonly string[]): JsonObject[] {
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
