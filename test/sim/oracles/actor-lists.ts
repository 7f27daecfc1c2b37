// Which lists are those that an actor asked for, as their selector tells. They are consistent reads
// of some objects, and who asks for them concludes nothing from what they do not show: the wire
// does not make them show the past, and the witness takes them for what they hold alone.
import { allKinds, apiGroup, kindRow } from '#machines/kinds.ts';
import { selectorOf, unlabelledSelector } from '#src/kube/paths.ts';
import { placeOf } from './place.ts';

/** False for the lists of reflectors, of what has lost our label, and of no kind of ours. */
export function isActorList(path: string): boolean {
  const { collection } = placeOf(path);
  const kinds = allKinds().filter(
    (kind) => collection === `${apiGroup(kind)}/${kindRow(kind).plural}`,
  );
  if (kinds.length === 0) return false;
  const selector = new URLSearchParams(path.split('?', 2)[1]).get('labelSelector') ?? undefined;
  return !kinds.some((kind) => [selectorOf(kind), unlabelledSelector(kind)].includes(selector));
}
