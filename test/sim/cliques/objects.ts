// The objects of a simulated day of ComputeDomains, as users and the oracles see them: read by
// path, and never by the decoders under test.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt } from '../fields.ts';

export const driver = 'nvidia-dra-driver-gpu';
export const user = 'default';
export const domainLabel = 'resource.nvidia.com/computeDomain';
export const cliqueLabel = 'resource.nvidia.com/computeDomain.cliqueID';
export const fabricLabel = 'nvidia.com/gpu.clique';

export const collections = {
  domains: 'resource.nvidia.com/computedomains',
  cliques: 'resource.nvidia.com/computedomaincliques',
  daemonSets: 'apps/daemonsets',
  templates: 'resource.k8s.io/resourceclaimtemplates',
  pods: '/pods',
  nodes: '/nodes',
} as const;

const nvidia = '/apis/resource.nvidia.com/v1beta1/namespaces';
export const paths = {
  domains: `${nvidia}/${user}/computedomains`,
  cliques: `${nvidia}/${driver}/computedomaincliques`,
  daemons: `/api/v1/namespaces/${driver}/pods`,
  workloads: `/api/v1/namespaces/${user}/pods`,
  nodes: '/api/v1/nodes',
} as const;

export interface Row {
  readonly nodeName: string;
  readonly ipAddress: string;
  readonly cliqueID: string;
  readonly index: number;
  readonly status: string;
}

export const rowsOf = (clique: unknown): readonly Row[] =>
  listAt(clique, 'daemons').map((row) => ({
    nodeName: textAt(row, 'nodeName'),
    ipAddress: textAt(row, 'ipAddress'),
    cliqueID: textAt(row, 'cliqueID'),
    index: numberAt(row, 'index'),
    status: textAt(row, 'status'),
  }));

export const nameOf = (object: unknown): string => textAt(object, 'metadata', 'name');
export const versionOf = (object: unknown): string => textAt(object, 'metadata', 'resourceVersion');
export const nodeOf = (pod: unknown): string => textAt(pod, 'spec', 'nodeName');
export const ipOf = (pod: unknown): string => textAt(pod, 'status', 'podIP');
export const domainOf = (object: unknown): string => labelsOf(object)[domainLabel] ?? '';
/** Undefined: it has not said yet. */
export const cliqueOf = (pod: unknown): string | undefined => labelsOf(pod)[cliqueLabel];

export const isGoing = (object: unknown): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;

/** It is to run on. */
export const isLive = (pod: unknown): boolean =>
  !isGoing(pod) && !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));

export const isReady = (pod: unknown): boolean =>
  isLive(pod) &&
  textAt(pod, 'status', 'phase') === 'Running' &&
  listAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Ready' && textAt(one, 'status') === 'True',
  );

export const daemonsIn = (store: Store): readonly Stored[] =>
  store
    .collection(collections.pods)
    .list(driver)
    .filter((pod) => domainOf(pod) !== '');

export const cliquesIn = (store: Store): readonly Stored[] =>
  store.collection(collections.cliques).list(driver);

/** Pods that keep the row of a node in a clique (spec compute-domain A-70). */
export const holdersOf = (store: Store, clique: unknown, node: string): readonly Stored[] =>
  daemonsIn(store).filter(
    (pod) =>
      nodeOf(pod) === node &&
      domainOf(pod) === domainOf(clique) &&
      [undefined, cliqueOf(clique)].includes(cliqueOf(pod)),
  );

/** An index that two rows have, or that is out of range. */
export function badIndices(rows: readonly Row[], most: number): readonly number[] {
  const indices = rows.map(({ index }) => index);
  return indices.filter(
    (index, place) => indices.indexOf(index) !== place || !(index >= 0 && index < most),
  );
}
