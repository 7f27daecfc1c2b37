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
import type { Registered, RegisteredConversion, RegisteredWebhook } from './webhook.ts';

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

/** Where the objects are by which the API server knows a webhook, and whom to trust for it. */
export const registrationPaths = (webhook: Registered): readonly string[] =>
  'definitions' in webhook
    ? webhook.definitions.map(
        (name) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`,
      )
    : [configurationPath(webhook)];

/** All configuration objects, each with one webhook, in the same order. */
export const webhookConfigurations = (registration: Registration): readonly JsonObject[] =>
  registration.webhooks.map((webhook) => configurationOf(webhook, registration));

function configurationOf(
  webhook: RegisteredWebhook,
  registration: Omit<Registration, 'webhooks'>,
): JsonObject {
  const { authorities, clientConfig } = registration;
  const caBundle = authorities === undefined ? {} : { caBundle: encoded(authorities) };
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
  readonly webhooks: readonly Registered[];
  readonly namespace: string;
}

interface Served {
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
  { authorities, port, trusted }: Served,
): Promise<void> {
  const { registration, serviceName } = configuration.admission;
  if (registration === 'none') return;
  const clientConfig = (path: string): JsonObject =>
    registration === 'url'
      ? { url: `https://127.0.0.1:${port}${path}` }
      : { service: { name: serviceName, namespace, path, port } };
  const told = authorities === '' ? {} : { authorities };
  for (const webhook of webhooks) {
    const isConversion = 'definitions' in webhook;
    const body = isConversion
      ? conversionPatch(webhook, clientConfig, authorities)
      : configurationOf(webhook, { clientConfig, trusted, ...told });
    const contentType = `application/${isConversion ? 'merge-patch+json' : 'apply-patch+yaml'}`;
    for (const path of registrationPaths(webhook)) {
      const request = { path: isConversion ? path : `${path}${query}`, contentType, body };
      const response = await transport.request({ method: 'PATCH', ...request });
      if (isSuccess(response)) continue;
      const name = path.slice(path.lastIndexOf('/') + 1);
      throw new Error(`${name} cannot be registered: ${failureOf(response).message}`);
    }
  }
}

/** The part of a CRD that is ours. A merge patch: nothing is created where there is no CRD. */
function conversionPatch(
  { path }: RegisteredConversion,
  clientConfig: Registration['clientConfig'],
  authorities: string,
): JsonObject {
  const trusting = authorities === '' ? {} : { caBundle: encoded(authorities) };
  // Whoever registered one before may have named the other of the two.
  const config = { url: null, service: null, ...clientConfig(path), ...trusting };
  const webhook = { clientConfig: config, conversionReviewVersions: ['v1'] };
  return { spec: { conversion: { strategy: 'Webhook', webhook } } };
}

const encoded = (pem: string): string => Buffer.from(pem).toString('base64');
