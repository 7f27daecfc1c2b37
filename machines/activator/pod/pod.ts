// A pod as the actor of its revision knows it: where it stands, and what has come about it that the
// actor has not acted on yet. Never changed, only replaced.
import type { ValidationAnswer } from '../plane.ts';
import type { PodSnapshot, PodState, ReleaseCause } from '../table.ts';
import type { Micros } from '../time.ts';

/** As in the table, and `pending` before the first validation: it is not in the table then. */
export type PodLife = 'pending' | PodState;

export interface Pod {
  readonly dest: string;
  readonly id: string;
  readonly life: PodLife;
  readonly since: Micros;
  /** Whether the endpoints called it ready when they were last looked at; undefined: they were not
   *  since the actor started. */
  readonly wasListedReady: boolean | undefined;
  /** Undefined: it need not be validated now. */
  readonly validation: Validation | undefined;
  /** Requests that could not reach it since it is in its state. */
  readonly failures: number;
  /** The table has released it. */
  readonly released: ReleaseCause | undefined;
  /** The table has no slot for it. */
  readonly isRefused: boolean;
  /** The pod that answered in its place, as was told; empty: none did. */
  readonly impostor: string;
}

export interface Validation {
  readonly since: Micros;
  /** When the next attempt is due; while one is under way: when it is not waited for any more. */
  readonly next: Micros;
  /** Number of the attempt under way; 0: none is. */
  readonly attempt: number;
  /** Before the next attempt. */
  readonly pause: Micros;
  /** What came of the attempt, until it is acted on. */
  readonly answer: ValidationAnswer | undefined;
}

const fresh = {
  wasListedReady: undefined,
  validation: undefined,
  failures: 0,
  released: undefined,
  isRefused: false,
  impostor: '',
} as const;

export const pendingPod = (dest: string, id: string, since: Micros): Pod => ({
  ...fresh,
  dest,
  id,
  life: 'pending',
  since,
});

/** As the table has it, after a restart. */
export const foundPod = ({ dest, id, state, since }: PodSnapshot): Pod => ({
  ...fresh,
  dest,
  id,
  life: state,
  since,
});

/** In another state, where nothing that came in the one before counts. */
export const movedPod = (pod: Pod, life: PodLife, since: Micros): Pod => ({
  ...pod,
  life,
  since,
  validation: undefined,
  failures: 0,
  isRefused: false,
});

export const isRoutable = ({ life }: Pod): boolean => life === 'ready' || life === 'recovering';

/** Its answer is awaited. */
export const isUnderWay = ({ validation }: Pod): boolean =>
  validation !== undefined && validation.attempt !== 0 && validation.answer === undefined;
