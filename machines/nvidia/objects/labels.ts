// The names by which NVIDIA's kubelet plugin, daemons and controller find each other's objects
// (spec compute-domain 1.4, 2.6), and our own annotations. Used by whoever reads or builds one.

const group = 'resource.nvidia.com';

/** Label with the UID of the ComputeDomain, on all that belongs to one; also the finalizer. */
export const domainLabel = `${group}/computeDomain`;
export const finalizer = domainLabel;

export const label = {
  /** On daemon pods and cliques; absent on a pod: it is starting; empty: it has no fabric. */
  clique: `${group}/computeDomain.cliqueID`,
  /** On claim templates: who they are for. */
  target: `${group}/computeDomainTarget`,
} as const;

export type Target = 'Daemon' | 'Workload';

export const annotation = {
  /** On cliques: indices that are kept for nodes whose daemon is gone, as JSON. */
  reserved: 'coppice.dev/reserved-indices',
  /** On cliques: UIDs of daemon pods that run with an index that was taken from them, as JSON. */
  outdated: 'coppice.dev/outdated-daemons',
  /** On daemon pods: `true` where the daemon is ours and restarts IMEX by itself. */
  agent: 'coppice.dev/clique-agent',
} as const;

/** Of the daemon's container: how many nodes a clique may have. */
export const maxNodesVariable = 'MAX_NODES_PER_IMEX_DOMAIN';

/** DaemonSet and daemon claim template of a ComputeDomain. */
export const daemonsName = (uid: string): string => `computedomain-daemon-${uid}`;

/** The object that holds the rows of a clique of a ComputeDomain. */
export const cliqueName = (domain: string, clique: string): string => `${domain}.${clique}`;
