// The events that the runtime sends to every behaviour, besides the observations and views that a
// module has of its own.
import type { EpochMs } from '../kubernetes/time.ts';
import type { ObjectRef } from './address.ts';
import type { ErrorCode } from './errors.ts';
import type { Operation } from './kind.ts';

/** Events that every behaviour takes besides observations and views of its own. A reconcile
 *  follows each. */
export type CommonEvent =
  /** A write succeeded. The object in the reply was delivered as an observation before this. */
  | {
      readonly type: 'effect.done';
      readonly op: Operation;
      readonly ref: ObjectRef;
      /** Of what was created, where the kind is not watched and so nothing was delivered. */
      readonly uid?: string;
      /** When the answer came; absent: no answer said so. */
      readonly now?: EpochMs;
    }
  /** A write failed. While `retryAt` lies ahead the runtime drops intents on this object; at that
   *  time the actor is touched again by `effect.retry`. `retryAt` null: not before a new spec. */
  | {
      readonly type: 'effect.failed';
      readonly op: Operation;
      readonly ref: ObjectRef;
      readonly code: ErrorCode;
      readonly message: string;
      readonly now: EpochMs;
      readonly retryAt: EpochMs | null;
    }
  /** A write on this object may be tried again: the actor's own failed and its pause is over, or
   *  its intent was dropped because the object was busy and that has ended. */
  | { readonly type: 'effect.retry'; readonly ref: ObjectRef }
  /** The objects that `listObjects` asked for with this id were observed as they were after
   *  that, or later. `error`: the list failed, and nothing is known. */
  | { readonly type: 'objects.listed'; readonly id: string; readonly error?: string };
