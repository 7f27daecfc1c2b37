// The authorities that the API server trusts for our webhooks: `caBundle` in the webhook
// configurations and in the CRDs that we convert, read and written. What is not there is nobody's
// to trust, and so is a CRD without a conversion webhook.
import { at, isObject, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { registrationPaths } from '../registration.ts';
import type { Registered } from '../webhook.ts';
import { type Certificate, readBundle } from './bundle.ts';

/** A webhook configuration or a CRD as it was read. */
export interface Trusting {
  readonly path: string;
  readonly object: JsonObject;
}

/** Those of the webhooks that are there. Rejects where one cannot be read. */
export async function readTrusting(
  transport: KubeTransport,
  webhooks: readonly Registered[],
): Promise<readonly Trusting[]> {
  const paths = webhooks.flatMap(registrationPaths);
  const found = await Promise.all(paths.map((path) => readOne(transport, path)));
  return found.filter((each) => each !== undefined);
}

async function readOne(transport: KubeTransport, path: string): Promise<Trusting | undefined> {
  const response = await transport.request({ method: 'GET', path });
  if (response.status === 404) return undefined;
  if (!isSuccess(response)) throw new Error(`${path}: ${failureOf(response).message}`);
  return { path, object: object(response.body) };
}

/** How the API server reaches the webhooks of a configuration, or the one of a CRD. */
const clientConfigs = (configuration: JsonObject): readonly unknown[] => {
  const webhooks =
    configuration['kind'] === 'CustomResourceDefinition'
      ? [at(configuration, 'spec', 'conversion', 'webhook')].filter(isObject)
      : list(configuration['webhooks']);
  return webhooks.map((webhook) => at(webhook, 'clientConfig'));
};

const bundlesOf = (configuration: JsonObject): readonly string[] =>
  clientConfigs(configuration).map((each) =>
    Buffer.from(text(at(each, 'caBundle')), 'base64').toString('utf8'),
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
  const isDefinition = configuration['kind'] === 'CustomResourceDefinition';
  const change = isDefinition ? inDefinition : inConfiguration;
  const response = await transport.request({ path, ...change(configuration, caBundle) });
  // Somebody was faster: the next pass looks again.
  if (isSuccess(response) || response.status === 409 || response.status === 404) return;
  throw new Error(`${path}: ${failureOf(response).message}`);
}

function inConfiguration(configuration: JsonObject, caBundle: string) {
  const webhooks = list(configuration['webhooks']).map((webhook) => {
    const each = object(webhook);
    return { ...each, clientConfig: { ...object(each['clientConfig']), caBundle } };
  });
  return { method: 'PUT', body: { ...configuration, webhooks } } as const;
}

/** A CRD is large, and all the rest of it is somebody else's. */
function inDefinition(definition: JsonObject, caBundle: string) {
  const resourceVersion = text(at(definition, 'metadata', 'resourceVersion'));
  const body = {
    metadata: { resourceVersion },
    spec: { conversion: { webhook: { clientConfig: { caBundle } } } },
  };
  return { method: 'PATCH', contentType: 'application/merge-patch+json', body } as const;
}
