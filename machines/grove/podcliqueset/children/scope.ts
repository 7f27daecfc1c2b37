// What all kinds of children of a PodCliqueSet share: what is known where those of a replica are
// planned, and the reason of Warnings where a kind has none of its own.
import { sameForAll } from '../../children/type.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { Replica } from '../context.ts';
import type { Topology } from '../topology.ts';

/** The same for all replicas of a plan. */
export interface PlanOptions {
  /** False while no PodClique or group may be made: their pods would mount a token Secret that may
   *  be somebody else's, or claims that they share are missing. */
  readonly mayCreate: boolean;
  /** False: the switch is off, so no ComputeDomain is created. */
  readonly makesDomains: boolean;
  /** Of the backend that the gangs are for. */
  readonly schedulerName: string;
  /** How domains translate; undefined: constraints are not passed on. */
  readonly topology: Topology | undefined;
}

export interface ReplicaScope extends PlanOptions {
  readonly set: ObservedSet;
  readonly index: number;
  readonly replica: Replica;
}

/** In Grove these are told as PodCliques are (spec controllers 9.3). */
export const usualReason = sameForAll('PodCliqueCreateOrUpdateFailed', 'PodCliqueDeleteFailed');
