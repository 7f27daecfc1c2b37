// The combinations of values that the chart's README names, each with what must be true of it: no
// permission is missing, none is in vain, its pods are restricted. Used by the tests of the chart,
// those on the real control plane, and the README.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

interface Combination {
  /** As the README has it. */
  readonly about: string;
  readonly values: JsonObject;
}

const nvidia = { modules: { nvidia: true }, computeDomains: { image: 'nvcr.io/dra-driver:1' } };
const only = (config: JsonObject): JsonObject => ({
  ...config,
  modules: { grove: false, ...Object(config['modules']) },
});

export const combinations: Readonly<Record<string, Combination>> = {
  defaults: { about: 'PodCliqueSets, two processes, no NATS', values: {} },
  single: {
    about: 'one process, without leases, questions and webhooks, metrics in plain HTTP',
    values: {
      replicaCount: 1,
      config: {
        leases: { enabled: false },
        questions: { enabled: false },
        admission: { enabled: false },
        server: { metricsBindAddress: '0.0.0.0' },
      },
    },
  },
  'with NATS': {
    about: 'a NATS server of the release',
    values: { natsSecretName: 'coppice-nats-token', nats: { enabled: true } },
  },
  'with your NATS': {
    about: 'servers that are there, over TLS, with credentials and an authority',
    values: {
      natsSecretName: 'nats-access',
      natsCaSecretName: 'nats-authority',
      config: {
        bus: {
          enabled: true,
          servers: ['nats://nats.messaging:4222'],
          credentialsFile: '/var/run/secrets/nats/coppice.creds',
          tls: { enabled: true, caFile: '/var/run/secrets/nats-ca/ca.crt' },
        },
      },
    },
  },
  'with cert-manager': {
    about: 'the certificate of the webhooks by cert-manager',
    values: { certManager: { enabled: true } },
  },
  monitored: {
    about: 'scraped by the Prometheus operator, over TLS, with alerts and dashboards',
    values: {
      serviceMonitor: { enabled: true },
      podMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboards: { enabled: true },
    },
  },
  inspected: { about: 'the inspector', values: { config: { inspector: { enabled: true } } } },
  protected: {
    about: 'the authorizer, which keeps others from what a set manages',
    values: { config: { authorizer: { enabled: true } } },
  },
  apart: {
    about: 'the webhooks as processes of their own, with the authorizer',
    values: { webhooks: { separate: true }, config: { authorizer: { enabled: true } } },
  },
  'compute domains': {
    about: "NVIDIA's ComputeDomains alone",
    values: { config: only(nvidia) },
  },
  sandboxes: {
    about: 'agent-sandbox with templates, claims and warm pools, alone',
    values: { config: only({ modules: { agentsandbox: true } }) },
  },
  'plain sandboxes': {
    about: 'agent-sandbox without extensions, alone',
    values: {
      config: only({ modules: { agentsandbox: true }, agentSandbox: { extensions: false } }),
    },
  },
  everything: {
    about: 'all API groups, the inspector, KAI and Volcano',
    values: {
      config: {
        ...nvidia,
        modules: { nvidia: true, agentsandbox: true },
        inspector: { enabled: true },
        authorizer: { enabled: true },
        network: { autoMNNVLEnabled: true },
        scheduler: {
          profiles: [{ name: 'default-scheduler' }, { name: 'kai-scheduler' }, { name: 'volcano' }],
        },
      },
    },
  },
};
