// Metadata of Grove's objects: as of any, within Grove's bounds of what is looked at. Every fact
// reader of Grove begins here.
import { at, list } from '../../kubernetes/json.ts';
import { maxMapEntries } from '../../kubernetes/limits.ts';
import * as common from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { errorOfMaps, usualBounds } from '../../kubernetes/size.ts';
import type { Bounds } from '../../kubernetes/size.ts';
import { isOurs } from './labels.ts';
import { maxCliquesPerSet, maxListNodes } from './limits.ts';

export const readMeta = (
  source: KubeObject,
  scope: 'Cluster' | 'Namespaced' = 'Namespaced',
): Meta | Malformed => common.readMeta(source, scope, boundsOf(source.kind));

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
