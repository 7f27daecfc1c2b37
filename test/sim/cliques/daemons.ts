// Daemons that write their rows themselves, as NVIDIA's do (spec compute-domain 3.4): each reads
// the clique, changes its own row and puts the whole back under the version that it read. Some ask
// the controller for their index instead.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, numberAt, textAt, uidOf } from '../fields.ts';
import { between, pick } from '../users/workload.ts';
import {
  cliqueLabel,
  cliqueOf,
  collections,
  daemonsIn,
  domainLabel,
  domainOf,
  driver,
  ipOf,
  isGoing,
  isReady,
  nameOf,
  nodeOf,
  paths,
  type Row,
  rowsOf,
} from './objects.ts';
import type { CliqueWorld } from './world.ts';

/** From its read to its write. */
const mostThoughtMs = 200;

export class Daemons {
  readonly #world: CliqueWorld;
  readonly #random: Random;

  constructor(world: CliqueWorld, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  /** One of them does what it would do now. */
  act(): void {
    const daemons = daemonsIn(this.#world.cluster.store).filter(
      (pod) => (cliqueOf(pod) ?? '') !== '' && ipOf(pod) !== '',
    );
    const going = daemons.filter(isGoing);
    const pod = pick(this.#random, this.#random.next() < 0.5 ? daemons : going);
    if (pod === undefined) return;
    const clique = this.#cliqueOf(pod);
    const { clock } = this.#world;
    clock.at(clock.now() + between(this.#random, 1, mostThoughtMs), () => {
      if (!this.#world.isHealed) void this.#write(pod, clique);
    });
  }

  /** It is to stop, and removes its row. */
  leave(pod: Stored): void {
    const { clock, cluster } = this.#world;
    clock.at(clock.now() + between(this.#random, 1, mostThoughtMs), () => {
      const now = cluster.store.collection(collections.pods).get(driver, nameOf(pod));
      if (now === undefined || !isGoing(now) || this.#world.isHealed) return;
      void this.#write(now, this.#cliqueOf(now));
    });
  }

  /** One of them, or one that only starts, asks for its index. */
  async ask(): Promise<void> {
    const pod = pick(this.#random, daemonsIn(this.#world.cluster.store));
    const process = pick(this.#random, [...this.#world.processes.alive]);
    if (pod === undefined || process === undefined) return;
    const cliqueID = cliqueOf(pod) ?? this.#fabricOf(nodeOf(pod));
    if (cliqueID === '') return;
    const name = `${domainOf(pod)}.${cliqueID}`;
    const node = nodeOf(pod);
    const answer = await process.system.ask({
      about: { kind: 'clique', namespace: driver, name },
      question: 'join',
      payload: { node, podUid: uidOf(pod), ip: ipOf(pod) },
    });
    if (!answer.ok) return;
    const { index, version } = answer.data;
    this.#world.oracle.joined(name, { node, uid: uidOf(pod), index, version: String(version) });
  }

  #fabricOf(node: string): string {
    const object = this.#world.cluster.store.collection(collections.nodes).get('', node);
    return textAt(at(object, 'metadata', 'labels'), 'nvidia.com/gpu.clique');
  }

  #cliqueOf(pod: Stored): Stored | undefined {
    const { store } = this.#world.cluster;
    return store.collection(collections.cliques).get(driver, `${domainOf(pod)}.${cliqueOf(pod)}`);
  }

  async #write(pod: Stored, clique: Stored | undefined): Promise<void> {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: nameOf(pod), uid: uidOf(pod) };
    const cliqueID = cliqueOf(pod) ?? '';
    const name = `${domainOf(pod)}.${cliqueID}`;
    const rows = rowsOf(clique);
    const daemons = this.#changed(pod, cliqueID, rows);
    if (daemons === undefined) return;
    if (clique === undefined) {
      const labels = { [domainLabel]: domainOf(pod), [cliqueLabel]: cliqueID };
      const metadata = { name, namespace: driver, labels, ownerReferences: [owner] };
      const { apiVersion, kind } = cliqueKind;
      const body = { apiVersion, kind, metadata, daemons };
      await this.#world.ask({ method: 'POST', path: paths.cliques, body });
      return;
    }
    const owners = clique.metadata['ownerReferences'];
    const others = Array.isArray(owners) ? owners : [];
    const isListed = others.some((one) => textAt(one, 'uid') === owner.uid);
    const ownerReferences = isListed || isGoing(pod) ? others : [...others, owner];
    const metadata = { ...clique.metadata, ownerReferences };
    const body = { ...clique, metadata, daemons };
    await this.#world.ask({ method: 'PUT', path: `${paths.cliques}/${name}`, body });
  }

  /** The rows as this daemon would have them; undefined: as they are. */
  #changed(pod: Stored, cliqueID: string, rows: readonly Row[]): readonly Row[] | undefined {
    const [nodeName, ipAddress] = [nodeOf(pod), ipOf(pod)];
    const own = rows.find((row) => row.nodeName === nodeName);
    if (isGoing(pod)) {
      const left = rows.filter((row) => row.ipAddress !== ipAddress);
      return left.length === rows.length ? undefined : left;
    }
    const replaced = (row: Row): readonly Row[] => rows.map((one) => (one === own ? row : one));
    const status = isReady(pod) ? 'Ready' : 'NotReady';
    if (own !== undefined && own.ipAddress !== ipAddress) return replaced({ ...own, ipAddress });
    if (own !== undefined) return own.status === status ? undefined : replaced({ ...own, status });
    const used = new Set(rows.map(({ index }) => index));
    const most = maxNodesOf(pod);
    const index = Array.from({ length: most }, (_, one) => one).find((one) => !used.has(one));
    if (index === undefined) return undefined;
    return [...rows, { nodeName, ipAddress, cliqueID, index, status: 'NotReady' }];
  }
}

const cliqueKind = {
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomainClique',
} as const;

/** As its environment says. */
function maxNodesOf(pod: Stored): number {
  const found = /"MAX_NODES_PER_IMEX_DOMAIN","value":"(\d+)"/.exec(JSON.stringify(pod['spec']));
  return numberAt({ most: Number(found?.[1] ?? 0) }, 'most');
}
