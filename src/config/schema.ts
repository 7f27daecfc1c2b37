// The configuration file, field by field, with defaults: `coppice.dev/v1alpha1`,
// `CoppiceConfiguration`. The type that main.ts works with follows from this table, and so does
// docs/configuration.md.
import { maxRequestsInFlight } from '#src/kube/limits.ts';
import { activator } from './activator.ts';
import {
  admission,
  authorizer,
  network,
  schedulerNames,
  topologyAwareScheduling,
} from './admission.ts';
import { agentSandbox } from './agent-sandbox.ts';
import { computeDomains } from './compute-domains.ts';
import {
  boolean,
  type Decoded,
  integer,
  listOf,
  oneOf,
  opaque,
  rate,
  section,
  text,
} from './field.ts';

export const apiVersion = 'coppice.dev/v1alpha1';
export const kind = 'CoppiceConfiguration';

const port = (fallback: number, doc: string) => integer({ least: 0, most: 65_535 }, fallback, doc);

const modules = section(
  'API groups that are served; a disabled one needs no CRDs and no permissions.',
  {
    grove: boolean(
      true,
      '`grove.io` and `scheduler.grove.io`: PodCliqueSets and their gangs, with their webhooks.',
    ),
    nvidia: boolean(
      false,
      "`resource.nvidia.com`: ComputeDomains and their cliques, in the place of the controller of NVIDIA's DRA driver, which must not run beside it.",
    ),
    agentsandbox: boolean(
      false,
      '`agents.x-k8s.io` and `extensions.agents.x-k8s.io`: sandboxes, their templates, claims and warm pools, in the place of the controller of agent-sandbox, which must not run beside it.',
    ),
  },
);

const cluster = section('How to reach the API server.', {
  kubeconfig: text(
    undefined,
    'Kubeconfig file; absent: `$KUBECONFIG`, `~/.kube/config`, or the service account of the pod.',
  ),
  context: text(undefined, 'Context of the kubeconfig; absent: its current one.'),
});

const clientConnection = section('Limits on requests to the API server.', {
  qps: rate(0, 'Requests per second, for each kind; 0: no limit except what the server demands.'),
  burst: integer({ least: 0, most: 100_000 }, 0, 'Burst of requests of a kind above that rate.'),
  maxInFlight: integer(
    { least: 1, most: 1024 },
    maxRequestsInFlight,
    'Requests in flight over all kinds; each uses a socket.',
  ),
});

const bus = section('NATS: messages and history, never truth.', {
  enabled: boolean(true, 'False: no NATS at all; messages stay in the process.'),
  delivery: oneOf(
    ['direct', 'nats'],
    'direct',
    'How actors of one process exchange messages: directly with a published copy, or over NATS.',
  ),
  servers: listOf(
    text('nats://127.0.0.1:4222', 'Address of a server.'),
    ['nats://127.0.0.1:4222'],
    'Servers to connect to, tried in turn.',
  ),
  commands: boolean(
    false,
    'True: `park`, `unpark` and `join`, with which clique agents ask for their row, are executed when requested over NATS.',
  ),
  traceparent: boolean(
    false,
    'True: facts carry the header `traceparent` of W3C Trace Context, with flag 00 (not sampled).',
  ),
  inboxPrefix: text(
    '_INBOX',
    'Prefix of reply subjects; a prefix that only this process may subscribe to keeps replies private.',
  ),
  credentialsFile: text(
    undefined,
    'NATS credentials (`.creds`: JWT and seed), which also name the account; set at most one of these four.',
  ),
  nkeySeedFile: text(undefined, 'File with the seed of a user nkey.'),
  tokenFile: text(undefined, 'File with a token.'),
  passwordFile: text(undefined, 'File with the password of `user`.'),
  user: text(undefined, 'Name of the user, with `passwordFile`.'),
  tls: section('Encryption of the connection.', {
    enabled: boolean(false, 'True: refuse servers without TLS.'),
    caFile: text(undefined, 'Trusted authorities, PEM; absent: those of the system.'),
    certFile: text(undefined, 'Certificate of the client, PEM.'),
    keyFile: text(undefined, 'Key of that certificate, PEM.'),
    handshakeFirst: boolean(false, 'For servers that start with the TLS handshake.'),
  }),
  history: section('The JetStream stream that keeps facts.', {
    enabled: boolean(true, 'False: facts are published but not kept.'),
    storage: oneOf(['memory', 'file'], 'memory', 'Where the server keeps them.'),
    maxBytes: integer(
      { least: 1_048_576, most: 1_099_511_627_776 },
      134_217_728,
      'Size at which the oldest are dropped.',
    ),
    maxAgeSeconds: integer(
      { least: 60, most: 31_536_000 },
      86_400,
      'Age at which they are dropped.',
    ),
    maxMessagesPerSubject: integer(
      { least: 1, most: 1_000_000 },
      256,
      'Facts of one kind that are kept for one actor, so that one with many does not displace those of others.',
    ),
    replicas: integer({ least: 1, most: 5 }, 1, 'Servers of a NATS cluster that keep a copy.'),
  }),
});

