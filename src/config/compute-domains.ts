// The part of the configuration about NVIDIA's ComputeDomains: what are flags and feature gates of
// the controller of their DRA driver (spec compute-domain 2.1, 2.2). docs/compute-domains.md has
// the table of both.
import { amountOf } from '#machines/kubernetes/quantity.ts';
import { isCliqueAgent } from '#machines/nvidia/settings.ts';
import {
  boolean,
  type Decoded,
  integer,
  listOf,
  oneOf,
  type Problem,
  section,
  text,
} from './field.ts';

const featureGates = section('Feature gates of the DRA driver, which daemons get too.', {
  IMEXDaemonsWithDNSNames: boolean(
    true,
    'True: daemons start at once, with a fixed list of names for their peers.',
  ),
  ComputeDomainCliques: boolean(
    true,
    'True: the rows of nodes are in ComputeDomainCliques; needs `IMEXDaemonsWithDNSNames`.',
  ),
  CrashOnNVLinkFabricErrors: boolean(
    true,
    'Concerns the kubelet plugin alone: it does not start while the fabric is broken.',
  ),
  HostManagedIMEXDaemon: boolean(false, 'True: `imexMode: hostManaged` is allowed.'),
});

export const computeDomains = section("NVIDIA's ComputeDomains, served by `modules.nvidia`.", {
  driverNamespace: text(
    'nvidia-dra-driver-gpu',
    "Namespace of NVIDIA's DRA driver: DaemonSets, daemons and cliques are there.",
  ),
  additionalNamespaces: listOf(
    text('', 'A namespace.'),
    [],
    'Other namespaces in which an earlier installation may have left DaemonSets.',
  ),
  imexMode: oneOf(
    ['driverManaged', 'hostManaged'],
    'driverManaged',
    '`driverManaged`: a daemon runs IMEX on each node; `hostManaged`: the host does, so there are no daemons, cliques or node labels.',
  ),
  imexIsolation: oneOf(
    ['domain', 'channel'],
    'domain',
    'What separates workloads; `channel` is refused, as it is not supported yet.',
  ),
  maxNodesPerImexDomain: integer(
    { least: 1, most: 10_000 },
    18,
    'How many nodes a clique of a new ComputeDomain may have.',
  ),
  image: text(
    undefined,
    "Image of the daemons, that of NVIDIA's DRA driver; needed with `modules.nvidia` unless `imexMode` is `hostManaged`.",
  ),
  imagePullSecrets: listOf(
    text('', 'Name of a Secret.'),
    [],
    'Secrets of the driver namespace with which the image is pulled.',
  ),
  command: listOf(
    text('', 'A word.'),
    ['compute-domain-daemon', '-v', '$(LOG_VERBOSITY)', 'run'],
    'Command of the daemons; probes call its first word with `check`.',
  ),
  agent: section('Of `clique-agent`, where `command` begins with it.', {
    natsServers: listOf(
      text('', 'Address of a server.'),
      [],
      'NATS servers over which agents ask to join, which needs `bus.enabled` and `bus.commands`; empty: they announce themselves on their pods.',
    ),
    natsCredentialsSecret: text(
      undefined,
      'Secret of the driver namespace with the credentials of the agents as `nats.creds`; absent: none.',
    ),
    natsCaSecret: text(
      undefined,
      'Secret of the driver namespace with the authority of the servers as `ca.crt`, which requires TLS; absent: none.',
    ),
  }),
  logVerbosity: integer({ least: 0, most: 10 }, 4, 'Of the log of the daemons.'),
  featureGates,
  priorityClassName: text(undefined, 'PriorityClass of the daemons; absent: none.'),
  resources: section(
    'Requests of each daemon, which are its limits too; set both fields or neither.',
    {
      cpu: text(undefined, 'A quantity; absent: none.'),
      memory: text(undefined, 'A quantity; absent: none.'),
    },
  ),
  statusIntervalSeconds: integer(
    { least: 0, most: 60 },
    2,
    'At least this long between two writes of the status of a ComputeDomain.',
  ),
});

type Given = Decoded<typeof computeDomains>;
/** Of the section about NATS, which is the controller's way to it. */
interface Bus {
  readonly enabled: boolean;
  readonly commands: boolean;
}
type Add = (field: string, message: string) => void;

/** What is wrong with fields that are right by themselves. */
export function checkComputeDomains(given: Given, isServed: boolean, bus: Bus): readonly Problem[] {
  const problems: Problem[] = [];
  const add: Add = (field, message) =>
    void problems.push({ path: `computeDomains.${field}`, message });
  const { IMEXDaemonsWithDNSNames, ComputeDomainCliques, HostManagedIMEXDaemon } =
    given.featureGates;
  if (given.imexIsolation !== 'domain') {
    add(
      'imexIsolation',
      `is ${given.imexIsolation}, which is not supported yet, it must be domain`,
    );
  }
  if (ComputeDomainCliques && !IMEXDaemonsWithDNSNames) {
    // The sentence of NVIDIA's controller.
    add(
      'featureGates.ComputeDomainCliques',
      'is true: feature gate ComputeDomainCliques requires IMEXDaemonsWithDNSNames to also be enabled',
    );
  }
  if (given.imexMode === 'hostManaged' && !HostManagedIMEXDaemon) {
    add('imexMode', 'is hostManaged, with it featureGates.HostManagedIMEXDaemon must be true');
  }
  if (isServed && given.imexMode === 'driverManaged' && given.image === undefined) {
    add('image', 'is missing, with modules.nvidia it must be the image of the daemons');
  }
  if (given.command.length === 0) add('command', 'is empty, it must begin with a program');
  checkAgent(given, bus, add);
  checkResources(given.resources, add);
  return problems;
}

/** What is set and would be passed to nobody, or lead to questions that nobody answers. */
function checkAgent({ agent, command: [program = ''] }: Given, bus: Bus, add: Add): void {
  const { natsServers, natsCredentialsSecret, natsCaSecret } = agent;
  if (natsServers.length > 0 && !isCliqueAgent(program)) {
    add('agent.natsServers', 'is set, with it command must begin with clique-agent');
  }
  if (natsServers.length > 0 && !(bus.enabled && bus.commands)) {
    add('agent.natsServers', 'is set, with it bus.enabled and bus.commands must be true');
  }
  const secrets = { natsCredentialsSecret, natsCaSecret };
  for (const [name, value] of Object.entries(secrets)) {
    if (value !== undefined && natsServers.length === 0) {
      add(`agent.${name}`, 'is set, with it agent.natsServers must be given');
    }
  }
}

/** Pods of the class Guaranteed have both. */
function checkResources(resources: Given['resources'], add: Add): void {
  for (const [name, other] of [
    ['cpu', 'memory'],
    ['memory', 'cpu'],
  ] as const) {
    const value = resources[name];
    if (value === undefined && resources[other] !== undefined) {
      add(`resources.${name}`, `is missing, it must be given with ${other}`);
    }
    if (value !== undefined && !((amountOf(value) ?? 0) > 0)) {
      add(`resources.${name}`, `"${value}" is wrong, it must be a quantity such as 100m or 64Mi`);
    }
  }
}
