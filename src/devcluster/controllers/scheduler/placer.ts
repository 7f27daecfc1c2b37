// Chooses nodes for the scheduler: for one pod or for the minimum of a gang, as far as it is
// constrained within the domains of a topology. What is chosen is charged in the book of nodes.
import type { Stored } from '#src/devcluster/contract.ts';
import { keyOf, uidOf } from '../client.ts';
import { needsOf } from './fit.ts';
import type { GangBook } from './gangs.ts';
import type { Guest, NodeBook, PartyChoice } from './nodes.ts';
import { Packer } from './packing.ts';
import { podRequests } from './resources.ts';

const guestOf = (pod: Stored): Guest => ({
  uid: uidOf(pod),
  needs: needsOf(pod, podRequests(pod)),
});

/** All of the pods, which are of one gang if they are several, or none. */
export function placeTogether(
  pods: readonly Stored[],
  book: NodeBook,
  gangs: GangBook,
): PartyChoice {
  const [first] = pods;
  const packing = first === undefined ? undefined : gangs.packingFor(first);
  if (packing === undefined) return book.chooseAll(pods.map(guestOf));
  const guests = new Map(pods.map((pod) => [keyOf(pod), guestOf(pod)]));
  return new Packer(book, guests, (key) => gangs.nodeOf(key)).place(packing);
}
