// What a clique reads of others: its domain, the nodes with the label of that, and of daemons
// without a label those on nodes that it knows, those that own its object, and those that ask.
import type { Reading } from '../../contract/view.ts';
import type { Indices } from '../objects/clique.ts';
import { labelledNodes } from '../views/children.ts';
import { cliquesOfPod } from '../views/cliques.ts';
import { placeIn, startingDaemons } from '../views/daemons.ts';
import { domainByUid } from '../views/domain.ts';
import type { CliqueContext } from './context.ts';
import { shownStarting } from './starting.ts';

export function readings(context: CliqueContext): readonly Reading[] {
  const { clique, daemons, asks, admitted } = context;
  const { domain } = clique;
  const nodes = new Set([
    ...clique.rows.map(({ nodeName }) => nodeName),
    ...reservedIn(context).keys(),
  ]);
  const labelled = new Set([...daemons.values()].map(({ uid }) => uid));
  const pods = new Set([
    ...clique.owners.map(({ uid }) => uid).filter((uid) => !labelled.has(uid)),
    ...[...asks.values()].map(({ podUid }) => podUid),
    ...admitted.keys(),
  ]);
  return [
    { view: domainByUid, key: domain },
    { view: labelledNodes, key: domain },
    ...[...nodes].map((node): Reading => ({ view: startingDaemons, key: placeIn(domain, node) })),
    ...[...pods].map((uid): Reading => ({ view: startingDaemons, key: uid })),
    ...shownStarting(context).map(({ uid }): Reading => ({ view: cliquesOfPod, key: uid })),
  ];
}

/** Of nodes without a row: as persisted, then as remembered, then as the status of the domain
 *  mirrors them. */
export function reservedIn({ clique, lost, domain }: CliqueContext): Indices {
  const mirrored = (domain?.nodes ?? [])
    .filter(({ cliqueID }) => cliqueID === clique.cliqueID)
    .map(({ name, index }) => [name, index] as const);
  const reserved = new Map<string, number>();
  for (const [node, index] of [...clique.reserved, ...lost, ...mirrored]) {
    if (!reserved.has(node)) reserved.set(node, index);
  }
  return reserved;
}
