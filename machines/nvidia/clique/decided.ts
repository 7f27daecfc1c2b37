// What is decided of all that a clique actor knows, once per context: charts, steps and
// explanations ask for it.
import type { Indices } from '../objects/clique.ts';
import { currentOf } from '../objects/daemon-pod.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { hasCliques, isOfDriver } from '../settings.ts';
import type { CliqueContext } from './context.ts';
import { decide } from './decide.ts';
import type { Decision } from './decide.ts';

export interface Decided extends Decision {
  readonly maxNodes: number;
  readonly members: Members;
  /** The live daemons that have a row or are to have one, one for each node. */
  readonly live: readonly ObservedDaemon[];
}

export type Members = ReadonlyMap<string, readonly ObservedDaemon[]>;

const known = new WeakMap<CliqueContext, Decided>();

export function decided(context: CliqueContext): Decided {
  const there = known.get(context);
  if (there !== undefined) return there;
  const made = decideAnew(context);
  known.set(context, made);
  return made;
}

function decideAnew(context: CliqueContext): Decided {
  const { clique, labelled, vacated, settings } = context;
  const members = membersOf(context);
  const maxNodes = maxNodesOf(context, members);
  const starting = new Set(
    context.starting
      .filter(({ namespace }) => isOfDriver(settings, namespace))
      .map(({ node }) => node),
  );
  const decision = decide({
    cliqueID: clique.cliqueID,
    hasCliques: hasCliques(settings),
    maxNodes,
    rows: clique.rows,
    owners: clique.owners,
    outdated: clique.outdated,
    reserved: reservedIn(context),
    members,
    starting,
    vacated,
    labelled,
  });
  const nodes = new Set(decision.rows.map(({ nodeName }) => nodeName));
  const live = [...members.values()]
    .flatMap((pods) => currentOf(pods) ?? [])
    .filter(({ isLive }) => isLive)
    .filter(({ node, isAgent }) => hasCliques(settings) || isAgent || nodes.has(node));
  return { ...decision, maxNodes, members, live };
}

/** By node: pods with the label of this clique, and of those without one who asked to join or owns
 *  the object already. */
function membersOf({ daemons, starting, admitted, clique, key, settings }: CliqueContext): Members {
  const owners = new Set(clique.owners.map(({ uid }) => uid));
  const unlabelled = starting.filter(
    ({ namespace, uid }) => namespace === key.namespace && (admitted.has(uid) || owners.has(uid)),
  );
  const members = new Map<string, ObservedDaemon[]>();
  if (!isOfDriver(settings, key.namespace)) return members;
  for (const pod of [...daemons.values(), ...unlabelled]) {
    if (pod.node === '') continue;
    const asked = admitted.get(pod.uid);
    const ip = pod.ip === '' ? (asked ?? '') : pod.ip;
    const one = asked === undefined ? pod : { ...pod, ip, isAgent: true };
    const pods = members.get(pod.node);
    if (pods === undefined) members.set(pod.node, [one]);
    else pods.push(one);
  }
  return members;
}

/** As the DaemonSet was made, which its pods show. */
function maxNodesOf({ settings }: CliqueContext, members: Members): number {
  const all = [...members.values()].flat().flatMap(({ maxNodes }) => maxNodes ?? []);
  return all.length === 0 ? settings.maxNodes : Math.min(...all);
}

/** As persisted, then as remembered, then as the status of the domain mirrors them (A-38,
 * */
function reservedIn({ clique, lost, domain }: CliqueContext): Indices {
  const mirrored = (domain?.nodes ?? [])
    .filter(({ cliqueID }) => cliqueID === clique.cliqueID)
    .map(({ name, index }) => [name, index] as const);
  const reserved = new Map<string, number>();
  for (const [node, index] of [...clique.reserved, ...lost, ...mirrored]) {
    if (!reserved.has(node)) reserved.set(node, index);
  }
  return reserved;
}
