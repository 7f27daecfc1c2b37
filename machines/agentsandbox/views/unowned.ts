// Pods, Services and PVCs that no Sandbox of their name controls, by what the API calls them and
// their name: a Sandbox may take one over that has the name of its own, or must say who has it.
import { apiKind } from '../../contract/kinds.ts';
import type { Kind } from '../../contract/kind.ts';
import { entry, keyIn, read } from '../../contract/view.ts';
import type { Entry, Read, View } from '../../contract/view.ts';
import { isSameVersion } from '../../kubernetes/meta.ts';
import { isNewer } from '../../kubernetes/versions.ts';
import type { Belonging } from '../objects/belongings.ts';

export type UnownedRead = Read<'unownedByName', Belonging>;

/** An object with both labels is there twice, and one of the two may be late. */
const newest = (items: ReadonlyMap<string, Belonging>): Belonging | undefined => {
  let found: Belonging | undefined;
  for (const item of items.values()) {
    if (found === undefined || isNewer(item.resourceVersion, found.resourceVersion)) found = item;
  }
  return found;
};

export const unownedByName: View<Belonging, Belonging> = {
  name: 'unownedByName',
  event: read('unownedByName'),
  isSame: isSameVersion,
  isSameItem: isSameVersion,
  valueOf: newest,
  say: ({ kind, name }) => `${apiKind(kind)} ${name}`,
};

export const unownedKey = (
  kind: Kind,
  { namespace }: { readonly namespace: string },
  name: string,
): string => `${apiKind(kind)} ${keyIn({ namespace }, name)}`;

export const shownUnowned = (object: Belonging): readonly Entry[] =>
  object.controller?.kind === 'Sandbox' && object.controller.name === object.name
    ? []
    : [entry(unownedByName, unownedKey(object.kind, object, object.name), object)];
