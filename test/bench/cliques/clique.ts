// A ComputeDomainClique as the benchmark writes and reads it: names, labels, paths, rows, and what
// makes a table of rows complete. NVIDIA's driver keeps one such object for each domain and NVLink
// partition; its daemons find each other by the index of their row.
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** Rows of a clique; the peers' file of names has so many lines. */
export const capacity = 18;

export const apiVersion = 'resource.nvidia.com/v1beta1';
export const domainLabel = 'resource.nvidia.com/computeDomain';
export const cliqueLabel = 'resource.nvidia.com/computeDomain.cliqueID';

export interface Row {
  readonly nodeName: string;
  readonly ipAddress: string;
  readonly cliqueID: string;
  readonly index: number;
  readonly status: 'Ready' | 'NotReady';
}

/** Which clique, and how many daemons are to join. */
export interface CliqueKey {
  readonly namespace: string;
  readonly domainUid: string;
  readonly cliqueId: string;
  readonly size: number;
}

export interface Owner {
  readonly pod: string;
  readonly uid: string;
}

export const cliqueName = ({ domainUid, cliqueId }: CliqueKey): string =>
  `${domainUid}.${cliqueId}`;

export const cliquesIn = (namespace: string): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/computedomaincliques`;

export const domainsIn = (namespace: string): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/computedomains`;

export const podsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

export const ownerReference = ({ pod, uid }: Owner): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: pod,
  uid,
});

/** Without version: for a create or an apply. */
export const cliqueObject = (
  key: CliqueKey,
  owners: readonly Owner[],
  rows: readonly Row[] | undefined,
): JsonObject => ({
  apiVersion,
  kind: 'ComputeDomainClique',
  metadata: {
    name: cliqueName(key),
    namespace: key.namespace,
    labels: { [domainLabel]: key.domainUid, [cliqueLabel]: key.cliqueId },
    ownerReferences: owners.map(ownerReference),
  },
  ...(rows === undefined ? {} : { daemons: rows.map((row) => ({ ...row })) }),
});

/** The same object with other rows, and with this pod among its owners. */
export function withRows(clique: JsonObject, rows: readonly Row[], owners: readonly Owner[]) {
  const metadata = object(clique['metadata']);
  const known = list(metadata['ownerReferences']);
  const uids = new Set(known.map((one) => text(at(one, 'uid'))));
  const added = owners.filter(({ uid }) => !uids.has(uid)).map(ownerReference);
  return {
    ...clique,
    metadata: { ...metadata, ownerReferences: [...known, ...added] },
    daemons: rows,
  };
}

/** A missing index is 0, as the driver's readers have it. */
export const rowsOf = (clique: unknown): readonly Row[] =>
  list(at(clique, 'daemons')).map((row) => ({
    nodeName: text(at(row, 'nodeName')),
    ipAddress: text(at(row, 'ipAddress')),
    cliqueID: text(at(row, 'cliqueID')),
    index: Number(at(row, 'index') ?? 0),
    status: at(row, 'status') === 'Ready' ? 'Ready' : 'NotReady',
  }));

export const nameOf = (body: unknown): string => text(at(body, 'metadata', 'name'));
export const uidOf = (body: unknown): string => text(at(body, 'metadata', 'uid'));
export const versionOf = (body: unknown): string => text(at(body, 'metadata', 'resourceVersion'));
export const labelOf = (body: unknown, label: string): string =>
  text(at(body, 'metadata', 'labels', label));

/** Versions of one server are numbers that grow; the driver's cache compares them so, too. */
export const isNewer = (one: unknown, other: unknown): boolean =>
  other === undefined || BigInt(versionOf(one) || '0') > BigInt(versionOf(other) || '0');

export const isInRange = ({ index }: Row): boolean => index >= 0 && index < capacity;

export const isUnique = (rows: readonly Row[]): boolean =>
  new Set(rows.map(({ index }) => index)).size === rows.length;

/** All daemons have a row, with an index of its own. */
export const isComplete = (rows: readonly Row[], size: number): boolean =>
  rows.length === size && isUnique(rows) && rows.every(isInRange);

/** Which name stands for which address: what all daemons of a clique must agree on. */
export const namesText = (rows: readonly Row[]): string =>
  rows
    .map(({ index, ipAddress }) => `${index}=${ipAddress}`)
    .toSorted()
    .join(' ');
