// How what belongs to a ComputeDomain goes: deleted, then let go by our finalizer; a node only
// loses the label. Each is an intent that names the object and version it was decided on, so it may
// be said again and is refused where the object is another by now. Used by the domain and by
// orphans.
import type { Intent } from '../contract/intents.ts';
import { deletionOf, patchOf, withoutFinalizer } from '../contract/object-intents.ts';
import type { ObservedChild } from './objects/children.ts';
import { domainLabel, finalizer } from './objects/labels.ts';

/** Nothing where it is being deleted. */
export const deleteChild = (child: ObservedChild, reason: string): readonly Intent[] =>
  child.deleting ? [] : [deletionOf(child, reason)];

/** Our finalizer off what is being deleted; that of one that is not would protect nothing any
 *  more. */
export const releaseChild = (child: ObservedChild, reason: string): readonly Intent[] =>
  child.deleting ? withoutFinalizer(child, finalizer, reason) : [];

/** The label off a node. The version is that in which it had this very domain as its value: a label
 *  that another domain has set since stays (HC-54). */
export const unlabel = (node: ObservedChild, reason: string): Intent =>
  patchOf(
    node,
    reason,
    { metadata: { labels: { [domainLabel]: null } } },
    { resourceVersion: node.resourceVersion },
  );
