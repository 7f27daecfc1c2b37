// What the configuration may say of ComputeDomains, and what is said of the rest (spec
// compute-domain 2.1, 2.2, A-65).
import { describe, expect, it } from 'vitest';
import { decodeValue, defaultConfiguration } from '#src/config/decode.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const problemsOf = (
  computeDomains: JsonObject,
  modules: JsonObject = {},
  bus: JsonObject = { commands: true },
): readonly string[] => {
  const header = { apiVersion: 'coppice.dev/v1alpha1', kind: 'CoppiceConfiguration' };
  const result = decodeValue({ ...header, modules, bus, computeDomains });
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path} ${message}`);
};

const gate =
  'feature gate ComputeDomainCliques requires IMEXDaemonsWithDNSNames to also be enabled';
const on = { nvidia: true };

describe('The configuration of ComputeDomains', () => {
  it('is that of the original where nothing is said, with the module off', () => {
    expect(defaultConfiguration.modules.nvidia).toBe(false);
    expect(defaultConfiguration.computeDomains).toEqual({
      driverNamespace: 'nvidia-dra-driver-gpu',
      additionalNamespaces: [],
      imexMode: 'driverManaged',
      imexIsolation: 'domain',
      maxNodesPerImexDomain: 18,
      image: undefined,
      imagePullSecrets: [],
      command: ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
      agent: { natsServers: [], natsCredentialsSecret: undefined, natsCaSecret: undefined },
      logVerbosity: 4,
      featureGates: {
        IMEXDaemonsWithDNSNames: true,
        ComputeDomainCliques: true,
        CrashOnNVLinkFabricErrors: true,
        HostManagedIMEXDaemon: false,
      },
      priorityClassName: undefined,
      resources: { cpu: undefined, memory: undefined },
      statusIntervalSeconds: 2,
    });
  });

  it.each([
    ['fewer nodes than one', { maxNodesPerImexDomain: 0 }, 'maxNodesPerImexDomain 0 is wrong'],
    ['more than 10,000', { maxNodesPerImexDomain: 10_001 }, 'maxNodesPerImexDomain 10001 is wrong'],
    ['half a node', { maxNodesPerImexDomain: 1.5 }, 'it must be a whole number from 1 to 10000'],
    [
      'isolation by channel',
      { imexIsolation: 'channel' },
      'imexIsolation is channel, which is not supported yet, it must be domain',
    ],
    ['cliques without names', { featureGates: { IMEXDaemonsWithDNSNames: false } }, gate],
    [
      'a gate that there is not',
      { featureGates: { Foo: true } },
      'featureGates.Foo is not a field',
    ],
    [
      'a gate that is misspelt',
      { featureGates: { ComputeDomainClique: true } },
      'did you mean "ComputeDomainCliques"?',
    ],
    [
      'IMEX of the host without its gate',
      { imexMode: 'hostManaged' },
      'imexMode is hostManaged, with it featureGates.HostManagedIMEXDaemon must be true',
    ],
    ['no command', { command: [] }, 'command is empty, it must begin with a program'],
    [
      "NATS for NVIDIA's daemon",
      { agent: { natsServers: ['nats://nats:4222'] } },
      'agent.natsServers is set, with it command must begin with clique-agent',
    ],
    [
      'credentials for no server',
      { command: ['/bin/clique-agent', 'run'], agent: { natsCredentialsSecret: 'nats' } },
      'agent.natsCredentialsSecret is set, with it agent.natsServers must be given',
    ],
    [
      'cpu without memory',
      { resources: { cpu: '100m' } },
      'resources.memory is missing, it must be given with cpu',
    ],
    [
      'an amount that is none',
      { resources: { cpu: 'much', memory: '64Mi' } },
      'resources.cpu "much" is wrong, it must be a quantity such as 100m or 64Mi',
    ],
  ] satisfies [string, JsonObject, string][])(
    'with %s is refused (A-65, HC-24, HC-50)',
    (_, given, said) => {
      const problems = problemsOf(given);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^computeDomains\./);
      expect(problems[0]).toContain(said);
    },
  );

  it('needs an image where daemons are made, and nowhere else', () => {
    expect(problemsOf({}, on)).toEqual([
      'computeDomains.image is missing, with modules.nvidia it must be the image of the daemons',
    ]);
    expect(problemsOf({ image: 'registry.example/driver:1' }, on)).toEqual([]);
    const featureGates = { HostManagedIMEXDaemon: true };
    expect(problemsOf({ imexMode: 'hostManaged', featureGates }, on)).toEqual([]);
    expect(problemsOf({})).toEqual([]);
  });

  it('needs a bus that takes commands where agents ask over NATS', () => {
    const command = ['clique-agent', 'run'];
    const given = { command, agent: { natsServers: ['nats://nats:4222'] } };
    expect(problemsOf(given)).toEqual([]);
    for (const bus of [{}, { enabled: false, commands: true }]) {
      expect(problemsOf(given, {}, bus)).toEqual([
        'computeDomains.agent.natsServers is set, with it bus.enabled and bus.commands must be true',
      ]);
      expect(problemsOf({ command }, {}, bus)).toEqual([]);
    }
  });

  it('may turn off both gates of daemons', () => {
    const featureGates = { IMEXDaemonsWithDNSNames: false, ComputeDomainCliques: false };
    expect(problemsOf({ featureGates })).toEqual([]);
  });
});
