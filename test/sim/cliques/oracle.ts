// What must never happen to the table of a clique (spec compute-domain 5.17), watched at the store
// at every version and at the lists and writes of each process, by code that knows nothing of the
// code under test.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, listAt, textAt, uidOf } from '../fields.ts';
import type { Tag } from '../oracles/ownerships.ts';
import { placeOf } from '../oracles/place.ts';
import type { Tally } from '../oracles/tally.ts';
import type { Wire } from '../world/processes.ts';
import { Holdings } from './holdings.ts';
import { Lifetimes } from './lifetimes.ts';
import { Listings } from './listings.ts';
import {
  badIndices,
  cliqueOf,
  collections,
  domainOf,
  holdersOf,
  nameOf,
  type Row,
  rowsOf,
  versionOf,
} from './objects.ts';

/** Somebody changes indices by hand, and counts that here. */
export const byHand = 'foreign/by-hand';

interface OracleOptions {
  readonly store: Store;
  readonly tally: Tally;
  /** How many nodes a clique may have. */
  readonly maxNodes: number;
  readonly violate: (what: string) => void;
}

/** A change of a clique, with what there was when it was written. */
interface Written {
  readonly change: Change;
  /** UIDs of the pods that keep a row, by node. */
  readonly holders: ReadonlyMap<string, readonly string[]>;
  /** Since which version each row was there with its IP. */
  readonly since: ReadonlyMap<string, number>;
  /** The index that each node has had before, by name. */
  readonly due: ReadonlyMap<string, number>;
}

/** What a pod that asked was told. */
export interface Joined {
  readonly node: string;
  readonly uid: string;
  readonly index: unknown;
  readonly version: string;
}

export class CliqueOracle {
  readonly #options: OracleOptions;
  readonly #lifetimes: Lifetimes;
  readonly #listings = new Listings();
  /** By name of the clique and version. */
  readonly #written = new Map<string, Written>();
  /** By name of the clique: the last change that removed it. */
  readonly #removed = new Map<string, Written>();
  /** By UID of the clique, then by node. */
  readonly #since = new Map<string, Map<string, number>>();
  readonly #holdings: Holdings;

