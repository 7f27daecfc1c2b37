// The values of the chart, field by field: the configuration file under `config`, and what belongs
// to the chart alone. charts/coppice has three texts from this table: values.yaml,
// values.schema.json, by which Helm refuses what is wrong, and the table of its README.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { boolean, type Field, integer, listOf, oneOf, section, text } from '#src/config/field.ts';
import { apiVersion, kind, schema } from '#src/config/schema.ts';
import { runbookUrl } from '../monitoring/rules.ts';
import { object, objects, ofSubchart, optional, texts } from './fields.ts';

/** What the chart sets in the configuration file; the rest has the defaults of that file. Metrics
 *  are on loopback, as the port of the questions serves them over TLS. Grove's exemptions are
 *  written out, as a list of one's own replaces them. */
const config: JsonObject = {
  apiVersion,
  kind,
  modules: { ...schema.fallback.modules },
  bus: { enabled: false },
  leases: { enabled: true },
  questions: { enabled: true },
  inspector: { enabled: false },
  server: { metricsBindAddress: '127.0.0.1' },
  admission: { enabled: true, registration: 'service' },
  authorizer: {
    enabled: false,
    exemptServiceAccountUserNames: [...schema.fallback.authorizer.exemptServiceAccountUserNames],
  },
};

const ports = (fallback: readonly number[], doc: string) =>
  listOf(integer({ least: 1, most: 65_535 }, 443, 'A port.'), fallback, doc);

const image = (repository: string, tag: Field<string>) =>
  section('The container image.', {
    repository: text(repository, 'Registry and repository.'),
    tag,
    pullPolicy: oneOf(
      ['Always', 'IfNotPresent', 'Never'],
      'IfNotPresent',
      'When a node pulls the image.',
    ),
  });

/** A gang of 1,000 pods peaks below 200 MiB and 3 CPU seconds (docs/sizing.md). */
const resources: JsonObject = {
  requests: { cpu: '100m', memory: '256Mi' },
  limits: { memory: '1Gi' },
};

