// What is looked at in an installation, and what a check says of it. Each finding has a code of the
// table in docs/kubectl-plugin.md and a hint that somebody can follow at once.
import type { Clock } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';

interface FindingRow {
  /** Coppice cannot work so (`problem`), or may do less than it could. */
  readonly level: 'problem' | 'warning';
  readonly meaning: string;
  /** What the hint of a finding leads to, in short. */
  readonly leadsTo: string;
}

export const findingCodes = {
  'server-unreachable': {
    level: 'problem',
    meaning: 'The API server does not answer.',
    leadsTo: 'the kubeconfig, its context and the network',
  },
  'server-version': {
    level: 'problem',
    meaning: 'The API server is too old.',
    leadsTo: 'an upgrade of the cluster',
  },
  'clock-skew': {
    level: 'problem',
    meaning:
      'Clocks of this machine, of a controller and of the API server differ by more than 5 s.',
    leadsTo: 'a time server for both',
  },
  'configuration-wrong': {
    level: 'problem',
    meaning: 'The configuration cannot be read, or its ConfigMap is missing.',
    leadsTo: 'the fields that are wrong',
  },
  'controller-missing': {
    level: 'problem',
    meaning: 'No pod of the controller is there.',
    leadsTo: 'an installation of the chart',
  },
  'controller-not-ready': {
    level: 'problem',
    meaning: 'A pod of the controller is not ready.',
    leadsTo: 'what its exit code or its reason means',
  },
  'controller-versions': {
    level: 'warning',
    meaning: 'Replicas, or the controller and this command, are of different versions.',
    leadsTo: 'the end of the update, or the right plugin',
  },
  'another-controller': {
    level: 'problem',
    meaning: 'The original controller of the same objects runs too.',
    leadsTo: 'its end, or the module off',
  },
  'crd-missing': {
    level: 'problem',
    meaning: 'A CRD of a module, feature or scheduler that is on is missing.',
    leadsTo: 'the CRDs of the chart, which Helm does not upgrade',
  },
  'crd-version': {
    level: 'problem',
    meaning: 'A CRD serves no version that Coppice knows.',
    leadsTo: 'the CRDs of this release',
  },
  'crd-not-established': {
    level: 'problem',
    meaning: 'A CRD is not served, as another one has its names.',
    leadsTo: 'the deletion of the other',
  },
  'crd-conversion': {
    level: 'problem',
    meaning: 'A CRD serves several versions, and nobody trusted converts.',
    leadsTo: 'a controller that may patch CRDs',
  },
  'permission-missing': {
    level: 'problem',
    meaning: "The controller's ServiceAccount lacks a permission.",
    leadsTo: 'a ClusterRole that follows the configuration',
  },
  'webhook-missing': {
    level: 'problem',
    meaning: 'An admission webhook is not registered.',
    leadsTo: 'a restart of the controller, or registration by hand',
  },
  'webhook-not-trusted': {
    level: 'problem',
    meaning: 'The caBundle of a webhook is empty, or of another authority than its certificate.',
    leadsTo: 'a restart of the controller, or its right to write it',
  },
  'webhook-service': {
    level: 'problem',
    meaning: 'A webhook leads to a Service or port that is missing, or of another installation.',
    leadsTo: 'an upgrade of the release, or one installation',
  },
  'certificate-expired': {
    level: 'problem',
    meaning: 'A certificate is missing, has ended or begins later.',
    leadsTo: 'a controller that may write the Secret',
  },
  'lease-expired': {
    level: 'problem',
    meaning: 'No process renews its lease.',
    leadsTo: 'the log of the controller',
  },
  'shard-unowned': {
    level: 'problem',
    meaning: 'No living process owns a shard.',
    leadsTo: 'patience for a take-over, then a restart',
  },
  'shards-differ': {
    level: 'problem',
    meaning: 'Replicas disagree on the number of shards.',
    leadsTo: 'one configuration for all',
  },
  'nats-unreachable': {
    level: 'problem',
    meaning: 'NATS does not answer, or what answers is something else.',
    leadsTo: 'the right `bus.servers`, or the bus off',
  },
  'nats-no-history': {
    level: 'warning',
    meaning: 'NATS has no JetStream.',
    leadsTo: '`-js`, or history off',
  },
  parked: {
    level: 'warning',
    meaning: 'The work on objects has stopped.',
    leadsTo: '`why` and `unpark`',
  },
} as const satisfies Record<string, FindingRow>;

export type FindingCode = keyof typeof findingCodes;

export interface Finding {
  readonly code: FindingCode;
  /** What is wrong, with the object that is meant. */
  readonly what: string;
  readonly hint: string;
}

/** What a check has to say: findings; that it could not look, and why; or neither: all is well. */
export interface Result {
  readonly findings: readonly Finding[];
  readonly notLooked?: string;
}

export const fine: Result = { findings: [] };
export const found = (...findings: readonly Finding[]): Result => ({ findings });
export const notLooked = (why: string): Result => ({ findings: [], notLooked: why });

/** Where the configuration comes from, and what it says. */
export interface Configured {
  readonly origin: string;
  readonly configuration: Configuration;
  /** What is wrong with it; `configuration` is the default then. */
  readonly problems: readonly string[];
}

export interface Installation {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  /** Of the command that looks. */
  readonly version: string;
  readonly configured: Configured;
  /** Where the controller, its leases and its Secrets are. */
  readonly namespace: string;
  /** Its pods; undefined: they may not be listed. */
  readonly pods: readonly JsonObject[] | undefined;
  /** False: the controller is a process beside whoever checks, so nobody misses its pods. */
  readonly isInPods: boolean;
  /** ServiceAccount of the pods; undefined: there are none, and the user of the kubeconfig is taken
   *  for the controller. */
  readonly account: string | undefined;
}

export interface Check {
  /** As it is shown. */
  readonly title: string;
  readonly run: (installation: Installation) => Promise<Result>;
}

/** A GET; a path in which names of others stand is encoded by the caller. */
export const read = (transport: KubeTransport, path: string): Promise<KubeResponse> =>
  transport.request({ method: 'GET', path });

/** Why a check cannot look, where an answer is neither the object nor that there is none. */
export function unreadable(response: KubeResponse, what: string): string | undefined {
  if (isSuccess(response) || response.status === 404) return undefined;
  return `${what} cannot be read: ${failureOf(response).message}`;
}
