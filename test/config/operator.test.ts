// Grove's own configuration file, read as it is: what it comes to, what is said of a wrong one, and
// what is noted of fields that mean nothing here.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, decodeValue, defaultConfiguration } from '#src/config/decode.ts';

const header = 'apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n';

function read(text: string) {
  const result = decodeText(header + text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
}
const configurationOf = (text: string) => read(text).configuration;
const problemsOf = (text: string): readonly string[] => {
  const result = decodeText(header + text);
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

/** As a chart with its defaults renders it. */
const rendered = `
runtimeClientConnection: {qps: 100, burst: 150}
leaderElection:
  enabled: true
  leaseDuration: 15s
  renewDeadline: 10s
  retryPeriod: 2s
  resourceLock: leases
  resourceName: grove-operator-leader-election
  resourceNamespace: grove-system
server:
  webhooks:
    port: 9443
    serverCertDir: /etc/grove-operator/webhook-certs
    secretName: grove-webhook-server-cert
    certProvisionMode: auto
  healthProbes: {port: 9444}
  metrics: {port: 9445}
debugging: {enableProfiling: false, pprofBindHost: 127.0.0.1, pprofBindPort: 2753}
controllers:
  podCliqueSet: {concurrentSyncs: 3}
  podClique: {concurrentSyncs: 3}
  podCliqueScalingGroup: {concurrentSyncs: 3}
logLevel: debug
logFormat: text
topologyAwareScheduling: {enabled: true}
authorizer:
  enabled: true
  reconcilerServiceAccountUserName: system:serviceaccount:x:y
  exemptServiceAccountUserNames: [system:kube-controller-manager]
network: {autoMNNVLEnabled: true}
scheduler:
  profiles: [{name: kai-scheduler}]
  defaultProfileName: kai-scheduler
`;

describe("A file of Grove's operator", () => {
  it('with nothing but its header leaves our defaults, but for the webhooks', () => {
    const configuration = configurationOf('');
    expect(configuration).toEqual({
      ...defaultConfiguration,
      server: { ...defaultConfiguration.server, metricsBindAddress: '0.0.0.0' },
      admission: { ...defaultConfiguration.admission, enabled: true },
    });
  });

  it('as its chart renders it means the same here', () => {
    const { configuration, notes } = read(rendered);
    expect(configuration).toMatchObject({
      clientConnection: { qps: 100, burst: 150 },
      leases: { enabled: true, durationSeconds: 15, renewSeconds: 10, retrySeconds: 2 },
      server: { bindAddress: '0.0.0.0', healthPort: 9444, metricsPort: 9445 },
      profiling: { enabled: false, bindAddress: '127.0.0.1', port: 2753 },
      topologyAwareScheduling: { enabled: true },
      authorizer: {
        enabled: true,
        exemptServiceAccountUserNames: ['system:kube-controller-manager'],
      },
      network: { autoMNNVLEnabled: true },
      scheduler: {
        profiles: [{ name: 'kai-scheduler' }, { name: 'default-scheduler' }],
        defaultProfileName: 'kai-scheduler',
      },
      admission: {
        enabled: true,
        port: 9443,
        registration: 'none',
        certificates: { mode: 'auto', secretName: 'grove-webhook-server-cert' },
      },
    });
    expect(notes).toEqual([
      'authorizer.reconcilerServiceAccountUserName is not known and is passed over',
      expect.stringMatching(/^controllers has no effect: actors need no workers/),
      expect.stringMatching(/^leaderElection.resourceName has no effect/),
    ]);
  });

  it('has a log level, a log format and a lease namespace that work (10.2 gap 30)', () => {
    const { log, leases } = configurationOf(rendered);
    expect(log).toEqual({ level: 'debug', format: 'text' });
    expect(leases.namespace).toBe('grove-system');
  });

  it('limits requests where it says so, and only there', () => {
    expect(configurationOf('').clientConnection).toMatchObject({ qps: 0, burst: 0 });
    expect(configurationOf('runtimeClientConnection: {qps: 50}').clientConnection).toMatchObject({
      qps: 50,
      burst: 120,
    });
    expect(configurationOf('runtimeClientConnection: {qps: 0}').clientConnection.qps).toBe(0);
  });

  it('may have metrics and health on addresses of their own', () => {
    const { server } = configurationOf(
      'server: {healthProbes: {bindAddress: 10.0.0.1}, metrics: {bindAddress: ""}}',
    );
    expect(server).toMatchObject({ bindAddress: '10.0.0.1', metricsBindAddress: '0.0.0.0' });
  });

  it.each([
    ['logLevel: warn', 'logLevel "warn" is wrong, it must be one of debug, info, error'],
    ['leaderElection: {leaseDuration: 15}', 'leaderElection.leaseDuration 15 is wrong, it must be'],
    ['leaderElection: {retryPeriod: 0s}', 'leaderElection.retryPeriod "0s" is wrong, it must be'],
    [
      'leaderElection: {leaseDuration: 5s, renewDeadline: 6s}',
      'leaderElection.renewDeadline must be below',
    ],
    ['leaderElection: {resourceLock: configmaps}', 'leaderElection.resourceLock "configmaps"'],
    ['controllers: {podClique: {concurrentSyncs: 0}}', 'controllers.podClique.concurrentSyncs 0'],
    ['runtimeClientConnection: {burst: -1}', 'runtimeClientConnection.burst -1 is wrong'],
    [
      'server: {webhooks: {certProvisionMode: magic}}',
      'server.webhooks.certProvisionMode "magic" is wrong, it must be one of auto, manual',
    ],
    [
      'scheduler: {profiles: [{name: volcano}, {name: volcano}]}',
      'scheduler.profiles[1].name "volcano" is there twice',
    ],
    [
      'scheduler: {defaultProfileName: volcano}',
      'scheduler.defaultProfileName "volcano" has no profile',
    ],
  ])('with %s is refused in its own terms', (text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(message)]);
  });

  it('is read or refused whatever it holds, and never breaks', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), (content) => {
        const value = {
          ...content,
          apiVersion: 'operator.config.grove.io/v1alpha1',
          kind: 'OperatorConfiguration',
        };
        const result = decodeValue(value);
        expect(typeof result.ok).toBe('boolean');
      }),
    );
  });
});
