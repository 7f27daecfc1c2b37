// How an actor that has replicas takes news of its ResourceClaims, and of the claim templates that
// it refers to, into its context. Called by the reduce.ts of sets and of scaling groups.
import { struck } from '../errorbook.ts';
import type { ErrorBook } from '../errorbook.ts';
import { withClaimGone, withClaimSeen, withTemplate } from './facts.ts';
import type { Claims, SharingEvent, Templates } from './facts.ts';

interface Sharer {
  readonly key: { readonly namespace: string };
  readonly templates: Templates;
  readonly errors: ErrorBook;
}

/** Where a context keeps the claims among which the one with this name belongs. */
export interface Shelf<C> {
  readonly of: (context: C, name: string) => Claims;
  readonly put: (context: C, name: string, claims: Claims) => C;
}

/** The next context, or the same one where it is no news. */
export function reduceSharing<C extends Sharer>(
  context: C,
  event: SharingEvent,
  shelf: Shelf<C>,
): C {
  if (event.type === 'template.observed' || event.type === 'template.gone') {
    const templates = withTemplate(context.templates, event);
    return templates === context.templates ? context : { ...context, templates };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.fact : event;
  const before = shelf.of(context, name);
  const claims = isSeen ? withClaimSeen(before, event.fact) : withClaimGone(before, event);
  const next = claims === before ? context : shelf.put(context, name, claims);
  // One that shows up was created, one that is gone cannot fail any more.
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  const errors = struck(next.errors, ref, isSeen ? 'create' : undefined);
  return errors === next.errors ? next : { ...next, errors };
}
