// In which NVLink clique a node is: eighteen nodes in a row share a fabric. A node with the label
// that NVIDIA's driver can be told to write is in that one; with an empty value it has no fabric.
// Used by the daemons beside this file.
import { textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '../../contract.ts';
import { nameOf } from '../../controllers/client.ts';

const nodesPerClique = 18;
const fabric = '00000000-0000-4000-8000-00000000fab0';
const nodeLabel = 'nvidia.com/gpu.clique';

/** Empty: none. Nodes are numbered as they are named, e.g. `node-7`; one without a number has no
 *  fabric. */
export function cliqueOf(node: Stored | undefined): string {
  if (node === undefined) return '';
  const labelled = textsAt(node.metadata, 'labels')[nodeLabel];
  if (labelled !== undefined) return labelled;
  const number = /(\d+)$/.exec(nameOf(node))?.[1];
  return number === undefined ? '' : `${fabric}.${Math.floor(Number(number) / nodesPerClique)}`;
}
