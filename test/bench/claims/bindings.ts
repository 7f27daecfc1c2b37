// Which claim has which Sandbox, by the objects themselves when all is over: double bindings are
// errors of whoever served the claims, cold starts waste of a pool that has members.
import { at, list, text } from '#machines/kubernetes/json.ts';
import { labels } from './objects.ts';

export interface Bindings {
  /** Claims whose Sandbox was made for them. */
  readonly cold_starts: number;
  /** Claims that own not exactly the Sandbox of their status, and Sandboxes that two of them
   *  name. */
  readonly double_bindings: number;
}

export function bindingsOf(claims: readonly unknown[], sandboxes: readonly unknown[]): Bindings {
  const owned = Map.groupBy(sandboxes, ownerOf);
  const named = claims.map((claim) => text(at(claim, 'status', 'sandbox', 'name')));
  const wrong = claims.filter((claim, index) => {
    const own = (owned.get(text(at(claim, 'metadata', 'uid'))) ?? []).map(nameOf);
    return own.length !== 1 || own[0] !== named[index];
  });
  const ofClaims = new Set(claims.map((claim) => text(at(claim, 'metadata', 'uid'))));
  const cold = sandboxes.filter(
    (sandbox) =>
      ofClaims.has(ownerOf(sandbox)) &&
      text(at(sandbox, 'metadata', 'labels', labels.launchType)) !== 'warm',
  );
  return {
    cold_starts: cold.length,
    double_bindings: wrong.length + (named.length - new Set(named).size),
  };
}

const nameOf = (object: unknown): string => text(at(object, 'metadata', 'name'));

/** UID of the controller; empty for an orphan. */
const ownerOf = (object: unknown): string => {
  const references = list(at(object, 'metadata', 'ownerReferences'));
  return text(
    at(
      references.find((one) => at(one, 'controller') === true),
      'uid',
    ),
  );
};
