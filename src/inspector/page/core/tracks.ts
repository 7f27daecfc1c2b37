// The tracks of the timeline: one per gang, with what is of it, and one per root for all that is of
// no gang. Which gang a PodClique is of follows from names: those of a base gang are of replicas up
// to the group's minimum, and each replica beyond has a gang of its own.
import { rowOf, childrenOf } from './rows.ts';

const podgang = 'podgang';
const podclique = 'podclique';
const group = 'scalinggroup';

/** Id of the gang, or of the root, that an actor is shown with. */
export function trackOf(id: string): string {
  const [kind = '', namespace = '', name = ''] = id.split('/');
  if (kind === podgang) return id;
  if (kind !== podclique) return rootOf(id);
  const parent = rowOf(id)?.parent ?? '';
  const base = `${podgang}/${namespace}/${baseGangOf(parent, name)}`;
  const scaled = scaledGangOf(parent, namespace, name);
  const gang = scaled ?? base;
  return rowOf(gang) === undefined ? rootOf(id) : gang;
}

function rootOf(id: string): string {
  let here = id;
  for (let row = rowOf(id); row !== undefined && row.parent !== ''; row = rowOf(row.parent)) {
    here = row.parent;
  }
  return here;
}

/** `demo-0` of `demo-0-worker` of the set `demo`, and of `demo-0-engine-1-leader` of the group
 *  `demo-0-engine`. */
function baseGangOf(parent: string, name: string): string {
  const [parentKind = '', , parentName = ''] = parent.split('/');
  if (parentKind === group) {
    const set = rowOf(parent)?.parent.split('/')[2] ?? '';
    return baseGangOf(`podcliqueset//${set}`, parentName);
  }
  const replica = /^-(\d+)-/.exec(name.slice(parentName.length))?.[1] ?? '';
  return `${parentName}-${replica}`;
}

/** Undefined where it is of the base gang. */
function scaledGangOf(parent: string, namespace: string, name: string): string | undefined {
  const [kind = '', , groupName = ''] = parent.split('/');
  if (kind !== group) return undefined;
  const replicaOf = (member: string): number =>
    Number(/^-(\d+)-/.exec(member.slice(groupName.length))?.[1] ?? -1);
  const replicas = Math.max(...childrenOf(parent).map((row) => replicaOf(row.name))) + 1;
  const gangOf = (index: number): string => `${podgang}/${namespace}/${groupName}-${index}`;
  let gangs = 0;
  while (gangs < replicas && rowOf(gangOf(gangs)) !== undefined) gangs++;
  const inBase = replicas - gangs;
  const replica = replicaOf(name);
  return replica < inBase ? undefined : gangOf(replica - inBase);
}
