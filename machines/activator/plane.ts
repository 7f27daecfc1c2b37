// What the actor of a revision and its data plane say to each other. The actor decides in which
// state each pod is; the plane holds the table that the request path takes permits from, and asks
// pods who they are. The table outlives a crash of the actor, so each instruction may come again,
// and a restarted actor begins with `openTable` and goes on from what it hears then.
import type { PodSnapshot, PodTarget, PolicyName, ReleasedPod } from './table.ts';
import type { Micros } from './time.ts';

export type RevisionInstruction =
  /** Makes the table, or repairs the one that is there; answered by `table.opened`. */
  | (TableLimits & { readonly type: 'openTable'; readonly policy: PolicyName | undefined })
  | (TableLimits & { readonly type: 'setLimits' })
  /** These pods are in the table, in these states, and no others. */
  | {
      readonly type: 'setPods';
      readonly pods: readonly PodTarget[];
      /** Grows with each; an older one is let be. */
      readonly version: number;
      readonly now: Micros;
    }
  /** Pods that drain since then or longer leave, whatever runs on them. */
  | { readonly type: 'releaseDrained'; readonly cutoff: Micros }
  /** Pods that are not ready since before then leave where nothing runs on them. */
  | { readonly type: 'removeStale'; readonly cutoff: Micros }
  /** Asks the pod whether it takes requests, and who it is; answered by `pod.validated`. One that
   *  is under way for the address is given up. */
  | ({ readonly type: 'validatePod'; readonly dest: string; readonly id: string } & Numbered)
  | { readonly type: 'cancelValidation'; readonly dest: string }
  /** Refuses those who wait and those who come. What runs goes on. */
  | { readonly type: 'stopAdmission' }
  /** Answered by `demand.told`, which also comes by itself with the first request that waits. */
  | { readonly type: 'tellDemand' };

export interface TableLimits {
  /** Requests that one pod takes at once; 0: any number. */
  readonly limit: number;
  /** 0: unknown. */
  readonly maxScale: number;
}

interface Numbered {
  /** No two validations of a table have the same, not even before and after a crash. */
  readonly attempt: number;
}

export type RevisionFact =
  | TableOpened
  | ({ readonly type: 'pod.released' } & ReleasedPod)
  /** It was in `setPods` and is not in the table, as there is no slot for it. */
  | { readonly type: 'pod.refused'; readonly dest: string; readonly id: string }
  /** A request could not reach the pod that it was given. */
  | { readonly type: 'pod.failed'; readonly dest: string; readonly id: string }
  | ({ readonly type: 'pod.validated'; readonly dest: string } & Numbered & ValidationAnswer)
  /** How many requests wait for a pod. */
  | { readonly type: 'demand.told'; readonly waiting: number };

export interface TableOpened {
  readonly type: 'table.opened';
  /** Of the last `setPods`; 0: there was none. */
  readonly version: number;
  /** The highest number of a validation so far. */
  readonly attempts: number;
  readonly pods: readonly PodSnapshot[];
  readonly waiting: number;
}

export interface ValidationAnswer {
  readonly isOk: boolean;
  /** Of the pod that answered; undefined: it did not say. */
  readonly id: string | undefined;
}
