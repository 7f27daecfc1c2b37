// What a request of either protocol, and an attempt to send it to a pod, have to do with each
// other.
import type { Requests } from '../served-revision.ts';
import type { RevisionFigures } from './figures.ts';
import type { Target } from './identify.ts';
import type { RequestRules } from './rules.ts';
import type { Shared } from './shared.ts';

/** A request on its way to a pod. It calls `answerBegun` and so on, and nothing after `cancel`. */
export interface Attempt {
  /** `left` is called once, when the pod knows: until then it may have the request yet. */
  cancel(left: () => void): void;
}

/** Headers, flat: name, value, name, value. */
export type Flat = readonly string[];

export interface Routed {
  readonly shared: Shared;
  readonly target: Target;
  readonly requests: Requests;
  readonly rules: RequestRules;
  readonly figures: RevisionFigures;
}

/** How it ended, for metrics: by an answer of the pod, by one of ours, by its client, or in the
 *  middle of an answer. */
export type Ending = 'answered' | 'refused' | 'cancelled' | 'cut';
