// The options of the simulated controllers with their defaults, and what they all get to work with.
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { KubeClient } from './client.ts';
import type { Informers } from './informer.ts';

/** Every field may be left out. Times are in milliseconds of the clock. */
export interface ControllerOptions {
  /** Pods that name one of these in `schedulerName` are bound. */
  readonly schedulerNames?: readonly string[];
  /** Bindings per second; 0: as fast as the server answers. */
  readonly bindingsPerSecond?: number;
  /** Record an event `Scheduled` for every pod, as a real scheduler does. */
  readonly scheduledEvents?: boolean;
  /** From the binding to the start of the first container: image pull and sandbox. */
  readonly startMs?: number;
  /** Added to `startMs`, a random part of it for each pod. */
  readonly startJitterMs?: number;
  /** From the start of an init container to its end. */
  readonly initContainerMs?: number;
  /** From the deletion of a pod to its end; never longer than its grace period. */
  readonly stopMs?: number;
  /** Resources of each simulated node. */
  readonly nodeCapacity?: Readonly<Record<string, string>>;
  /** Labels and taints of a node by its index, beyond the usual ones. */
  readonly nodeExtras?: (index: number) => {
    readonly labels?: Readonly<Record<string, string>>;
    readonly taints?: readonly JsonObject[];
  };
  /** What token Secrets are filled with; without it they stay empty. */
  readonly credentials?: Credentials;
}

export interface Credentials {
  /** PEM of the cluster's certificate authority. */
  readonly caCertificate: string;
  /** A token that the server accepts for the account, bound to the Secret that holds it. */
  readonly issueToken: (claim: TokenClaim) => string;
}

export interface TokenClaim {
  readonly namespace: string;
  readonly account: string;
  readonly accountUid: string;
  readonly secret: string;
}

export type Settings = Required<Omit<ControllerOptions, 'credentials'>> &
  Pick<ControllerOptions, 'credentials'>;

export const withDefaults = (options: ControllerOptions = {}): Settings => ({
  schedulerNames: ['default-scheduler'],
  bindingsPerSecond: 0,
  scheduledEvents: true,
  startMs: 150,
  startJitterMs: 100,
  initContainerMs: 100,
  stopMs: 100,
  nodeCapacity: {},
  nodeExtras: () => ({}),
  ...options,
});

export type ControllerLog = (
  level: 'debug' | 'info' | 'warn',
  message: string,
  fields: JsonObject,
) => void;

/** What each controller is built from. */
export interface ControllerContext {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  /** The way to the server for a process in a pod that has this token. */
  readonly connect: (token: string) => KubeTransport;
  readonly log: ControllerLog;
}

/** A running controller. */
export interface Controller {
  /** True when it has nothing to do before something changes or its time comes. */
  readonly idle: boolean;
  stop(): void;
}
