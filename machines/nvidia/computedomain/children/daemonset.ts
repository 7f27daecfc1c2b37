// The DaemonSet of a ComputeDomain (spec compute-domain 2.6): no node has its label at first, and
// each that a workload comes to gets the label, and so a daemon. Never changed once it is there.
import { apiVersionOf } from '../../../contract/kinds.ts';
import type { JsonObject, KubeObject } from '../../../kubernetes/objects.ts';
import {
  annotation,
  daemonsName,
  domainLabel,
  finalizer,
  maxNodesVariable,
} from '../../objects/labels.ts';
import type { ObservedDomain } from '../../objects/domain.ts';
import { isCliqueAgent, type NvidiaSettings } from '../../settings.ts';

/** Of the container, and of its claim. */
const daemon = 'compute-domain-daemon';

export function daemonSet({ uid }: ObservedDomain, settings: NvidiaSettings): KubeObject {
  const name = daemonsName(uid);
  const labels = { [domainLabel]: uid };
  return {
    apiVersion: apiVersionOf('DomainDaemonSet'),
    kind: 'DaemonSet',
    // No owner: the domain is in another namespace.
    metadata: {
      namespace: settings.driverNamespace,
      name,
      finalizers: [finalizer],
      labels,
    },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: {
          labels,
          ...(isAgent(settings) && { annotations: { [annotation.agent]: 'true' } }),
        },
        spec: podSpec(labels, name, settings),
      },
    },
  };
}

/** Our own daemon restarts IMEX by itself when its index changes; it says so on its pod only where
 *  it cannot ask over NATS. */
const isAgent = ({ command: [program = ''] }: NvidiaSettings): boolean => isCliqueAgent(program);

function podSpec(nodeSelector: JsonObject, claimTemplate: string, settings: NvidiaSettings) {
  const { imagePullSecrets, priorityClassName } = settings;
  return {
    serviceAccountName: 'compute-domain-daemon-service-account',
    ...(imagePullSecrets.length > 0
      ? { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }
      : {}),
    ...(priorityClassName === '' ? {} : { priorityClassName }),
    nodeSelector,
    // Never evicted, not even from a dead node (HC-58).
    tolerations: ['NoSchedule', 'NoExecute', 'PreferNoSchedule'].map((effect) => ({
      operator: 'Exists',
      effect,
    })),
    containers: [container(settings)],
    ...natsVolume(settings),
    resourceClaims: [{ name: daemon, resourceClaimTemplateName: claimTemplate }],
  };
}

function container(settings: NvidiaSettings): JsonObject {
  const { image, command, resources } = settings;
  const [program = daemon] = command;
  const isSized = Object.keys(resources).length > 0;
  const probe = (periodSeconds: number, failureThreshold: number): JsonObject => ({
    exec: { command: [program, 'check'] },
    periodSeconds,
    timeoutSeconds: 10,
    failureThreshold,
  });
  return {
    name: daemon,
    image,
    command: [...command],
    env: [...environment(settings)],
    resources: {
      ...(isSized ? { requests: resources, limits: resources } : {}),
      claims: [{ name: daemon }],
    },
    ...(secretsOf(settings).length > 0 && { volumeMounts: [{ ...natsMount, readOnly: true }] }),
    // The first two bear with 20 minutes each (HC-51).
    startupProbe: probe(1, 1200),
    livenessProbe: probe(60, 20),
    readinessProbe: probe(10, 1),
  };
}

const environment = (settings: NvidiaSettings): readonly JsonObject[] => [
  { name: 'LOG_VERBOSITY', value: String(settings.logVerbosity) },
  { name: maxNodesVariable, value: String(settings.maxNodes) },
  ofPod('NODE_NAME', 'spec.nodeName'),
  ofPod('POD_IP', 'status.podIP'),
  ofPod('POD_UID', 'metadata.uid'),
  ofPod('POD_NAME', 'metadata.name'),
  ofPod('POD_NAMESPACE', 'metadata.namespace'),
  { name: 'NVIDIA_VISIBLE_DEVICES', value: 'void' },
  { name: 'FEATURE_GATES', value: gatesOf(settings) },
  ...natsOf(settings),
];

const natsMount = { name: 'nats', mountPath: '/var/run/secrets/nats' };

/** As the agent reads them (docs/clique-agent.md). */
function natsOf(settings: NvidiaSettings): readonly JsonObject[] {
  const { servers } = settings.agent;
  if (servers.length === 0) return [];
  return [
    { name: 'COPPICE_NATS_URL', value: servers.join(',') },
    ...secretsOf(settings).map(({ variable, key }) => ({
      name: variable,
      value: `${natsMount.mountPath}/${key}`,
    })),
  ];
}

const secretsOf = ({ agent }: NvidiaSettings) =>
  [
    { variable: 'COPPICE_NATS_CREDENTIALS', secret: agent.credentialsSecret, key: 'nats.creds' },
    { variable: 'COPPICE_NATS_CA', secret: agent.caSecret, key: 'ca.crt' },
  ].filter(({ secret }) => secret !== '');

function natsVolume(settings: NvidiaSettings): JsonObject {
  const sources = secretsOf(settings).map(({ secret, key }) => ({
    secret: { name: secret, items: [{ key, path: key }] },
  }));
  return sources.length === 0
    ? {}
    : { volumes: [{ name: natsMount.name, projected: { sources } }] };
}

const ofPod = (name: string, fieldPath: string): JsonObject => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});

/** As the daemon parses them: `a=true,b=false,`. */
const gatesOf = ({ featureGates }: NvidiaSettings): string =>
  Object.entries(featureGates)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, isOn]) => `${name}=${isOn},`)
    .join('');
