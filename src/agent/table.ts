// From the rows of a clique to who has which slot, the same at every node that reads the same rows
// (R-6). A row that cannot be used is left out and reported, and ends nobody (Q-12). Pure.
import { isIP } from 'node:net';
import { at, count, list, numberOf, text } from '#machines/kubernetes/json.ts';

export interface Row {
  readonly node: string;
  readonly ip: string;
  readonly cliqueID: string;
  /** As it is written there, which may be any number; absent counts as 0. */
  readonly index: number;
}

/** Who the agent is, and how many slots there are. */
export interface Self {
  readonly node: string;
  readonly ip: string;
  readonly cliqueID: string;
  readonly maxNodes: number;
}

export interface Member {
  readonly node: string;
  readonly ip: string;
  readonly index: number;
}

export interface Table {
  /** By index; no two have the same index or IP. */
  readonly members: readonly Member[];
  /** Ours, with our IP: a row with another one is that of the pod before us. */
  readonly own: Member | undefined;
  /** Rows that were left out, each with the reason. */
  readonly ignored: readonly string[];
}

/** Rows of a ComputeDomainClique, or of the answer to a `join`. */
export const rowsIn = (daemons: unknown): readonly Row[] => rowsOf(daemons, 'nodeName');

/** Of a ComputeDomain: its rows, and how many nodes it waits for. */
export const domainRows = (
  domain: unknown,
): { readonly rows: readonly Row[]; readonly wanted: number } => ({
  rows: rowsOf(at(domain, 'status', 'nodes'), 'name'),
  wanted: count(at(domain, 'spec', 'numNodes')) ?? 0,
});

const rowsOf = (rows: unknown, name: string): readonly Row[] =>
  list(rows).map((row) => ({
    node: text(at(row, name)),
    ip: text(at(row, 'ipAddress')),
    cliqueID: text(at(row, 'cliqueID')),
    index: numberOf(at(row, 'index')) ?? 0,
  }));

export function tableOf(rows: readonly Row[], self: Self): Table {
  const members: Member[] = [];
  const ignored: string[] = [];
  // By node, so that of two rows with one index all nodes take the same.
  const ours = rows
    .filter(({ cliqueID }) => cliqueID === self.cliqueID)
    .toSorted((one, other) => (one.node < other.node ? -1 : 1));
  for (const { node, ip, index } of ours) {
    const problem = problemOf({ node, ip, index }, members, self.maxNodes);
    if (problem === undefined) members.push({ node, ip, index });
    else ignored.push(`row of ${node || '(no node)'}: ${problem}`);
  }
  return {
    members: members.toSorted((one, other) => one.index - other.index),
    own: members.find(({ node, ip }) => node === self.node && ip === self.ip),
    ignored,
  };
}

function problemOf(
  { ip, index }: Member,
  taken: readonly Member[],
  maxNodes: number,
): string | undefined {
  if (!Number.isInteger(index) || index < 0 || index >= maxNodes) {
    return `index ${index} is not in 0 to ${maxNodes - 1}`;
  }
  // It becomes a line of a file.
  if (isIP(ip) === 0) return ip === '' ? 'it has no IP' : 'its IP is no IP';
  const same = taken.find((member) => member.index === index || member.ip === ip);
  if (same === undefined) return undefined;
  return `${same.index === index ? `index ${index}` : `IP ${ip}`} is that of ${same.node} too`;
}
