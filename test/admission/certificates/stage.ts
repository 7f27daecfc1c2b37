// Replicas that keep their certificates in one Secret of an embedded cluster, on virtual time: what
// each serves, what the API server trusts, and whether the one goes with the other.
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { readBundle, isSignedBy, isValidAt } from '#src/admission/certificates/bundle.ts';
import { secretCertificates } from '#src/admission/certificates/keeper.ts';
import type { CertificateSource, Identity } from '#src/admission/certificates/source.ts';
import { configurationPath, webhookConfigurations } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

export const dayMs = 24 * 60 * 60 * 1000;
export const overlapMs = 5 * 60_000;
export const secretPath = '/api/v1/namespaces/default/secrets/webhook-cert';
const webhooks = enabledWebhooks(false);

export interface Stage {
  readonly clock: VirtualClock;
  readonly transport: KubeTransport;
  readonly logged: string[];
  /** A replica; its requests are mixed with those of others by the seed. */
  replica(seed: number): CertificateSource;
  secret(): Promise<JsonObject>;
  /** The bundle that each webhook configuration trusts. */
  trusted(): Promise<readonly string[]>;
  /** The configurations as the chart renders them, without a bundle. */
  install(): Promise<void>;
}

/** `refusing`: nobody may read or write Secrets. `jumping`: once true, each write of a Secret
 *  takes longer than the overlap, as where a machine is suspended. */
export async function stage({ refusing = false, jumping = { is: false } } = {}): Promise<Stage> {
  const clock = new VirtualClock();
  const cluster = createCluster({ clock, random: seeded(1), controllers: false });
  await cluster.start();
  const direct = refusing ? withoutSecrets(cluster.transport()) : cluster.transport();
  const transport = slow(direct, () => jumping.is && clock.jump(overlapMs + 1));
  const logged: string[] = [];
  return {
    clock,
    transport,
    logged,
    replica: (seed) =>
      secretCertificates({
        transport: mixed(transport, seed),
        clock,
        log: (_, message, fields) => logged.push(`${message} ${JSON.stringify(fields)}`),
        namespace: 'default',
        secretName: 'webhook-cert',
        usedBy: 'webhooks',
        webhooks,
        names: ['grove-operator.default.svc', 'grove-operator'],
        addresses: ['127.0.0.1'],
        overlapMs,
        authorityDays: 60,
        certificateDays: 9,
      }),
    secret: async () => object(await body(transport, { method: 'GET', path: secretPath })),
    trusted: () => bundles(transport),
    install: async () => {
      const clientConfig = (path: string) => ({
        service: { name: 'grove-operator', namespace: 'default', path, port: 2750 },
      });
      const objects = webhookConfigurations({ clientConfig, webhooks, trusted: [] });
      for (const [index, webhook] of webhooks.entries()) {
        const path = configurationPath(webhook);
        const collection = path.slice(0, path.lastIndexOf('/'));
        await transport.request({ method: 'POST', path: collection, body: objects[index] });
      }
    },
  };
}

async function bundles(transport: KubeTransport): Promise<readonly string[]> {
  const read = webhooks.map((webhook) =>
    body(transport, { method: 'GET', path: configurationPath(webhook) }),
  );
  return (await Promise.all(read)).flatMap((configuration) =>
    list(at(configuration, 'webhooks')).map((webhook) =>
      Buffer.from(text(at(webhook, 'clientConfig', 'caBundle')), 'base64').toString('utf8'),
    ),
  );
}

const body = async (transport: KubeTransport, request: KubeRequest): Promise<unknown> =>
  (await transport.request(request)).body;

const forbidden: KubeResponse = {
  status: 403,
  headers: {},
  body: { kind: 'Status', reason: 'Forbidden', message: 'secrets is forbidden' },
};

const withoutSecrets = (transport: KubeTransport): KubeTransport => ({
  watch: (path, sink) => transport.watch(path, sink),
  request: async (request) =>
    request.path.includes('/secrets') ? forbidden : transport.request(request),
});

const slow = (transport: KubeTransport, afterWrite: () => unknown): KubeTransport => ({
  watch: (path, sink) => transport.watch(path, sink),
  request: async (request) => {
    const response = await transport.request(request);
    if (request.method === 'PUT' && request.path.includes('/secrets')) afterWrite();
    return response;
  },
});

/** Requests wait a drawn number of turns before they are sent and before they are answered. */
function mixed(transport: KubeTransport, seed: number): KubeTransport {
  const random = seeded(seed);
  const turns = async (): Promise<void> => {
    const count = Math.floor(random.next() * 4);
    for (let turn = 0; turn < count; turn += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  return {
    watch: (path, sink) => transport.watch(path, sink),
    request: async (request): Promise<KubeResponse> => {
      await turns();
      const response = await transport.request(request);
      await turns();
      return response;
    },
  };
}

/** Why the API server would not believe who serves this; undefined where it does. */
export function distrust(identity: Identity, bundle: string, now: number): string | undefined {
  const [served] = readBundle(identity.cert);
  if (served === undefined) return 'serves no certificate';
  if (!isValidAt(served, now)) return 'serves a certificate that is not valid now';
  const signers = readBundle(bundle).filter((authority) => isSignedBy(served, authority));
  if (signers.length === 0) return 'serves a certificate of an authority that is not trusted';
  return signers.some((each) => isValidAt(each, now)) ? undefined : 'its authority has expired';
}
