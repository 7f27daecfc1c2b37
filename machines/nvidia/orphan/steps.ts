// The steps of a child of a ComputeDomain that may be an orphan. Views may know less than the
// server for a moment, and what is deleted here does not come back, so a live list has the last
// word.
import { announceErrorsBy } from '../../contract/failure-log.ts';
import type { Intent } from '../../contract/intents.ts';
import { sayChild } from '../objects/children.ts';
import { deleteChild, releaseChild, unlabel } from '../removal.ts';
import { searchId } from './context.ts';
import type { Search, Step } from './context.ts';

/** Said at every reconcile: the runtime makes one list of it, and pauses after one that failed. */
export const searchDomain: Step = ({ search }) => ({
  intents: [{ type: 'listObjects', id: searchId(search), kind: 'ComputeDomain', labels: {} }],
  changes: {},
});

const reason = 'there is no ComputeDomain with this UID';

export const removeOrphan: Step = (_, child) => {
  const intents: readonly Intent[] =
    child.kind === 'DomainNode' ? [unlabel(child, reason)] : deleteChild(child, reason);
  return { intents, changes: {} };
};

/** As soon as it is seen that the orphan is being deleted. */
export const releaseOrphan: Step = (_, child) => ({
  intents: child.kind === 'DomainNode' ? [unlabel(child, reason)] : releaseChild(child, reason),
  changes: {},
});

export const announceErrors: Step = announceErrorsBy(() => 'ComputeDomainChildFailed');

export const whySearching = ({ search: { error } }: { readonly search: Search }) => [
  error === undefined
    ? 'no ComputeDomain with its UID is known; a list of all of them is awaited'
    : `no ComputeDomain with its UID is known, and listing all of them failed: ${error}`,
];

export const whyOrphaned = (child: Parameters<typeof sayChild>[0]) => [
  `${sayChild(child)} has no ComputeDomain, and is about to ` +
    (child.kind === 'DomainNode' ? 'lose the label' : 'be deleted'),
];
