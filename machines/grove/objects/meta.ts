// Metadata of Grove's objects: as of any, within Grove's bounds of what is looked at; to which set
// an object belongs, and what of it is news. Every reader of Grove begins here.
import { isMalformed, readMeta, type Malformed, type Meta } from '../../kubernetes/meta.ts';
import { at, isEqual, list, word } from '../../kubernetes/json.ts';
import { errorOfMaps, maxMapEntries, usualBounds, type Bounds } from '../../kubernetes/size.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { isOurs, label } from './labels.ts';
import { maxCliquesPerSet, maxListNodes } from './limits.ts';

/** A reader of objects, given how the rest is read: it says what is wrong instead of throwing. */
export const reading =
  <F extends object>(
    rest: (source: KubeObject, meta: Meta) => F | Malformed,
    scope: 'Cluster' | 'Namespaced' = 'Namespaced',
  ) =>
  (source: KubeObject): F | Malformed => {
    const meta = readMeta(source, scope, boundsOf(source.kind));
    return isMalformed(meta) ? meta : rest(source, meta);
  };

const usual: Bounds = { ...usualBounds, isOwn: isOurs };
const ofSet: Bounds = { ...usual, entries: maxMapEntries, error: errorOfCliques };
/** A PodGang lists every pod of its cliques, and the PodGroup of one every clique. */
const ofGang: Bounds = { ...usual, nodes: maxListNodes };

function boundsOf(kind: string): Bounds {
  if (kind === 'PodCliqueSet') return ofSet;
  return kind === 'PodGang' || kind === 'PodGroup' ? ofGang : usual;
}

function errorOfCliques({ spec }: KubeObject): string | undefined {
  const place = 'spec.template.cliques';
  const cliques = list(at(spec, 'template', 'cliques'));
  if (cliques.length > maxCliquesPerSet) {
    return `${place} has ${cliques.length} entries; at most ${maxCliquesPerSet} are handled`;
  }
  for (const [index, clique] of cliques.entries()) {
    const error = errorOfMaps(`${place}[${index}]`, clique, ofSet);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Name of the PodCliqueSet that controls it; empty where none does. */
export const ownerSet = ({ owner }: Meta): string =>
  owner?.kind === 'PodCliqueSet' ? owner.name : '';

/** Name of the PodCliqueSet of its tree; empty where it is not ours. */
export const setOf = (meta: Meta): string => word(meta.labels[label.partOf]) ?? ownerSet(meta);

/** News to everybody: another object of this name, one that goes, or of another owner. */
export const isMetaNews = (old: Meta | undefined, now: Meta): boolean =>
  old?.uid !== now.uid || old.deleting !== now.deleting || old.owner?.uid !== now.owner?.uid;

/** News to whoever looks after the labels of a child. */
export const isLabelNews = (old: Meta | undefined, now: Meta): boolean =>
  isMetaNews(old, now) || !isEqual(old?.labels, now.labels);

/** News to whoever has the template of a child. */
export const isTemplateNews = (old: Meta | undefined, now: Meta): boolean =>
  isLabelNews(old, now) ||
  old?.generation !== now.generation ||
  !isEqual(old.annotations, now.annotations);

/** The same of a child whose status counts in that of its owner. */
export const isNewsToOwner = <T extends Meta & { readonly observed: object }>(
  old: T | undefined,
  now: T,
): boolean => isTemplateNews(old, now) || !isEqual(old?.observed, now.observed);