const server = section('Plain HTTP of the controller.', {
  bindAddress: text('0.0.0.0', 'Address to listen on.'),
  metricsBindAddress: text(
    undefined,
    'Address of `/metrics`; absent: bindAddress. Over TLS the port of `questions` serves the same, to those who may `get` that path.',
  ),
  healthPort: port(2751, '`/livez`, `/readyz`, `/healthz` and `/actors`; 0: any free port.'),
  metricsPort: port(2752, '`/metrics`; the same number as healthPort: one server for all.'),
});

const profiling = section('Profiles of the process, over plain HTTP.', {
  enabled: boolean(
    false,
    'True: `/debug/pprof/profile` and `/debug/pprof/heap` are served, for `go tool pprof`.',
  ),
  bindAddress: text(
    '127.0.0.1',
    'Address to listen on; anyone who reaches it can slow the process.',
  ),
  port: port(2753, '0: any free port.'),
});

const log = section('Log lines on stderr.', {
  level: oneOf(['debug', 'info', 'warn', 'error'], 'info', 'Least severe level that is written.'),
  format: oneOf(['json', 'text'], 'json', 'One JSON object per line, or human-readable text.'),
});

const supervision = section('When a failing actor is parked.', {
  maxRestarts: integer(
    { least: 0, most: 1000 },
    5,
    'Restarts within that time before the actor is parked.',
  ),
  withinSeconds: integer({ least: 1, most: 86_400 }, 60, 'The time in which restarts count.'),
});

const scheduler = section('Schedulers that pods may name.', {
  profiles: listOf(
    section('One backend.', {
      name: oneOf(schedulerNames, 'default-scheduler', 'Its name in `spec.schedulerName`.'),
      config: opaque('Passed to the backend.'),
    }),
    [{ name: 'default-scheduler', config: undefined }],
    'Enabled backends; `default-scheduler` is always one of them.',
  ),
  defaultProfileName: oneOf(
    schedulerNames,
    'default-scheduler',
    'The scheduler of pods that name none.',
  ),
});

const leases = section('Several processes: each owns the shards that its leases name.', {
  enabled: boolean(false, 'False: this process is the only one and owns every shard.'),
  namespace: text(
    undefined,
    'Where the leases are; absent: the namespace of the kubeconfig or of the service account.',
  ),
  identity: text(undefined, 'Name of the process in its leases; absent: the name of the host.'),
  durationSeconds: integer(
    { least: 2, most: 3600 },
    15,
    'A process that appears silent for this long loses its shards.',
  ),
  renewSeconds: integer(
    { least: 1, most: 3600 },
    10,
    'A process that could not renew for this long ends its actors; it stops writing earlier.',
  ),
  retrySeconds: integer({ least: 1, most: 600 }, 2, 'Time between two renewals.'),
});

const questions = section("Questions to actors over HTTPS, with the caller's token.", {
  enabled: boolean(
    false,
    'True: `/state`, `/why`, `/history`, `/trace`, `/park` and `/unpark` are served, to those who may `get` or `patch` the object.',
  ),
  bindAddress: text('0.0.0.0', 'Address to listen on.'),
  port: port(2754, 'Port of the questions; 0: any free port.'),
  host: text(
    undefined,
    'IP address or DNS name by which other processes reach this one, published in its lease; absent: `$COPPICE_POD_IP`. Without it other processes send no questions over HTTPS.',
  ),
  secretName: text(
    'coppice-questions-cert',
    'The Secret with the certificate, in the namespace of the process; `admission.certificates` sets its lifetime, `admission.serviceName` its DNS name.',
  ),
});

const inspector = section(
  'The inspector: a page that shows every actor, and its API. It takes tokens of the cluster; `questions` lets processes ask each other.',
  {
    enabled: boolean(
      false,
      'True: the page and its API are served to those who may `list` or `get` the objects; `coppice dev` always has it.',
    ),
    bindAddress: text(
      '127.0.0.1',
      'Loopback address to listen on, which `kubectl port-forward` reaches. Over TLS the port of `questions` serves the same.',
    ),
    port: port(2755, 'Port of the inspector; 0: any free port.'),
    hosts: listOf(
      text('', 'A host name.'),
      [],
      'Further host names under which browsers reach it, such as that of an Ingress to the port of `questions`.',
    ),
    pageFolder: text(undefined, 'Folder of the built page; absent: where `npm run build` puts it.'),
  },
);

const tokenSecrets = section('Secrets with a token for the start-up containers.', {
  onlyForStartOrder: boolean(
    false,
    'True: a PodCliqueSet without a start-up order gets no Secret; none of its pods would mount one.',
  ),
  readNamespaces: listOf(
    text('', 'A namespace.'),
    [],
    'Namespaces where the controller reads an existing Secret of that name, instead of inferring its owner.',
  ),
});

export const schema = section('The configuration of `coppice controller`.', {
  apiVersion: oneOf([apiVersion], apiVersion, 'Version of this format.'),
  kind: oneOf([kind], kind, 'Kind of this file.'),
  modules,
  cluster,
  clientConnection,
  bus,
  leases,
  questions,
  inspector,
  tokenSecrets,
  shards: integer(
    { least: 1, most: 256 },
    16,
    'Number of shards over which trees are distributed.',
  ),
  server,
  profiling,
  log,
  supervision,
  scheduler,
  admission,
  authorizer,
  topologyAwareScheduling,
  network,
  computeDomains,
  agentSandbox,
  activator,
});

/** A valid configuration, all defaults filled in. */
export type Configuration = Decoded<typeof schema>;
