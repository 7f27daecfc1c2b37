// The steps of a child of a ComputeDomain that may be an orphan. Views may know less than the
// server for a moment, and what is deleted here does not come back, so a live list has the last
// word.
import { backoff, isPauseOver } from '../../contract/backoff.ts';
import type { Intent } from '../../contract/intents.ts';
import { idle } from '../../statechart/step.ts';
import { announcement } from '../failures.ts';
import { refOfChild, sayChild } from '../objects/children.ts';
import { deleteChild, releaseChild, unlabel } from '../removal.ts';
import { searchId } from './context.ts';
import type { Search, Step } from './context.ts';

/** An answer that does not come in this time was lost. */
const answerMs = 60_000;

const firstPauseMs = 1_000;
const lastPauseMs = 60_000;

export const searchDomain: Step = (context, child, now) => {
  const { search } = context;
  if (search.until !== undefined && !isPauseOver(search.until, now, answerMs)) {
    return { ...idle, waits: [{ until: search.until }] };
  }
  if (search.state === 'failed' && search.until === undefined) {
    const until = now + backoff(search.attempt, firstPauseMs, lastPauseMs);
    return { intents: [], changes: { search: { ...search, until } }, waits: [{ until }] };
  }
  const until = now + answerMs;
  const next: Search = { state: 'asked', attempt: search.attempt + 1, until };
  const id = searchId({ ...context, search: next }, child);
  return {
    intents: [{ type: 'listObjects', id, kind: 'ComputeDomain', labels: {} }],
    changes: { search: next },
    waits: [{ until }],
  };
};

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

export const announceErrors: Step = ({ errors }, child) =>
  announcement(
    errors,
    errors,
    { ...refOfChild(child), uid: child.uid },
    () => 'ComputeDomainChildFailed',
  );

export const whySearching = ({ search: { error } }: { readonly search: Search }) => [
  error === undefined
    ? 'no ComputeDomain with its UID is known; a list of all of them is awaited'
    : `no ComputeDomain with its UID is known, and listing all of them failed: ${error}`,
];

export const whyOrphaned = (child: Parameters<typeof sayChild>[0]) => [
  `${sayChild(child)} has no ComputeDomain, and is about to ` +
    (child.kind === 'DomainNode' ? 'lose the label' : 'be deleted'),
];
