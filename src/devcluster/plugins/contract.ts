// What an API group adds to the embedded cluster: gangs that the scheduler places together, a
// program of an init container, agents of its own on the nodes, and a runtime of containers. A
// folder beside this file fills it in; `createCluster` is given the plug-ins, and the scheduler and
// the kubelet ask them.
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Stored } from '../contract.ts';
import type { Controller, ControllerContext, ControllerLog } from '../controllers/options.ts';

export interface ClusterPlugin {
  readonly gangs?: GangKind;
  readonly initProgram?: InitProgram;
  /** Controllers that run beside those of the cluster: what stands in for agents on nodes. */
  readonly agents?: readonly ((context: ControllerContext) => Controller)[];
  /** Runs containers for real, the first one that is given; absent: pods are simulated. */
  readonly runtime?: ContainerRuntime;
}

/** Runs the containers of those pods that ask for it; init containers stay simulated. */
export interface ContainerRuntime {
  readonly isFor: (pod: Stored) => boolean;
  /** Never calls back within this call. */
  readonly start: (run: ContainerRun) => RunningContainer;
}

export interface ContainerRun {
  readonly pod: Stored;
  readonly container: JsonObject;
  /** A loopback address of the pod alone, which its program can listen on. */
  readonly podIP: string;
  readonly clock: Clock;
  readonly log: ControllerLog;
  /** `isReady` has changed. */
  readonly changed: () => void;
  /** Called once, with the exit code: 128 and more by a signal, as a shell counts. */
  readonly ended: (code: number) => void;
}

export interface RunningContainer {
  readonly isReady: boolean;
  /** Asks it to end; `kill` does not ask. */
  stop(): void;
  kill(): void;
}

/** A kind whose objects list pods that are placed together or not at all. */
export interface GangKind {
  /** Path of the collection in all namespaces. */
  readonly path: string;
  /** What messages call a gang, and a group of its pods. */
  readonly title: string;
  readonly groupTitle: string;
  /** Name of the gang, in its own namespace, that a pod says it is in; empty: in none. */
  readonly nameOf: (pod: Stored) => string;
  readonly read: (gang: Stored) => Gang;
}

export interface Gang {
  readonly groups: readonly Group[];
  /** Its topology constraints; undefined: it has none. */
  readonly packing: Part | undefined;
}

export interface Group {
  readonly name: string;
  /** How many of its pods belong to the minimum of the gang. */
  readonly least: number;
  /** Keys of the pods listed, in order. */
  readonly pods: readonly string[];
}

/** Pods that are placed in one domain, some of them in narrower ones within. */
export interface Part {
  /** Node label keys whose values tell domains apart; empty: none. */
  readonly required: string;
  readonly preferred: string;
  /** Keys of pods that are in no part of it. */
  readonly pods: readonly string[];
  readonly parts: readonly Part[];
}

/** What an init container does that the kubelet, which runs no images, does itself. */
export interface InitProgram {
  /** The init container of a pod that is this program, if there is one. */
  readonly containerOf: (pod: Stored) => JsonObject | undefined;
  /** Starts it; the returned function stops it, after which nothing is called. */
  readonly start: (run: ProgramRun) => () => void;
}

export interface ProgramRun {
  readonly pod: Stored;
  readonly container: JsonObject;
  /** The way to the server with the token that the container would find. */
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ControllerLog;
  /** Called when the program has ended well. */
  readonly ended: () => void;
}
