// Registers the webhooks where the configuration says that this process does it: `coppice dev`, and
// installations without the chart. By server-side apply, so that a repeat changes nothing and what
// others added stays.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { configurationPath, webhookConfigurations } from './registration.ts';
import type { RegisteredWebhook } from './webhook.ts';

export interface RegisterOptions {
  readonly configuration: Configuration;
  readonly transport: KubeTransport;
  readonly webhooks: readonly RegisteredWebhook[];
  readonly namespace: string;
}

export interface Registered {
  /** PEM; blank: whoever wrote the certificate cares for the trust in it. */
  readonly authorities: string;
  readonly port: number;
  readonly trusted: readonly string[];
}

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
