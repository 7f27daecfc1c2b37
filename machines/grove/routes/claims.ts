// Routes of shared ResourceClaims and of the templates that sets refer to: rows of table.ts.
import type { ActorKey } from '../../contract/address.ts';
import { readClaim, readTemplate } from '../objects/claims.ts';
import type { ObservedClaim } from '../objects/claims.ts';
import { label } from '../objects/labels.ts';
import { templateIn } from '../views/claim-template.ts';
import { cliqueKey, event, groupKey, inTree, setKey, uidAndName } from './routing.ts';
import type { Row } from './routing.ts';

/** Claims are their owner's; one without an owner is known by its labels. */
export const claimRow: Row<'ResourceClaim'> = {
  decode: readClaim,
  seen: (observed) =>
    inTree(observed, [{ to: claimOwner(observed), event: event('claim.observed', { observed }) }]),
  gone: (observed) =>
    inTree(observed, [
      { to: claimOwner(observed), event: event('claim.gone', uidAndName(observed)) },
    ]),
};

function claimOwner(observed: ObservedClaim): ActorKey {
  const { owner, labels, set } = observed;
  if (owner?.kind === 'PodClique') return cliqueKey(observed, owner.name);
  if (owner?.kind === 'PodCliqueScalingGroup') return groupKey(observed, owner.name);
  if (owner !== undefined) return setKey(observed, set);
  const { [label.podClique]: clique, [label.scalingGroup]: group } = labels;
  if (clique !== undefined) return cliqueKey(observed, clique);
  return group === undefined ? setKey(observed, set) : groupKey(observed, group);
}

export const claimTemplateRow: Row<'ResourceClaimTemplate'> = {
  decode: readTemplate,
  seen: () => [],
  gone: () => [],
  shown: templateIn,
};
