// How what belongs to a ComputeDomain goes: deleted, then let go by our finalizer; a node only
// loses the label. Each is an intent that names the object and version it was decided on, so it may
// be said again and is refused where the object is another by now. Used by the domain and by
// orphans.
import type { Intent } from '../contract/intents.ts';
import { refOfChild } from './objects/children.ts';
import type { ObservedChild } from './objects/children.ts';
import { domainLabel, finalizer } from './objects/labels.ts';

/** Nothing where it is being deleted. */
export const deleteChild = (child: ObservedChild, reason: string): readonly Intent[] =>
  child.deleting ? [] : [{ type: 'deleteObject', ref: refOfChild(child), reason, uid: child.uid }];

/** Our finalizer off what is being deleted; that of one that is not would protect nothing any
 *  more. */
export function releaseChild(child: ObservedChild, reason: string): readonly Intent[] {
  if (!child.deleting || !child.finalizers.includes(finalizer)) return [];
  const finalizers = child.finalizers.filter((name) => name !== finalizer);
  const { uid, resourceVersion } = child;
  const patch = { metadata: { finalizers } };
  return [{ type: 'patchObject', ref: refOfChild(child), reason, patch, uid, resourceVersion }];
}

/** The label off a node. The version is that in which it had this very domain as its value: a label
 *  that another domain has set since stays (HC-54). */
export function unlabel(node: ObservedChild, reason: string): Intent {
  const { uid, resourceVersion } = node;
  const patch = { metadata: { labels: { [domainLabel]: null } } };
  return { type: 'patchObject', ref: refOfChild(node), reason, patch, uid, resourceVersion };
}
