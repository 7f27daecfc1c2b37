// Routes of shared ResourceClaims and of the templates that sets refer to: rows of routes.ts.
import type { ActorKey } from '../../contract/address.ts';
import { readClaim, readTemplate } from '../objects/claims.ts';
import type { ClaimFact } from '../objects/claims.ts';
import { label } from '../objects/labels.ts';
import { templateIn } from '../views/claim-template.ts';
import { cliqueKey, event, groupKey, inTree, setKey, uidAndName } from './routing.ts';
import type { Row } from './routing.ts';

/** Claims are their owner's; one without an owner is known by its labels. */
export const claimRow: Row<'ResourceClaim'> = {
  decode: readClaim,
  seen: (fact) =>
    inTree(fact, [{ to: claimOwner(fact), event: event('claim.observed', { fact }) }]),
  gone: (fact) =>
    inTree(fact, [{ to: claimOwner(fact), event: event('claim.gone', uidAndName(fact)) }]),
};

function claimOwner(fact: ClaimFact): ActorKey {
  const { owner, labels, set } = fact;
  if (owner?.kind === 'PodClique') return cliqueKey(fact, owner.name);
  if (owner?.kind === 'PodCliqueScalingGroup') return groupKey(fact, owner.name);
  if (owner !== undefined) return setKey(fact, set);
  const { [label.podClique]: clique, [label.scalingGroup]: group } = labels;
  if (clique !== undefined) return cliqueKey(fact, clique);
  return group === undefined ? setKey(fact, set) : groupKey(fact, group);
}

export const claimTemplateRow: Row<'ResourceClaimTemplate'> = {
  decode: readTemplate,
  seen: () => [],
  gone: () => [],
  shown: templateIn,
};
