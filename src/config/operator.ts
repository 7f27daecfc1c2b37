// Grove's own configuration file, field by field: `operator.config.grove.io/v1alpha1`,
// `OperatorConfiguration`, with the bounds and defaults of spec api 6.2. What becomes of it is in
// translate.ts.
import { kubernetesAndKai, schedulerNames } from './admission.ts';
import {
  boolean,
  type Decoded,
  integer,
  listOf,
  oneOf,
  opaque,
  rate,
  seconds,
  section,
  text,
} from './field.ts';

export const operatorApiVersion = 'operator.config.grove.io/v1alpha1';
export const operatorKind = 'OperatorConfiguration';

const port = (fallback: number) => integer({ least: 0, most: 65_535 }, fallback, 'Port.');
const address = text(undefined, 'Address to listen on; absent: all.');
const workers = section('A controller.', {
  concurrentSyncs: integer({ least: 1, most: 1_000_000 }, 1, 'Workers.'),
});

const endpoint = (fallback: number) =>
  section('A server.', { bindAddress: address, port: port(fallback) });

export const operatorSchema = section("The configuration of Grove's operator.", {
  apiVersion: oneOf([operatorApiVersion], operatorApiVersion, 'Version.'),
  kind: oneOf([operatorKind], operatorKind, 'Kind.'),
  runtimeClientConnection: section('Requests to the API server.', {
    qps: rate(100, 'Requests per second.'),
    burst: integer({ least: 0, most: 100_000 }, 120, 'Requests at once above that.'),
    contentType: text(undefined, 'Form of requests.'),
    acceptContentTypes: text(undefined, 'Form of answers.'),
  }),
  leaderElection: section('Several replicas.', {
    enabled: boolean(false, 'True: replicas agree through leases.'),
    leaseDuration: seconds(15, 'Life of a lease.'),
    renewDeadline: seconds(10, 'Time to renew it in.'),
    retryPeriod: seconds(2, 'Time between two attempts.'),
    resourceLock: oneOf(['leases'], 'leases', 'Kind of lock.'),
    resourceName: text('grove-operator-leader-election', 'Name of the lease.'),
    resourceNamespace: text(undefined, 'Namespace of the lease.'),
  }),
  server: section('What is listened on.', {
    webhooks: section('Admission webhooks.', {
      bindAddress: address,
      port: port(2750),
      serverCertDir: text('/etc/grove-operator/webhook-certs', 'Folder of the certificate.'),
      secretName: text('grove-webhook-server-cert', 'Secret of the certificate.'),
      certProvisionMode: oneOf(['auto', 'manual'], 'auto', 'Who makes the certificate.'),
    }),
    healthProbes: endpoint(2751),
    metrics: endpoint(2752),
  }),
  debugging: section('Profiling.', {
    enableProfiling: boolean(false, 'True: profiles are served.'),
    pprofBindHost: text('127.0.0.1', 'Address.'),
    pprofBindPort: port(2753),
  }),
  controllers: section('Workers.', {
    podCliqueSet: workers,
    podClique: workers,
    podCliqueScalingGroup: workers,
    podGang: workers,
  }),
  logLevel: oneOf(['debug', 'info', 'error'], 'info', 'Least severe line.'),
  logFormat: oneOf(['json', 'text'], 'json', 'Form of lines.'),
  topologyAwareScheduling: section('Topology.', { enabled: boolean(false, 'Constraints.') }),
  authorizer: section('Protection.', {
    enabled: boolean(false, 'True: managed objects are protected.'),
    exemptServiceAccountUserNames: listOf(
      text('', 'A user.'),
      kubernetesAndKai,
      'Who may change them too.',
    ),
  }),
  network: section('Network.', { autoMNNVLEnabled: boolean(false, 'ComputeDomains.') }),
  scheduler: section('Schedulers.', {
    profiles: listOf(
      section('A backend.', {
        name: oneOf(schedulerNames, 'default-scheduler', 'Its name.'),
        config: opaque('Its settings.'),
      }),
      [{ name: 'default-scheduler', config: undefined }],
      'Enabled backends.',
    ),
    defaultProfileName: oneOf(schedulerNames, 'default-scheduler', 'For pods that name none.'),
  }),
});

export type OperatorConfiguration = Decoded<typeof operatorSchema>;
