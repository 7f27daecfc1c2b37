// Why a clique is not complete, in sentences for people.
import { refKey } from '../../contract/address.ts';
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { ObservedClique } from '../objects/clique.ts';
import { hasCliques } from '../settings.ts';
import type { CliqueContext } from './context.ts';
import { decided } from './decided.ts';
import { isAgreed } from './write.ts';

/** The words of the driver, which its users search for. */
export const noIndex = (maxNodes: number): string =>
  `no available indices within maxNodesPerIMEXDomain (${maxNodes})`;

export function explainMembers(context: CliqueContext): readonly string[] {
  const { refused, blocked, live, maxNodes, owners } = decided(context);
  const rows = new Map(context.clique.rows.map((row) => [row.nodeName, row]));
  const without = live.filter(({ node, ip }) => !rows.has(node) && ip === '');
  const notReady = live.filter(({ node, isReady }) => rows.has(node) && !isReady);
  const owning = new Set(owners.map(({ uid }) => uid));
  const disowned = live.filter(({ node, uid }) => rows.has(node) && !owning.has(uid));
  return [
    ...refused.map(({ node }) => `node ${node} waits for a place: ${noIndex(maxNodes)}`),
    ...blocked.map(({ node, ip }) => `node ${node} waits: another row holds its IP ${ip}`),
    ...without.map(({ name, node }) => `pod ${name} on node ${node} has no IP yet`),
    ...notReady.map(({ name, node }) => `pod ${name} on node ${node} is not ready`),
    ...disowned.map(
      ({ name, node }) =>
        `pod ${name} on node ${node} was taken off the owners of the object time and again: it ` +
        'counts as not ready until it changes',
    ),
  ];
}

export function explainLost(context: CliqueContext): readonly string[] {
  if (context.domain?.deleting === true) return [];
  const { suspects } = decided(context);
  const problem = context.refusals.get('daemons');
  const failed = problem === undefined ? '' : `; the last one failed: ${problem}`;
  return suspects.map(
    (node) =>
      `node ${node} has a row and no daemon: it goes once a list of pods that is not from a watch ` +
      `confirms that${failed}`,
  );
}

/** Of daemons that are about to be deleted. */
export const explainOutdated = (context: CliqueContext, clique: ObservedClique) =>
  decided(context)
    .live.filter(({ uid }) => clique.outdated.has(uid))
    .map((pod): string => {
      const problem = context.refusals.get(refKey(pod));
      const failed = problem === undefined ? '' : `, which failed: ${problem}`;
      return `pod ${pod.name} on node ${pod.node} runs with an index of before: it is deleted${failed}`;
    });

export const explainDraining = ({ domain, clique }: CliqueContext): readonly string[] => [
  domain?.deleting === true
    ? `ComputeDomain ${domain.name} is being deleted`
    : `no daemon of clique ${clique.cliqueID} runs any more`,
];

export function explainWrite({ refusals }: CliqueContext, clique: ObservedClique) {
  const problem = refusals.get(refKey(clique));
  return [
    problem === undefined
      ? 'the table is about to be written'
      : `the table cannot be written: ${problem}`,
  ];
}

export function explainTerminating(_: CliqueContext, clique: ObservedClique): readonly string[] {
  if (!clique.deleting) return [];
  const why = whyThere(`ComputeDomainClique ${clique.name}`, clique, { ours: '', waited: [] });
  return [`${why}; it is made anew with the same indices while daemons run`];
}

export const explainForeign = ({ key }: CliqueContext): readonly string[] => [
  `namespace ${key.namespace} is none of the driver's, so its rows are left as they are: ` +
    'computeDomains.additionalNamespaces lists those with older daemons',
];

export const fine = ({ settings }: CliqueContext, { rows, cliqueID }: ObservedClique): string =>
  rows.length === 0 && !hasCliques(settings)
    ? `the daemons of clique ${cliqueID} list themselves in the status of their ComputeDomain`
    : `clique ${cliqueID} is complete with ${rows.length} nodes`;

/** For `/actors` and `ask state`. */
export function view(context: CliqueContext): JsonObject {
  const { clique, domain, asks } = context;
  const decision = decided(context);
  return {
    uid: clique.uid === '' ? null : clique.uid,
    version: clique.resourceVersion,
    domain: domain === undefined ? null : `${domain.namespace}/${domain.name}`,
    maxNodes: decision.maxNodes,
    isAgreed: isAgreed(decision, clique),
    rows: clique.rows.slice(0, maxListed).map(({ nodeName, index, status }) => ({
      node: nodeName,
      index,
      status,
    })),
    reserved: Object.fromEntries([...decision.reserved].slice(0, maxListed)),
    waiting: decision.refused.slice(0, maxListed).map(({ node }) => node),
    suspects: decision.suspects.slice(0, maxListed),
    asks: asks.size,
  };
}
