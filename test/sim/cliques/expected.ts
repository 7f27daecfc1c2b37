// What must be in the end, when all faults are healed and nobody does anything: each clique lists
// its daemons as they are, each ComputeDomain lists what its cliques do, and nothing is left of
// those that are gone. Made from the spec, knows nothing of the code under test.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { listAt, numberAt, textAt, uidOf } from '../fields.ts';
import {
  badIndices,
  cliqueOf,
  cliquesIn,
  collections,
  daemonsIn,
  domainOf,
  ipOf,
  isGoing,
  isReady,
  nameOf,
  nodeOf,
  rowsOf,
} from './objects.ts';

interface Entry {
  readonly node: string;
  readonly ip: string;
  readonly clique: string;
  readonly index: number;
  readonly status: string;
}

const say = ({ node, ip, clique, index, status }: Entry): string =>
  `${node} ${ip} ${clique || '(no fabric)'} ${index} ${status}`;

const statusOf = (pod: Stored): string => (isReady(pod) ? 'Ready' : 'NotReady');

/** Sentences; empty: all is well. */
export function complaintsAbout(store: Store, most: number): readonly string[] {
  const domains = store.collection(collections.domains).list();
  return [
    ...domains.flatMap((domain) => aboutDomain(store, domain)),
    ...unsettled(store),
    ...cliquesIn(store).flatMap((clique) => aboutRange(clique, most)),
    ...membership(store, most),
    ...leftOvers(store, new Set(domains.map(uidOf))),
  ];
}

/** The cluster itself has work to do. */
function unsettled(store: Store): readonly string[] {
  const daemons = daemonsIn(store);
  const going = daemons.filter(isGoing).map((pod) => `daemon ${nameOf(pod)} is on its way out`);
  const silent = daemons
    .filter((pod) => cliqueOf(pod) === undefined || ipOf(pod) === '')
    .map((pod) => `daemon ${nameOf(pod)} has not started`);
  const placed = new Set(daemons.map((pod) => `${nodeOf(pod)} ${domainOf(pod)}`));
  const lonely = store
    .collection(collections.nodes)
    .list()
    .filter((node) => domainOf(node) !== '' && !placed.has(`${nameOf(node)} ${domainOf(node)}`))
    .map((node) => `node ${nameOf(node)} has no daemon of ${domainOf(node)}`);
  return [...going, ...silent, ...lonely];
}

const aboutRange = (clique: Stored, most: number): readonly string[] =>
  badIndices(rowsOf(clique), most).map((index) => `clique ${nameOf(clique)}: bad index ${index}`);

/** Rows are the live daemons of the clique, up to as many as it may have. */
function membership(store: Store, most: number): readonly string[] {
  const daemons = daemonsIn(store).filter((pod) => (cliqueOf(pod) ?? '') !== '');
  const pods = Map.groupBy(daemons, (pod) => `${domainOf(pod)}.${cliqueOf(pod)}`);
  const cliques = new Map(cliquesIn(store).map((clique) => [nameOf(clique), clique]));
  const left = [...cliques.keys()]
    .filter((name) => !pods.has(name))
    .map((name) => `clique ${name} has no daemons and is there`);
  const wrong = [...pods].flatMap(([name, members]) =>
    aboutRows(name, cliques.get(name), members, most),
  );
  return [...left, ...wrong];
}

function aboutRows(
  name: string,
  clique: Stored | undefined,
  pods: readonly Stored[],
  most: number,
): readonly string[] {
  if (clique === undefined) return [`clique ${name} is not there, and has ${pods.length} daemons`];
  const rows = rowsOf(clique);
  const wanted = Math.min(most, pods.length);
  const count =
    rows.length === wanted ? [] : [`clique ${name} has ${rows.length} rows of ${wanted}`];
  const wrong = rows.flatMap(({ nodeName, ipAddress, status, index }) => {
    const pod = pods.find((each) => nodeOf(each) === nodeName);
    const isRight = pod !== undefined && ipOf(pod) === ipAddress && statusOf(pod) === status;
    const is = pod === undefined ? 'no daemon' : `${ipOf(pod)} ${statusOf(pod)}`;
    return isRight
      ? []
      : [`clique ${name}: row ${index} is ${nodeName} ${ipAddress} ${status}, which has ${is}`];
  });
  return [...count, ...wrong];
}

function aboutDomain(store: Store, domain: Stored): readonly string[] {
  const uid = uidOf(domain);
  const name = nameOf(domain);
  if (isGoing(domain)) return [`ComputeDomain ${name} ${uid} is on its way out`];
  const sets = store.collection(collections.daemonSets).list().filter(isOf(uid));
  const templates = store.collection(collections.templates).list().filter(isOf(uid));
  const kept = [...sets, ...templates].filter((child) => !isGoing(child));
  const children =
    kept.length === 3 ? [] : [`ComputeDomain ${name} has ${kept.length} children, not 3`];
  const wanted = [
    ...cliquesIn(store)
      .filter(isOf(uid))
      .flatMap((clique) => rowsOf(clique).map((row) => ofRow(row))),
    ...daemonsIn(store)
      .filter((pod) => domainOf(pod) === uid && cliqueOf(pod) === '')
      .map((pod) => ({
        ...{ node: nodeOf(pod), ip: ipOf(pod), clique: '', index: -1 },
        status: statusOf(pod),
      })),
  ];
  const there = listAt(domain, 'status', 'nodes').map(ofStatus);
  const [shown, right] = [there, wanted].map((list) => list.map(say).toSorted().join(', '));
  const nodes = shown === right ? [] : [`ComputeDomain ${name} lists ${shown}, not ${right}`];
  const ready = wanted.every(({ status }) => status === 'Ready') ? 'Ready' : 'NotReady';
  const global = textAt(domain, 'status', 'status');
  const status = global === ready ? [] : [`ComputeDomain ${name} is ${global}, not ${ready}`];
  return [...children, ...nodes, ...status];
}

const isOf =
  (uid: string) =>
  (object: Stored): boolean =>
    domainOf(object) === uid;

const ofRow = ({ nodeName, ipAddress, cliqueID, index, status }: ReturnType<typeof rowsOf>[0]) => ({
  ...{ node: nodeName, ip: ipAddress, clique: cliqueID },
  ...{ index, status },
});

const ofStatus = (node: unknown): Entry => ({
  node: textAt(node, 'name'),
  ip: textAt(node, 'ipAddress'),
  clique: textAt(node, 'cliqueID'),
  index: numberAt(node, 'index'),
  status: textAt(node, 'status'),
});

/** Of domains that are no more. */
function leftOvers(store: Store, uids: ReadonlySet<string>): readonly string[] {
  return (['daemonSets', 'templates', 'nodes', 'cliques'] as const).flatMap((what) =>
    store
      .collection(collections[what])
      .list()
      .filter((object) => domainOf(object) !== '' && !uids.has(domainOf(object)))
      .map((object) => `${what}: ${nameOf(object)} is of a domain that is no more`),
  );
}
