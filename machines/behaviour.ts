// What the runtime knows of a kind of actor: its machine and how to read it. One row per actor kind
// in machines/index.ts; adding a kind means adding a folder, a row and its routes.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Internal } from './internal.ts';
import type { ActorKind } from './kinds.ts';
import type { JsonObject } from './objects.ts';
import type { ActorKey, EpochMs } from './vocabulary.ts';

export interface MachineInput {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly settings: MachineSettings;
}

/** Settings of the controller that machines depend on. */
export interface MachineSettings {
  readonly defaultSchedulerName: string;
  /** Enabled scheduler backends; a pod that names another is not created (spec api 3.7, 8.4). */
  readonly schedulerNames: readonly string[];
  readonly initContainerImage: string;
  /** Topology constraints are passed on to the scheduler (spec controllers 8.3). */
  readonly isTopologyAware: boolean;
  /** False: no ComputeDomain is created; those that are there go with their replicas. */
  readonly makesComputeDomains: boolean;
  /** True: a PodCliqueSet without a start-up order gets no token Secret; absent: each gets one. */
  readonly sparesTokens?: boolean;
  /** Namespaces in which a token Secret that cannot be created is read; absent: none. */
  readonly readsSecretsIn?: readonly string[];
}

export interface Behaviour {
  readonly kind: ActorKind;
  /** Controller name in metrics, events and logs: Grove's (`podcliqueset-controller`,
   *  `podgang`). */
  readonly controller: string;
  readonly machine: AnyStateMachine;
  /** The step that the machine would make, where that leaves it in its state; undefined where it
   *  might move. Pure, and may throw as the machine would. Absent: the machine makes every step. */
  internal?(
    context: AnyMachineSnapshot['context'],
    event: { readonly type: string },
  ): Internal<object> | undefined;
  /** True: each settle says everything that is wanted, so what waits to be sent and the newest one
   *  did not say again is wanted no more. Absent: a settle may say what changed alone, and is asked
   *  again for what waits to be sent on an object that was seen anew since. */
  readonly saysAll?: true;
  /** True when the actor has nothing left to live for and may be reaped. */
  readonly isOver: (snapshot: AnyMachineSnapshot) => boolean;
  /** UID and generation of the own object as last observed; undefined before. A new UID means a new
   *  actor, a new generation un-parks. */
  readonly identity: (
    snapshot: AnyMachineSnapshot,
  ) => { readonly uid: string; readonly generation: number } | undefined;
  /** Answers `why`: sentences that say what is waited for, most important first. */
  readonly why: (snapshot: AnyMachineSnapshot, now: EpochMs) => readonly string[];
  /** The state for `/actors` and `ask state`: JSON, without secrets, bounded in size. */
  readonly view: (snapshot: AnyMachineSnapshot) => JsonObject;
}
