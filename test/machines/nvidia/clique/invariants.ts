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

/** How often the checks of our writes had something to judge. */
export interface Judged {
  removals: number;
  /** Pods without a row whose index a new row might have got. */
  candidates: number;
  repairs: number;
}

interface Circumstances {
  readonly by: 'us' | 'daemon' | 'hand';
  readonly maxNodes: number;
  /** Nodes without a pod when the server listed last, of which the controller saw none since. */
  readonly vacated: ReadonlySet<string>;
  readonly judged: Judged;
}

const sharedIps = ({ rows }: Version): number =>
  rows.length - new Set(rows.map(({ ipAddress }) => ipAddress)).size;

/** Throws what is broken. */
export function checkVersion(before: Version, now: Version, circumstances: Circumstances): void {
  const { by, maxNodes } = circumstances;
  if (by === 'hand') return;
  const nodes = now.rows.map(({ nodeName }) => nodeName);
  if (new Set(nodes).size < nodes.length) throw new Error('a node has two rows');
  const wasBad = badIndices(before.rows, maxNodes);
  const was = indicesOf(before);
  // A daemon writes back what somebody has spoiled. We do so with an index that is out of range
  // alone: without a daemon nothing tells the range.
  if (by === 'us' || wasBad.size === 0) {
    for (const [index, what] of badIndices(now.rows, maxNodes)) {
      const isOld = now.rows.some((row) => row.index === index && was.get(row.nodeName) === index);
      if (what === shared || !isOld) throw new Error(`${what}: ${index}`);
    }
  }
  for (const { nodeName, index } of now.rows) {
    const old = was.get(nodeName);
    if (old !== undefined && old !== index && !wasBad.has(old)) {
      throw new Error(`A-15: ${nodeName} moved from ${old} to ${index}`);
    }
  }
  if (by === 'us') checkOurs(before, now, wasBad, circumstances);
}

function checkOurs(
  before: Version,
  now: Version,
  wasBad: ReadonlyMap<number, string>,
  { vacated, judged }: Circumstances,
): void {
  const nodes = now.rows.map(({ nodeName }) => nodeName);
  const was = indicesOf(before);
  checkRepair(before, indicesOf(now), wasBad, judged);
  // What a daemon of NVIDIA's wrote is left as it was found.
  if (sharedIps(now) > sharedIps(before)) throw new Error('A-13: an IP is in two rows');
  for (const [node, index] of was) {
    // Where there are no more places, a spoiled row goes.
    if (nodes.includes(node) || wasBad.has(index)) continue;
    judged.removals++;
    if (vacated.has(node)) continue;
    throw new Error(`A-21: the row of ${node} went, and no list had shown that it has no pod`);
  }
  for (const { nodeName, index } of now.rows) {
    if (was.has(nodeName)) continue;
    // Who has another row by now, as a daemon that inserts itself may, holds that one.
    for (const { name, node, held } of now.pods) {
      if (held === undefined || nodes.includes(node)) continue;
      judged.candidates++;
      if (held !== index) continue;
      throw new Error(`A-27: ${nodeName} got the index ${index} of ${name}, which is there`);
    }
  }
}

/** Which one keeps a shared index depends on what the controller has seen. */
function checkRepair(
  { rows }: Version,
  now: ReadonlyMap<string, number>,
  wasBad: ReadonlyMap<number, string>,
  judged: Judged,
): void {
  for (const [index, what] of wasBad) {
    const sharers = rows.filter((row) => row.index === index && now.has(row.nodeName));
    if (what !== shared || sharers.length === 0) continue;
    judged.repairs++;
    if (sharers.some(({ nodeName }) => now.get(nodeName) === index)) continue;
    throw new Error(`A-18: of the nodes that shared ${index} none keeps it`);
  }
}

const shared = 'A-1: an index is in use twice';
const outOfRange = 'A-2: an index is out of range';

/** And what is wrong with them. */
function badIndices(rows: readonly Row[], maxNodes: number): ReadonlyMap<number, string> {
  const all = [...Map.groupBy(rows, ({ index }) => index)];
  return new Map(
    all.flatMap(([index, { length }]): [number, string][] => {
      if (!(index >= 0 && index < maxNodes)) return [[index, outOfRange]];
      return length > 1 ? [[index, shared]] : [];
    }),
  );
}

const indicesOf = ({ rows }: Version): ReadonlyMap<string, number> =>
  new Map(rows.map(({ nodeName, index }) => [nodeName, index]));
