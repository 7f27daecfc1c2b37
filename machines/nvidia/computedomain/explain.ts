// How a ComputeDomain stands, in sentences for people: it has no conditions, so this is all there
// is.
import { sayError } from '../../contract/failure-log.ts';
import { firstOf, maxListed } from '../../contract/limits.ts';
import { text } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sayChild } from '../objects/children.ts';
import type { ObservedDomain } from '../objects/domain.ts';
import { missingTypes, ownChildren } from './children/table.ts';
import type { DomainContext } from './context.ts';

export const explainErrors = ({ errors }: DomainContext): readonly string[] => errors.map(sayError);

/** Of what failed its error says more. */
export const explainMissing = (
  context: DomainContext,
  domain: ObservedDomain,
): readonly string[] => {
  const missing = missingTypes(context, domain);
  return missing.flatMap(({ what, kind, build, after }) => {
    if (after !== undefined && missing.includes(after)) {
      return [`the ${what} is made once the ${after.what} is there`];
    }
    const { name } = build(domain, context.settings).metadata;
    const hasFailed = context.errors.some(({ ref }) => ref.kind === kind && ref.name === name);
    return hasFailed ? [] : [`the ${what} is about to be made`];
  });
};

/** Our finalizer keeps it, as jobs may run with it; another is made only when it is gone. */
export const explainLeaving = (context: DomainContext): readonly string[] =>
  ownChildren(context)
    .filter(({ deleting }) => deleting)
    .map((child) => `${sayChild(child)} was deleted by somebody; it stays until the domain goes`);

/** Why it is not ready, by what was written. */
export function explainNodes(
  { settings }: DomainContext,
  { status, nodes, numNodes }: ObservedDomain,
): readonly string[] {
  if (settings.mode === 'hostManaged' || status['status'] === 'Ready') return [];
  const waiting = nodes.filter((node) => node.status !== 'Ready').map(({ name }) => name);
  return [
    ...(nodes.length < numNodes ? [`${nodes.length} of ${numNodes} nodes have joined`] : []),
    ...(waiting.length > 0
      ? [`${waiting.length} of ${nodes.length} nodes are not ready: ${firstOf(waiting)}`]
      : []),
  ];
}

export const fine = ({ settings }: DomainContext, { name, nodes }: ObservedDomain): string =>
  settings.mode === 'hostManaged'
    ? `ComputeDomain ${name} has its claim template; IMEX is up to the host`
    : `ComputeDomain ${name} is as it should be, with ${nodes.length} nodes`;

/** For `/actors` and `ask state`. */
export const view = (context: DomainContext): JsonObject => {
  const { domain, listing, cliques, daemons, nodes, errors } = context;
  return {
    uid: domain?.uid ?? null,
    status: text(domain?.status['status']),
    nodes: domain?.nodes.length ?? 0,
    ready: domain?.nodes.filter(({ status }) => status === 'Ready').length ?? 0,
    cliques: cliques.length,
    daemons: daemons.length,
    children: ownChildren(context).map(sayChild).slice(0, maxListed),
    labelled: nodes.length,
    isMixed: listing.mixedSince !== undefined,
    statusBytes: listing.bytes,
    errors: errors.map(sayError),
  };
};
