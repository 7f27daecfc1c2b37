// Whether something that a claim needs is surely not there. A watch of claims may run ahead of that
// of pools, and clients give up at once where they read that a pool or template does not exist (K2,
// K3), so a consistent list, begun after it was missed, has the last word.
import type { CommonEvent } from '../../contract/events.ts';
import type { Intent } from '../../contract/intents.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import { label } from '../objects/labels.ts';

export type Sought = 'sandbox' | 'pool' | 'template';

export interface Search {
  /** How often it was known, or another one was needed: what a list of before shows is no news. */
  readonly number: number;
  readonly isDone: boolean;
  /** Of the last list, which failed. */
  readonly error?: string;
}

export type Searches = Readonly<Record<Sought, Search>>;

const first: Search = { number: 0, isDone: false };
export const started: Searches = { sandbox: first, pool: first, template: first };

/** It is known again, or another one is wanted. */
export const found = (searches: Searches, what: Sought): Searches => ({
  ...searches,
  [what]: { number: searches[what].number + 1, isDone: false },
});

const idOf = (searches: Searches, what: Sought): string => `${what} ${searches[what].number}`;

export function listed(
  searches: Searches,
  { id, error }: Extract<CommonEvent, { type: 'objects.listed' }>,
): Searches {
  const [what] = (['sandbox', 'pool', 'template'] as const).filter(
    (one) => idOf(searches, one) === id,
  );
  if (what === undefined) return searches;
  const { number } = searches[what];
  const isDone = error === undefined;
  return { ...searches, [what]: isDone ? { number, isDone } : { number, isDone, error } };
}

const kinds = {
  sandbox: 'Sandbox',
  pool: 'SandboxWarmPool',
  template: 'SandboxTemplate',
} as const;

/** Said at every reconcile: the runtime makes one list of it, for all claims of a namespace where
 *  they want the same, and pauses after one that failed. */
export const listOf = (
  searches: Searches,
  { namespace, uid }: ObservedClaim,
  what: Sought,
): Intent => ({
  type: 'listObjects',
  id: idOf(searches, what),
  kind: kinds[what],
  labels: what === 'sandbox' ? { [label.claimUid]: uid } : {},
  namespaces: [namespace],
});

export function sayOf(searches: Searches, what: Sought, name: string): readonly string[] {
  const { error } = searches[what];
  const awaited = `${kinds[what]} ${name} is not known; a list of those that there are is awaited`;
  return [error === undefined ? awaited : `${awaited}, and the last one failed: ${error}`];
}
