// The webhook configuration objects that make the API server ask us (spec api 3.1, 3.9): for the
// chart and tests, and applied where the configuration says that this process does it, which are
// `coppice dev` and installations without the chart. They are written so that nothing else is ever
// in the way of a controller that is away: the rules name our own resources, or objects that carry
// our label, and matchConditions keep out requests that would be allowed anyway.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
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
        rules: [...webhook.rules],
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

interface RegisterOptions {
  readonly configuration: Configuration;
  readonly transport: KubeTransport;
  readonly webhooks: readonly RegisteredWebhook[];
  readonly namespace: string;
}

interface Registered {
  /** PEM; blank: whoever wrote the certificate cares for the trust in it. */
  readonly authorities: string;
  readonly port: number;
  readonly trusted: readonly string[];
}

/** Server-side apply: a repeat changes nothing, and what others added stays. */
const query = '?fieldManager=coppice-admission&force=true';

/** Does nothing where somebody else registers. Rejects where the API server refuses. */
export async function register(
  { configuration, transport, webhooks, namespace }: RegisterOptions,
  { authorities, port, trusted }: Registered,
): Promise<void> {
  const { registration, serviceName } = configuration.admission;
  if (registration === 'none') return;
  const clientConfig = (path: string): JsonObject =>
    registration === 'url'
      ? { url: `https://127.0.0.1:${port}${path}` }
      : { service: { name: serviceName, namespace, path, port } };
  const objects = webhookConfigurations({
    clientConfig,
    webhooks,
    trusted,
    ...(authorities === '' ? {} : { authorities }),
  });
  for (const [index, webhook] of webhooks.entries()) {
    const response = await transport.request({
      method: 'PATCH',
      path: `${configurationPath(webhook)}${query}`,
      contentType: 'application/apply-patch+yaml',
      body: objects[index],
    });
    if (!isSuccess(response)) {
      throw new Error(
        `${webhook.configuration} cannot be registered: ${failureOf(response).message}`,
      );
    }
  }
}
