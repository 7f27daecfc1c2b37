// What is looked at in an installation, and what a check says of it. Each finding has a code of the
// table in docs/kubectl-plugin.md and a hint that somebody can follow at once.
import type { Clock } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';

/** Code, and whether Coppice cannot work so (`problem`) or may do less than it could. */
export const findingCodes = {
  'server-unreachable': 'problem',
  'server-version': 'problem',
  'clock-skew': 'problem',
  'configuration-wrong': 'problem',
  'controller-missing': 'problem',
  'controller-not-ready': 'problem',
  'controller-versions': 'warning',
  'another-controller': 'problem',
  'crd-missing': 'problem',
  'crd-version': 'problem',
  'crd-not-established': 'problem',
  'crd-conversion': 'problem',
  'permission-missing': 'problem',
  'webhook-missing': 'problem',
  'webhook-not-trusted': 'problem',
  'webhook-service': 'problem',
  'certificate-expired': 'problem',
  'lease-expired': 'problem',
  'shard-unowned': 'problem',
  'shards-differ': 'problem',
  'nats-unreachable': 'problem',
  'nats-no-history': 'warning',
  parked: 'warning',
} as const;

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