  constructor(options: OracleOptions) {
    this.#options = options;
    this.#lifetimes = new Lifetimes(options.store);
    this.#holdings = new Holdings(options);
    options.store.collection(collections.cliques).onChange((change) => this.#take(change));
  }

  /** One more wire of a process. */
  call(life: number): Wire['witness'] {
    return {
      asks: () => {},
      sends: () => {},
      hears: (request, response) => {
        this.#listings.take(life, request, response);
        this.#holdings.hears(life, response?.body);
      },
      overhears: (_, sink) => sink,
    };
  }

  /** The process has lost shards, and what the actors there remembered. */
  lost(life: number): void {
    this.#holdings.lost(life);
  }

  /** Carries a request of a process out, and judges what came of it. */
  async judge(
    { life }: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse> {
    const place = placeOf(request.path);
    const response = await carryOut();
    const isWrite = place.plural === 'computedomaincliques' && request.method !== 'GET';
    if (!isWrite || response.status >= 300) return response;
    const name = place.name || textAt(request.body, 'metadata', 'name');
    const written =
      request.method === 'DELETE'
        ? this.#removed.get(name)
        : this.#written.get(`${name} ${versionOf(response.body)}`);
    if (written !== undefined) this.#judgeOurs(life, name, written);
    return response;
  }

  /** A pod was told its index. */
  joined(name: string, { node, uid, index, version }: Joined): void {
    this.#options.tally.judged('joined');
    const clique = this.#written.get(`${name} ${version}`)?.change.object;
    const row = rowsOf(clique).find(({ nodeName }) => nodeName === node);
    const isOwner = listAt(clique, 'metadata', 'ownerReferences').some(
      (one) => textAt(one, 'uid') === uid,
    );
    const isIts = row !== undefined && this.#lifetimes.hadIp(uid, row.ipAddress);
    if (row?.index === index && isIts && isOwner) return;
    const is = row === undefined ? 'no row' : `${row.index} with ${row.ipAddress}`;
    this.#options.violate(
      `pod ${uid} on ${node} is told ${String(index)}, and version ${version} of ${name} has ` +
        `${is}, and ${isOwner ? 'it' : 'not it'} as an owner`,
    );
  }

  #take(change: Change): void {
    const { type, object, previous, version } = change;
    const rows = type === 'DELETED' ? [] : rowsOf(object);
    const before = type === 'DELETED' ? rowsOf(object) : rowsOf(previous);
    const since = this.#since.get(uidOf(object)) ?? new Map<string, number>();
    const nodes = [...rows, ...before].map(({ nodeName }) => nodeName);
    const written: Written = {
      change,
      holders: new Map(
        nodes.map((node) => [node, holdersOf(this.#options.store, object, node).map(uidOf)]),
      ),
      since: new Map(since),
      due: this.#holdings.dueOf(nameOf(object)),
    };
    if (type === 'DELETED') this.#removed.set(nameOf(object), written);
    else this.#written.set(`${nameOf(object)} ${versionOf(object)}`, written);
    const was = new Map(before.map(({ nodeName, ipAddress }) => [nodeName, ipAddress]));
    const now = rows.map(({ nodeName, ipAddress }) => {
      const isSame = was.get(nodeName) === ipAddress;
      return [nodeName, (isSame ? since.get(nodeName) : undefined) ?? version] as const;
    });
    this.#since.set(uidOf(object), new Map(now));
    this.#holdings.seen(nameOf(object), rows);
    if (type !== 'DELETED') this.#judgeVersion(change);
  }

  /** Whoever wrote it. */
  #judgeVersion({ object, previous }: Change): void {
    const { tally, maxNodes, violate } = this.#options;
    const [rows, before] = [rowsOf(object), rowsOf(previous)];
    const isEdited = handOf(object) !== handOf(previous);
    const wasBad = new Set(badIndices(before, maxNodes));
    const bad = badIndices(rows, maxNodes);
    const what = `${nameOf(object)} at ${versionOf(object)}`;
    if (isEdited || wasBad.size > 0) {
      tally.abstained('indices of a clique', 'somebody has changed them by hand');
    } else {
      tally.judged('indices of a clique');
      if (bad.length > 0) violate(`${what} has bad indices: ${table(rows)}`);
    }
    if (isEdited) return;
    const was = new Map(before.map(({ nodeName, index }) => [nodeName, index]));
    for (const { nodeName, index } of rows) {
      const old = was.get(nodeName);
      if (old === undefined || wasBad.has(old)) continue;
      tally.judged('index of a node');
      if (old !== index) violate(`${what}: ${nodeName} moves from ${old} to ${index}`);
    }
  }

  #judgeOurs(life: number, name: string, written: Written): void {
    const { object, previous, type } = written.change;
    const isGone = type === 'DELETED';
    const [rows, before] = isGone ? [[], rowsOf(object)] : [rowsOf(object), rowsOf(previous)];
    const { maxNodes, violate } = this.#options;
    const isRepair = badIndices(before, maxNodes).length > 0;
    if (badIndices(rows, maxNodes).length > 0) {
      violate(`controller ${life} writes bad indices in ${name}: ${table(rows)}`);
    }
    if (isRepair && !isGone) this.#judgeRepair(name, before, rows);
    const nodes = new Set(rows.map(({ nodeName }) => nodeName));
    const known = new Set(before.map(({ nodeName }) => nodeName));
    for (const row of before) {
      if (!nodes.has(row.nodeName)) this.#judgeRemoval(life, row, written, isRepair);
    }
    const added = rows.filter(({ nodeName }) => !known.has(nodeName));
    this.#holdings.judge({ life, name, added, nodes, due: written.due, isRepair });
    if (!isGone) this.#holdings.wrote(life, object);
  }

  /** One of those that share an index keeps it. Where the others stay is judged as ever. */
  #judgeRepair(name: string, before: readonly Row[], rows: readonly Row[]): void {
    const { tally, maxNodes, violate } = this.#options;
    const now = new Map(rows.map(({ nodeName, index }) => [nodeName, index]));
    for (const [index, all] of Map.groupBy(before, (row) => row.index)) {
      const sharers = all.filter(({ nodeName }) => now.has(nodeName));
      if (all.length < 2 || sharers.length === 0 || !(index >= 0 && index < maxNodes)) continue;
      tally.judged('repaired index');
      if (sharers.some(({ nodeName }) => now.get(nodeName) === index)) continue;
      violate(`of the nodes that shared ${index} in ${name} none keeps it: ${table(rows)}`);
    }
  }

  /** A list of this process has shown that the node has no daemon, since the row is there. */
  #judgeRemoval(life: number, row: Row, { change, since }: Written, isRepair: boolean): void {
    const { tally, violate } = this.#options;
    const { object, version } = change;
    if (isRepair) return tally.abstained('row removed', 'a repair for which there is no index');
    tally.judged('row removed');
    const [domain, clique] = [domainOf(object), cliqueOf(object) ?? ''];
    const first = since.get(row.nodeName) ?? 0;
    const isShown = this.#listings
      .of(life, domain)
      .some((at) => at >= first && !this.#lifetimes.hadHolder(at, row.nodeName, domain, clique));
    if (isShown) return;
    const is = this.#lifetimes.hadHolder(version, row.nodeName, domain, clique);
    violate(
      `controller ${life} removes the row of ${row.nodeName} from ${nameOf(object)} at ${version}, ` +
        `which ${is ? 'has a daemon' : 'has no daemon'}, and no list of it has shown that ` +
        `since ${first}`,
    );
  }
}

const handOf = (clique: unknown): unknown => at(clique, 'metadata', 'annotations', byHand);

const table = (rows: readonly Row[]): string =>
  rows.map(({ nodeName, index }) => `${nodeName}=${index}`).join(' ');
