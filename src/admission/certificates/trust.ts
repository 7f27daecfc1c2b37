// The authorities that the API server trusts for our webhooks: `caBundle` in the webhook
// configurations, read and written. A configuration that is not there is nobody's to trust.
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { configurationPath } from '../registration.ts';
import type { RegisteredWebhook } from '../webhook.ts';
import { type Certificate, readBundle } from './bundle.ts';

/** A webhook configuration as it was read. */
export interface Trusting {
  readonly path: string;
  readonly object: JsonObject;
}

/** Those of the webhooks that are there. Rejects where one cannot be read. */
export async function readTrusting(
  transport: KubeTransport,
  webhooks: readonly RegisteredWebhook[],
): Promise<readonly Trusting[]> {
  const found = await Promise.all(webhooks.map((webhook) => readOne(transport, webhook)));
  return found.filter((each) => each !== undefined);
}

async function readOne(
  transport: KubeTransport,
  webhook: RegisteredWebhook,
): Promise<Trusting | undefined> {
  const path = configurationPath(webhook);
  const response = await transport.request({ method: 'GET', path });
  if (response.status === 404) return undefined;
  if (!isSuccess(response)) throw new Error(`${path}: ${failureOf(response).message}`);
  return { path, object: object(response.body) };
}

const bundlesOf = (configuration: JsonObject): readonly string[] =>
  list(configuration['webhooks']).map((webhook) =>
    Buffer.from(text(at(webhook, 'clientConfig', 'caBundle')), 'base64').toString('utf8'),
  );

/** All of them trust the authority. */
export const isTrustedBy = (
  configurations: readonly Trusting[],
  authority: Certificate | undefined,
): boolean =>
  authority !== undefined &&
  configurations.every((each) =>
    bundlesOf(each.object).every((bundle) =>
      readBundle(bundle).some(({ pem }) => pem === authority.pem),
    ),
  );

/**
 * Makes them trust exactly the bundle. They must have been read before the Secret that the bundle
 * is from: then whoever has newer authorities has changed the configuration since, and this write
 * is refused as a conflict instead of taking theirs away.
 */
export async function trust(
  transport: KubeTransport,
  configurations: readonly Trusting[],
  bundle: string,
): Promise<void> {
  const stale = configurations.filter(({ object: each }) =>
    bundlesOf(each).some((trusted) => trusted !== bundle),
  );
  await Promise.all(stale.map((each) => write(transport, each, bundle)));
}

async function write(
  transport: KubeTransport,
  { path, object: configuration }: Trusting,
  bundle: string,
): Promise<void> {
  const caBundle = Buffer.from(bundle).toString('base64');
  const webhooks = list(configuration['webhooks']).map((webhook) => {
    const each = object(webhook);
    return { ...each, clientConfig: { ...object(each['clientConfig']), caBundle } };
  });
  const body = { ...configuration, webhooks };
  const response = await transport.request({ method: 'PUT', path, body });
  // Somebody was faster: the next pass looks again.
  if (isSuccess(response) || response.status === 409 || response.status === 404) return;
  throw new Error(`${path}: ${failureOf(response).message}`);
}
