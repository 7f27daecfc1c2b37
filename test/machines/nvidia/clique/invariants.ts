// What must hold of each persisted version of a clique, by what the server knows (spec
// compute-domain 5.17): independent of what the machine decided.

export interface Row {
  readonly nodeName: string;
  readonly ipAddress: string;
  readonly cliqueID: string;
  readonly index: number;
  readonly status: 'Ready' | 'NotReady';
}

export interface KnownPod {
  readonly name: string;
  readonly node: string;
  /** The index of the last row that was written for it by us, since the controller started. */
  readonly held: number | undefined;
}

export interface Version {
  readonly version: number;
  readonly rows: readonly Row[];
  readonly pods: readonly KnownPod[];
}

interface Circumstances {
  readonly isOurs: boolean;
  readonly maxNodes: number;
  /** Nodes without a pod when the server listed last, of which the controller saw none since. */
  readonly vacated: ReadonlySet<string>;
}

const sharedIps = ({ rows }: Version): number =>
  rows.length - new Set(rows.map(({ ipAddress }) => ipAddress)).size;

/** Throws what is broken. */
export function checkVersion(before: Version, now: Version, circumstances: Circumstances): void {
  const { isOurs, maxNodes, vacated } = circumstances;
  const nodes = now.rows.map(({ nodeName }) => nodeName);
  const indices = now.rows.map(({ index }) => index);
  if (new Set(nodes).size < nodes.length) throw new Error('a node has two rows');
  if (new Set(indices).size < indices.length) throw new Error('A-1: an index is in use twice');
  if (indices.some((index) => !(index >= 0 && index < maxNodes))) {
    throw new Error('A-2: an index is out of range');
  }
  const was = new Map(before.rows.map(({ nodeName, index }) => [nodeName, index]));
  for (const { nodeName, index } of now.rows) {
    const old = was.get(nodeName);
    if (old !== undefined && old !== index) {
      throw new Error(`A-15: ${nodeName} moved from ${old} to ${index}`);
    }
  }
  if (!isOurs) return;
  // What a daemon of NVIDIA's wrote is left as it was found.
  if (sharedIps(now) > sharedIps(before)) throw new Error('A-13: an IP is in two rows');
  for (const node of was.keys()) {
    if (nodes.includes(node) || vacated.has(node)) continue;
    throw new Error(`A-21: the row of ${node} went, and no list had shown that it has no pod`);
  }
  for (const { nodeName, index } of now.rows) {
    if (was.has(nodeName)) continue;
    // Who has another row by now, as a daemon that inserts itself may, holds that one.
    const holder = now.pods.find(({ node, held }) => !nodes.includes(node) && held === index);
    if (holder === undefined) continue;
    throw new Error(`A-27: ${nodeName} got the index ${index} of ${holder.name}, which is there`);
  }
}
