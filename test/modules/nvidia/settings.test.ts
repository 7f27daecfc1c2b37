// What the behaviours of ComputeDomains get of the configuration.
import { describe, expect, it } from 'vitest';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { nvidiaSettings } from '#src/modules/nvidia/settings.ts';

const { computeDomains } = defaultConfiguration;

const settingsOf = (given: Partial<Configuration['computeDomains']>) =>
  nvidiaSettings({ ...defaultConfiguration, computeDomains: { ...computeDomains, ...given } });

describe('The settings of ComputeDomains', () => {
  it('are the configuration, in milliseconds and without what is absent', () => {
    expect(settingsOf({ image: 'driver:1', additionalNamespaces: ['old'] })).toEqual({
      driverNamespace: 'nvidia-dra-driver-gpu',
      additionalNamespaces: ['old'],
      mode: 'driverManaged',
      maxNodes: 18,
      image: 'driver:1',
      imagePullSecrets: [],
      logVerbosity: 4,
      command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
      agent: { servers: [], credentialsSecret: '', caSecret: '' },
      featureGates: {
        IMEXDaemonsWithDNSNames: true,
        ComputeDomainCliques: true,
        CrashOnNVLinkFabricErrors: true,
      },
      priorityClassName: '',
      resources: {},
      statusIntervalMs: 2_000,
    });
  });

  it('tell agents where NATS is', () => {
    const agent = { natsServers: ['nats://a'], natsCredentialsSecret: 'one', natsCaSecret: 'two' };
    expect(settingsOf({ agent }).agent).toEqual({
      servers: ['nats://a'],
      credentialsSecret: 'one',
      caSecret: 'two',
    });
  });

  it('have the priority and the resources that are given', () => {
    const resources = { cpu: '100m', memory: '64Mi' };
    const given = settingsOf({ priorityClassName: 'system-node-critical', resources });
    expect(given).toMatchObject({ priorityClassName: 'system-node-critical', resources });
  });

  it('turn off the gates of daemons where the host manages IMEX', () => {
    const featureGates = { ...computeDomains.featureGates, HostManagedIMEXDaemon: true };
    expect(settingsOf({ imexMode: 'hostManaged', featureGates }).featureGates).toEqual({
      IMEXDaemonsWithDNSNames: false,
      ComputeDomainCliques: false,
      CrashOnNVLinkFabricErrors: true,
      HostManagedIMEXDaemon: true,
    });
  });
});
