// `status.nodes` of a ComputeDomain, from what all its cliques and pods say: each node once (spec
// compute-domain 2.9, A-90, A-91, A-105). Pure, and made anew each time: it can go back.
import { currentOf } from '../objects/daemon-pod.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import type { DomainNode, ObservedDomain } from '../objects/domain.ts';
import { hasCliques, isOfDriver } from '../settings.ts';
import type { NvidiaSettings } from '../settings.ts';
import type { CliqueRows } from '../views/cliques.ts';

/** A node as one source lists it. */
interface Candidate {
  readonly node: DomainNode;
  readonly isOf: (pod: ObservedDaemon) => boolean;
  readonly source: 'clique' | 'pod' | 'status';
}

export interface RollUp {
  /** By clique, index and name. */
  readonly nodes: readonly DomainNode[];
  /** How many are listed by cliques, and how many by the status alone. */
  readonly listed: number;
  readonly unlisted: number;
  /** Some are not where the gate ComputeDomainCliques says; ours may be in a clique in any case. */
  readonly isMixed: boolean;
}

interface Sources {
  readonly settings: NvidiaSettings;
  readonly cliques: readonly CliqueRows[];
  readonly daemons: readonly ObservedDaemon[];
}

export function rollUp(sources: Sources, domain: ObservedDomain): RollUp {
  const { settings, cliques, daemons } = sources;
  // In any other namespace a user may make such objects.
  const isOurs = ({ namespace }: { readonly namespace: string }): boolean =>
    isOfDriver(settings, namespace);
  const pods = daemons.filter((pod) => isOurs(pod) && pod.node !== '');
  const podsByNode = Map.groupBy(pods, ({ node }) => node);
  const rows = cliques.filter(isOurs).flatMap(ofClique);
  const inCliques = new Set(rows.map(({ node }) => placeOf(node)));
  const used = new Set(rows.map(({ node }) => slotOf(node)));
  const isKept = hasCliques(settings) ? isKeptBesideCliques : isKeptAlone;
  const kept = domain.nodes
    .filter((node) => node.cliqueID !== '' && !inCliques.has(placeOf(node)))
    // Its index is that of another node by now: it has lost its row, and is no older daemon's.
    .filter((node) => !used.has(slotOf(node)))
    .filter((node) => (podsByNode.get(node.name) ?? []).some((pod) => isKept(node, pod)))
    .map(ofStatus);
  const candidates = [...rows, ...pods.flatMap(ofPod), ...kept];
  const chosen = [...Map.groupBy(candidates, ({ node }) => node.name)].flatMap(([name, all]) =>
    choose(all, podsByNode.get(name) ?? []),
  );
  const from = (source: Candidate['source']): readonly Candidate[] =>
    chosen.filter((candidate) => candidate.source === source);
  // A row whose daemon is gone tells nothing.
  const isOfAgent = ({ node }: Candidate): boolean =>
    podsByNode.get(node.name)?.some(({ isAgent }) => isAgent) ?? true;
  const [listed, unlisted] = [from('clique'), from('status')];
  return {
    nodes: chosen.map(({ node }) => node).toSorted(byPlace),
    listed: listed.length,
    unlisted: unlisted.length,
    isMixed: hasCliques(settings) ? unlisted.length > 0 : !listed.every(isOfAgent),
  };
}

const slotOf = ({ cliqueID, index }: DomainNode): string => `${cliqueID} ${index}`;

const placeOf = ({ name, cliqueID }: DomainNode): string => `${cliqueID} ${name}`;

/** Who joined without a label is an owner (docs/clique-agent.md). */
const ofClique = ({ namespace, cliqueID, rows, owners }: CliqueRows): readonly Candidate[] =>
  rows.map(({ nodeName, ipAddress, index, status }) => ({
    node: { name: nodeName, ipAddress, cliqueID, index, status },
    isOf: (pod) =>
      pod.namespace === namespace &&
      (pod.cliqueID === undefined ? owners.includes(pod.uid) : pod.cliqueID === cliqueID),
    source: 'clique',
  }));

/** A node without a fabric is in no clique, so its pod alone tells of it. */
const ofPod = (pod: ObservedDaemon): readonly Candidate[] =>
  pod.cliqueID !== '' || pod.ip === ''
    ? []
    : [
        {
          node: {
            name: pod.node,
            ipAddress: pod.ip,
            cliqueID: '',
            index: -1,
            status: pod.isReady ? 'Ready' : 'NotReady',
          },
          isOf: ({ uid }) => uid === pod.uid,
          source: 'pod',
        },
      ];

/** An entry of a daemon that lists itself in the status. */
const ofStatus = (node: DomainNode): Candidate => ({
  // An empty one is refused by the schema.
  node: node.status === 'Ready' ? node : { ...node, status: 'NotReady' },
  isOf: ({ cliqueID }) => cliqueID === node.cliqueID,
  source: 'status',
});

/** Whether the pod may be the one that the entry is of: without a label it has not said yet. */
const isInClique = ({ cliqueID }: ObservedDaemon, node: DomainNode): boolean =>
  cliqueID === undefined || cliqueID === node.cliqueID;

/** Daemons that know of no cliques put themselves in and take themselves out. They know their IP
 *  before the API tells it (HC-62). */
function isKeptAlone(node: DomainNode, pod: ObservedDaemon): boolean {
  const isOver = !pod.isLive && !pod.deleting;
  const isAddressAwaited = pod.ip === '' && pod.cliqueID !== undefined;
  return !isOver && isInClique(pod, node) && (isAddressAwaited || pod.ip === node.ipAddress);
}

/** Others leave with the row of their clique, so this is for as long as one surely runs. */
const isKeptBesideCliques = (node: DomainNode, pod: ObservedDaemon): boolean =>
  pod.isLive && isInClique(pod, node) && pod.ip === node.ipAddress;

/** The one of the pod that runs on there, or else of the pod before it: a node that moves is in two
 *  cliques for a while. */
function choose(
  candidates: readonly Candidate[],
  pods: readonly ObservedDaemon[],
): readonly Candidate[] {
  let left = candidates.length > 1 ? pods : [];
  for (let pod = currentOf(left); pod !== undefined; pod = currentOf(left)) {
    const current = pod;
    const found = candidates.find(({ isOf }) => isOf(current));
    if (found !== undefined) return [found];
    left = left.filter((one) => one !== current);
  }
  return candidates.slice(0, 1);
}

const byPlace = (one: DomainNode, other: DomainNode): number =>
  compare(one.cliqueID, other.cliqueID) || one.index - other.index || compare(one.name, other.name);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