const spread: readonly JsonObject[] = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(
  (topologyKey) => ({ maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' }),
);

const pods = {
  replicaCount: integer(
    { least: 0, most: 100 },
    2,
    'Processes. More than one needs `config.leases.enabled`: they share the trees among themselves, and take over from each other.',
  ),
  image: image('coppice', optional('', 'Empty: the version of the chart.')),
  imagePullSecrets: objects([], 'Secrets with which images are pulled.'),
  podAnnotations: texts('Further annotations of the pods.'),
  podLabels: texts('Further labels of the pods.'),
  env: objects(
    [],
    'Further variables of the controller, as containers have them: those of OpenTelemetry (docs/tracing.md).',
  ),
  priorityClassName: optional(
    'system-cluster-critical',
    'PriorityClass of the pods; empty: the default of the cluster.',
  ),
  nodeSelector: texts('Labels of the nodes that the pods may run on.'),
  tolerations: objects([], 'Taints that the pods tolerate.'),
  affinity: object({}, 'Affinity of the pods.'),
  topologySpreadConstraints: objects(
    spread,
    'How the pods are spread; the chart adds the label selector.',
  ),
  resources: object(resources, 'Requests and limits of each process; see docs/sizing.md.'),
  terminationGracePeriodSeconds: integer(
    { least: 1, most: 600 },
    30,
    'Time in which a process that ends hands its shards on.',
  ),
  podDisruptionBudget: section('How many processes a drain may take at once.', {
    enabled: boolean(true, 'False: none is made.'),
    maxUnavailable: integer({ least: 1, most: 100 }, 1, 'At most so many are away.'),
  }),
};

const nats = section(
  'A NATS server beside the controller: one pod that keeps its history in memory. Without it, and without servers in `config.bus`, the controller runs without NATS.',
  {
    enabled: boolean(
      false,
      'True: the chart brings the server and sets `config.bus`. `natsSecretName` must name a Secret with the key `token`, which clients show.',
    ),
    image: image('nats', text('2.14.0-alpine', 'Version of the server.')),
    memoryStore: text('256MB', 'Size of the history, as NATS writes it.'),
    resources: object(
      { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
      'Requests and limits of the server.',
    ),
  },
);

const activator = section(
  'The activator, which takes requests for revisions: `config.activator` says for which (docs/activator.md).',
  {
    enabled: boolean(false, 'True: it runs, with a Service and permissions of its own.'),
    replicaCount: integer(
      { least: 0, most: 100 },
      1,
      'Activators; several share the pods of each revision, and need an autoscaler other than their own.',
    ),
    resources: object(
      { requests: { cpu: '300m', memory: '128Mi' }, limits: { memory: '1Gi' } },
      'Requests and limits of each activator.',
    ),
    terminationGracePeriodSeconds: integer(
      { least: 1, most: 3_600 },
      600,
      'Time in which requests that are here may end; more than `config.activator.drainSeconds`.',
    ),
  },
);

const webhooks = section(
  'The admission webhooks, which the controller serves, or processes of their own.',
  {
    separate: boolean(
      false,
      'True: `coppice webhook` serves them, under an account of its own, and the controller loses what they need.',
    ),
    replicaCount: integer({ least: 1, most: 100 }, 2, 'Processes, where they are apart.'),
    resources: object(
      { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } },
      'Requests and limits of each.',
    ),
  },
);

const monitor = (what: string) =>
  section(`A ${what} of the Prometheus operator, whose CRDs must be there.`, {
    enabled: boolean(false, 'True: it is made.'),
    interval: optional('', 'Time between two scrapes, such as `30s`; empty: that of Prometheus.'),
    labels: texts('Further labels, by which a Prometheus selects it.'),
  });

/** Labels by which the sidecar of Grafana's chart finds dashboards. */
const dashboardLabels: JsonObject = { grafana_dashboard: '1' };

const monitoring = {
  serviceMonitor: monitor('ServiceMonitor'),
  podMonitor: monitor('PodMonitor'),
  prometheusRule: section(
    'Alerts as a PrometheusRule of the Prometheus operator, whose CRDs must be there: docs/monitoring.md.',
    {
      enabled: boolean(false, 'True: it is made.'),
      labels: texts('Further labels, by which a Prometheus selects it.'),
      runbookUrl: text(
        runbookUrl,
        'Where the runbooks are: the page in the checkout, or the address where you serve it; `%s` is the name of the alert.',
      ),
      disabled: listOf(text('CoppiceClaimsSlow', 'Name of an alert.'), [], 'Alerts to leave out.'),
    },
  ),
  dashboards: section('Dashboards for Grafana, a ConfigMap each: docs/monitoring.md.', {
    enabled: boolean(false, 'True: they are made.'),
    labels: object(dashboardLabels, 'Labels by which the sidecar of Grafana finds them.'),
    annotations: texts('Annotations, such as the one for the folder in Grafana.'),
  }),
};

const security = {
  networkPolicy: section(
    'NetworkPolicies: nothing reaches a pod, or is reached by it, but what README.md lists.',
    {
      enabled: boolean(true, 'False: none is made.'),
      apiServerPorts: ports([443, 6443], 'Ports of the API server, of any address.'),
      natsPorts: ports([4222], 'Ports of the servers of `config.bus`, of any address.'),
      collectorPorts: ports(
        [],
        'Ports of the collector of traces that `env` names, of any address, such as 4318.',
      ),
      clients: objects(
        [],
        'Who else may reach metrics, questions and the inspector, such as Prometheus: peers, as NetworkPolicies have them.',
      ),
      natsClients: objects(
        [],
        'Who else may reach the NATS server of this chart, such as clique agents: peers, as NetworkPolicies have them.',
      ),
    },
  ),
  aggregatedRoles: boolean(
    true,
    'True: the cluster roles view, edit and admin hold for the kinds of all modules that are on.',
  ),
  certManager: section(
    'The certificate of the webhooks by cert-manager, whose CRDs must be there, instead of by the controller itself.',
    {
      enabled: boolean(
        false,
        'True: the chart sets `config.admission.certificates` and makes a Certificate.',
      ),
      issuerRef: object(
        {},
        'The issuer, which must give its authority as `ca.crt`; empty: an authority of the chart’s own.',
      ),
    },
  ),
  natsSecretName: optional(
    '',
    'A Secret whose files are in `/var/run/secrets/nats`, for `config.bus.credentialsFile`, `config.bus.tls.caFile` and the like; empty: none.',
  ),
  natsCaSecretName: optional(
    '',
    'A Secret whose files are in `/var/run/secrets/nats-ca`, for `config.bus.tls.caFile` where the authority is in a Secret of its own; empty: none.',
  ),
};

export const values = section('Values of the chart.', {
  global: object({}, 'Values that Helm hands to every chart of a release; none is read here.'),
  // Helm puts the values of each subchart under its name.
  ...Object.fromEntries(
    Object.keys(schema.fallback.modules).map((name): [string, Field<JsonObject>] => [
      name,
      ofSubchart('Of the subchart with the CRDs of the module, which has no values.'),
    ]),
  ),
  config: {
    ...schema,
    fallback: config,
    doc: 'The configuration file of the controller, as it is: docs/configuration.md has all its fields. Permissions follow it: what is off is not granted.',
  },
  ...pods,
  nats,
  activator,
  webhooks,
  ...monitoring,
  ...security,
  crds: section(
    'The CRDs, which Helm installs with the release and keeps when it is uninstalled.',
    {
      upgrade: boolean(
        true,
        'True: a hook applies them before each upgrade. False: apply them yourself, as README.md says.',
      ),
    },
  ),
});

/** Not in values.yaml: Helm’s own. */
export const ofHelm: readonly string[] = ['global', ...Object.keys(schema.fallback.modules)];
