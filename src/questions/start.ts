// Questions over HTTPS as one part of the controller: the certificate, the server, and what other
// processes are told of where it is. The certificate is kept as that of the webhooks is, in a
// Secret of its own, so that neither depends on the other. Loaded and made by process.ts.
import { isIPv6 } from 'node:net';
import type { Clock } from '#actors/ports.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import { secretCertificates, serviceNames } from '#src/admission/certificates/keeper.ts';
import { type CertificateSource, follow } from '#src/admission/certificates/source.ts';
import { certificatePollMs, overlapMs } from '#src/admission/limits.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { SecureServer } from '#src/http/secure.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Log } from '#src/log/log.ts';
import { handingOn } from './handing-on.ts';
import { type PeerRequest, peerRequest } from './peer.ts';
import { reviewer } from './review.ts';
import { type QuestionServerOptions, serveQuestions } from './server.ts';

export interface Questions {
  /** For the lease of this process; undefined while nobody is answered, or where it is not known by
   *  which address this process is reached. */
  address(): string | undefined;
  /** Asks other processes in the name of whoever asks. */
  readonly peer: PeerRequest;
  /** When the certificate ends that is served; undefined before the first. */
  readonly servedUntil: () => EpochMs | undefined;
  stop(): Promise<void>;
}

export interface QuestionsOptions {
  readonly configuration: Configuration;
  readonly connection: KubeConnection;
  /** Instead of one over the connection; stays open. */
  readonly transport?: KubeTransport;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly ask: QuestionServerOptions['ask'];
  readonly questions: QuestionServerOptions['questions'];
  readonly inspect: Required<QuestionServerOptions>['inspect'];
  readonly metrics: QuestionServerOptions['metrics'];
}

/** Returns at once: questions are answered as soon as there is a certificate. */
export function startQuestions(options: QuestionsOptions): Questions {
  const { configuration, connection, clock, version } = options;
  const log = options.log.line;
  const userAgent = `coppice-controller/${version} questions`;
  const own = httpTransport(connection, { userAgent, sockets: 8 });
  const transport = options.transport ?? own;
  const life: { server?: SecureServer; authorities: string } = { authorities: '' };
  const names = serviceNames(configuration, connection.namespace);
  const source = certificatesOf(options, transport, names);
  const peer = peerRequest({ authorities: () => life.authorities, servername: names[0] });
  const following = follow({
    source: {
      // Authorities come and go while the certificate stays.
      current: async () => {
        const identity = await source.current();
        life.authorities = identity.authorities;
        return identity;
      },
    },
    usedBy: 'question server',
    clock,
    log,
    pollMs: certificatePollMs,
    present: async (identity) => {
      life.server?.present(identity);
      life.server ??= await serveQuestions({
        host: configuration.questions.bindAddress,
        port: configuration.questions.port,
        identity,
        review: reviewer(transport, clock),
        ask: options.ask,
        questions: options.questions,
        inspect: options.inspect,
        metrics: options.metrics,
        log: options.log,
        handOn: handingOn(peer),
        onCommand: (event) => log('info', 'a command was given over HTTPS', event),
        onError: (error) => log('error', 'a question failed', { error: String(error) }),
      });
      const { port } = life.server;
      log('info', 'answers questions over HTTPS', {
        port,
        address: addressOf(options, port) ?? '',
      });
    },
  });
  return {
    address: () => (life.server === undefined ? undefined : addressOf(options, life.server.port)),
    peer,
    servedUntil: following.servedUntil,
    stop: async () => {
      await following.stop();
      await life.server?.close();
      await own.close();
    },
  };
}

/** As it stands in the lease. */
function addressOf({ configuration }: QuestionsOptions, port: number): string | undefined {
  const { host } = configuration.questions;
  if (host === undefined) return undefined;
  return new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`).origin;
}

function certificatesOf(
  { configuration, connection, clock, log }: QuestionsOptions,
  transport: KubeTransport,
  names: readonly string[],
): CertificateSource {
  const { authorityDays, certificateDays } = configuration.admission.certificates;
  return secretCertificates({
    transport,
    clock,
    log: log.line,
    namespace: connection.namespace,
    secretName: configuration.questions.secretName,
    usedBy: 'question server',
    // Nobody but our own processes, who read the Secret, has to trust the authority.
    webhooks: [],
    // People come by `kubectl port-forward`.
    names: [...names, 'localhost'],
    addresses: ['127.0.0.1'],
    overlapMs,
    authorityDays,
    certificateDays,
  });
}
