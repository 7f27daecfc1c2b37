// What is remembered of writes on objects whose CRD may be an older one, so that what the server
// does not keep is not written as often as it answers.
import type { JsonObject } from '../objects.ts';

/** How an object is looked after whose CRD may not keep what is written: the PodGroup of the
 *  scheduler backend (podgroup.ts) and the PodGang's spec (steps.ts). */
export interface Upkeep {
  /** The patch that was asked for first since one was done or refused: so it is the one sent. */
  readonly asked?: string | undefined;
  /** A patch that was done and the version that it left: it says all that can be had. */
  readonly done?: string | undefined;
  /** What is wrong, as people were told. */
  readonly told?: string | undefined;
}

/** The server took this very patch and did not keep it: it would not another time either. */
export const isInVain = (
  { done }: Upkeep,
  there: { readonly resourceVersion: string },
  patch: JsonObject,
): boolean => done === `${there.resourceVersion} ${JSON.stringify(patch)}`;
