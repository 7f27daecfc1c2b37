// What is decided of all that a clique actor knows, once as long as that stands: charts,
// steps and explanations ask for it.
import type { ObservedClique } from '../objects/clique.ts';
import { currentOf } from '../objects/daemon-pod.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import { hasCliques, isOfDriver } from '../settings.ts';
import type { CliqueContext } from './context.ts';
import { decide } from './decide.ts';
import type { Decision } from './decide.ts';
import { reservedIn } from './reads.ts';
import { mayBeIn, shownStarting } from './starting.ts';

export interface Decided extends Decision {
  readonly maxNodes: number;
  readonly members: Members;
  /** The live daemons that have a row or are to have one, one for each node. */
  readonly live: readonly ObservedDaemon[];
}

export type Members = ReadonlyMap<string, readonly ObservedDaemon[]>;

/** In any other namespace a user may make such objects, and of daemons that an older setting has
 *  left there no list tells: rows stay as they are. */
export const isForeign = ({ settings, key }: Pick<CliqueContext, 'settings' | 'key'>): boolean =>
  !isOfDriver(settings, key.namespace);

/** All that a decision depends on. */
const inputs = [
  'clique',
  'settings',
  'daemons',
  'starting',
  'elsewhere',
  'admitted',
  'domain',
  'labelled',
  'lost',
  'vacated',
  'disowned',
] as const satisfies readonly (keyof CliqueContext)[];

const known = new WeakMap<ObservedClique, { context: CliqueContext; made: Decided }>();

export function decided(context: CliqueContext): Decided {
  const last = known.get(context.clique);
  if (last !== undefined && inputs.every((name) => last.context[name] === context[name])) {
    return last.made;
  }
  const made = isForeign(context) ? asItIs(context) : decideAnew(context);
  known.set(context.clique, { context, made });
  return made;
}

const asItIs = ({ clique, settings: { maxNodes } }: CliqueContext): Decided => ({
  ...clique,
  ...{ repairs: [], refused: [], blocked: [], suspects: [] },
  ...{ maxNodes, members: new Map(), live: [] },
});

function decideAnew(context: CliqueContext): Decided {
  const { clique, labelled, vacated, settings, disowned } = context;
  const starting = shownStarting(context).filter(
    (pod) => isOfDriver(settings, pod.namespace) && mayBeIn(context, pod),
  );
  const members = membersOf(context, starting);
  const maxNodes = maxNodesOf(context, members);
  const decision = decide({
    cliqueID: clique.cliqueID,
    hasCliques: hasCliques(settings),
    maxNodes,
    rows: clique.rows,
    owners: clique.owners,
    outdated: clique.outdated,
    disowned: new Set([...disowned].flatMap(([uid, times]) => (times < 2 ? [] : uid))),
    reserved: reservedIn(context),
    members,
    starting: new Set(starting.map(({ node }) => node)),
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
function membersOf(
  { daemons, admitted, clique, key }: CliqueContext,
  starting: readonly ObservedDaemon[],
): Members {
  const owners = new Set(clique.owners.map(({ uid }) => uid));
  const unlabelled = starting.filter(
    ({ namespace, uid }) => namespace === key.namespace && (admitted.has(uid) || owners.has(uid)),
  );
  const members = new Map<string, ObservedDaemon[]>();
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

/** Nobody can join, so nobody's index is out of range: which range that is no pod says. */
const anyIndex = 10_000;

/** As the DaemonSet was made, which its pods show. */
function maxNodesOf({ settings }: CliqueContext, members: Members): number {
  if (members.size === 0) return anyIndex;
  const all = [...members.values()].flat().flatMap(({ maxNodes }) => maxNodes ?? []);
  return all.length === 0 ? settings.maxNodes : Math.min(...all);
}
