// The admission webhooks as one part of the controller: certificates, server, registration, and
// what readiness asks of them. Made by the composition root (src/controller/start.ts).
import type { Clock, Telemetry } from '#actors/ports.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { Check } from '#src/http/probes.ts';
import type { SecureServer } from '#src/http/secure.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { fileCertificates } from './certificates/files.ts';
import { secretCertificates, serviceNames } from './certificates/keeper.ts';
import { type CertificateSource, follow, type Identity } from './certificates/source.ts';
import { certificatePollMs, overlapMs } from './limits.ts';
import { register } from './registration.ts';
import { type AnswerEvent, serveAdmission } from './server.ts';
import type { AnyWebhook } from './webhook.ts';

export interface AdmissionOptions {
  readonly configuration: Configuration;
  readonly transport: KubeTransport;
  /** Of all modules that are served. */
  readonly webhooks: readonly AnyWebhook[];
  /** Where the controller runs, and its Secret and Service are. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  readonly onAnswer?: (event: AnswerEvent) => void;
}

export interface Admission {
  readonly ready: Check;
  /** The webhooks are served, and registered where that is ours to do. */
  readonly started: Promise<void>;
  /** When the certificate ends that is served; undefined before the first. */
  readonly servedUntil: () => EpochMs | undefined;
  stop(): Promise<void>;
}

/** Returns at once: the server starts as soon as there is a certificate. */
export function startAdmission(options: AdmissionOptions): Admission {
  const { clock, log, configuration } = options;
  const life: { server?: SecureServer } = {};
  const started = Promise.withResolvers<void>();
  const following = follow({
    source: sourceOf(options),
    usedBy: 'webhooks',
    clock,
    log,
    pollMs: certificatePollMs,
    // Then others may have rotated what this process serves, and forgotten its authority.
    ...(isAutomatic(configuration) ? { staleMs: overlapMs } : {}),
    present: async (identity) => {
      if (life.server !== undefined) {
        life.server.present(identity);
        return;
      }
      const trusted = await trustedUsers(options);
      const server = await listen(options, identity, trusted);
      life.server = server;
      try {
        await register(options, { authorities: identity.authorities, port: server.port, trusted });
      } catch (error) {
        delete life.server;
        await server.close();
        throw error;
      }
      log('info', 'serves the admission webhooks', { port: server.port });
      started.resolve();
    },
  });
  return {
    ready: { name: 'admission', run: following.missing },
    started: started.promise,
    servedUntil: following.servedUntil,
    stop: async () => {
      await following.stop();
      await life.server?.close();
    },
  };
}

const listen = (
  { configuration, webhooks, log, onAnswer }: AdmissionOptions,
  identity: Identity,
  trusted: readonly string[],
): Promise<SecureServer> =>
  serveAdmission({
    host: configuration.admission.bindAddress,
    port: configuration.admission.port,
    identity,
    webhooks: webhooks.map((webhook) =>
      'convert' in webhook
        ? webhook
        : { path: webhook.path, answer: (request) => webhook.answer(request, trusted) },
    ),
    ...(onAnswer === undefined ? {} : { onAnswer }),
    onError: (error, path) =>
      log('error', 'an admission webhook failed', { path, error: String(error) }),
  });

const isAutomatic = ({ admission }: Configuration): boolean =>
  admission.certificates.mode === 'auto';

function sourceOf(options: AdmissionOptions): CertificateSource {
  const { configuration, namespace } = options;
  const { certificates, registration } = configuration.admission;
  if (!isAutomatic(configuration)) {
    const webhooks = registration === 'none' ? [] : options.webhooks;
    return fileCertificates({ ...options, folder: certificates.directory, webhooks });
  }
  const isLocal = registration === 'url';
  return secretCertificates({
    ...options,
    usedBy: 'webhooks',
    secretName: certificates.secretName,
    names: [...serviceNames(configuration, namespace), ...(isLocal ? ['localhost'] : [])],
    addresses: isLocal ? ['127.0.0.1'] : [],
    overlapMs,
    authorityDays: certificates.authorityDays,
    certificateDays: certificates.certificateDays,
  });
}

/** Whom the authorizer lets pass. The controller's own name is what the API server calls it. */
async function trustedUsers({ configuration, transport }: AdmissionOptions): Promise<string[]> {
  const { enabled, exemptServiceAccountUserNames } = configuration.authorizer;
  if (!enabled) return [];
  const response = await transport.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  if (!isSuccess(response)) {
    throw new Error(`the API server does not say who we are: ${failureOf(response).message}`);
  }
  const own = text(at(response.body, 'status', 'userInfo', 'username'));
  if (own === '') throw new Error('the API server does not say who we are');
  return [...new Set([own, ...exemptServiceAccountUserNames])];
}
