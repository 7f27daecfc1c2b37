// The words that the actor of a revision and its table of pods have in common. The table itself is
// a part of the data plane (src/activator/table).
import type { Micros } from './time.ts';

/** How a pod with a permit to give is chosen. */
export const policyNames = [
  'random',
  'random-choice-2',
  'first-available',
  'round-robin',
  'least-loaded',
] as const;
export type PolicyName = (typeof policyNames)[number];

export const isPolicy = (name: string): name is PolicyName =>
  policyNames.some((policy) => policy === name);

/** `ready` and `recovering` pods are routable: they get new requests. */
export type PodState = 'not-ready' | 'ready' | 'recovering' | 'draining';

/** The states that an intent may ask for; a pod drains because it was removed. */
export type TargetState = Exclude<PodState, 'draining'>;

/** A pod as the actor wants it in the table. Pods that are being validated, and those outside of
 *  this activator's share (slices.ts), are not among them. */
export interface PodTarget {
  /** `ip:port`, IPv6 in brackets. Never empty. */
  readonly dest: string;
  /** Of the pod behind the address: two pods that share an address in turn have different ones. */
  readonly id: string;
  readonly state: TargetState;
}

/** Why a slot was released. */
export type ReleaseCause = 'removed' | 'drained' | 'stale' | 'deadline' | 'closed' | 'repaired';

export interface ReleasedPod {
  readonly dest: string;
  readonly id: string;
  readonly cause: ReleaseCause;
  /** Requests that still run on it, which nobody waits for any more; 0 but for `deadline`, `closed`
   *  and `repaired`. */
  readonly detached: number;
}

/** A pod of the table as it is now; a copy. */
export interface PodSnapshot {
  readonly index: number;
  /** Odd; another one for each pod that has the slot. */
  readonly gen: number;
  readonly dest: string;
  readonly id: string;
  readonly state: PodState;
  readonly inFlight: number;
  readonly limit: number;
  /** Of the last change of its state. */
  readonly since: Micros;
}
