// What the actors need to know of the PodGroups of scheduler backends. Read by the podgang actor of
// the same name, which writes them, and by the podclique actors whose pods they let in.
import { isObject, list, object, text } from '../../kubernetes/json.ts';
import { isMalformed } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { readMeta } from './meta.ts';

/** Kinds that the API calls PodGroup. */
export type PodGroupKind = 'KaiPodGroup' | 'VolcanoPodGroup';

export interface BackendPodGroup extends Meta {
  readonly kind: PodGroupKind;
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  readonly spec: JsonObject;
  readonly ownerReferences: readonly JsonObject[];
}

/** Those that have the name of a gang, at most one of each kind. */
export type BackendPodGroups = ReadonlyMap<PodGroupKind, BackendPodGroup>;

export const readPodGroup =
  (kind: PodGroupKind) =>
  (source: KubeObject): BackendPodGroup | Malformed => {
    const meta = readMeta(source);
    if (isMalformed(meta)) return meta;
    return {
      ...meta,
      kind,
      set: text(meta.labels[label.partOf]),
      spec: object(source['spec']),
      ownerReferences: list(object(source.metadata)['ownerReferences']).filter(isObject),
    };
  };

export type PodGroupEvent =
  | { readonly type: 'podGroup.observed'; readonly observed: BackendPodGroup }
  | { readonly type: 'podGroup.gone'; readonly kind: PodGroupKind; readonly uid: string };

/** With what happened; the same map where that is no news, which is for the reader to say. */
export function withPodGroup(
  there: BackendPodGroups,
  event: PodGroupEvent,
  isNews: (old: BackendPodGroup | undefined, now: BackendPodGroup) => boolean,
): BackendPodGroups {
  if (event.type === 'podGroup.observed') {
    const { observed } = event;
    return isNews(there.get(observed.kind), observed)
      ? new Map(there).set(observed.kind, observed)
      : there;
  }
  if (there.get(event.kind)?.uid !== event.uid) return there;
  const left = new Map(there);
  left.delete(event.kind);
  return left;
}

/** News for the PodCliques that it lets in: whether it is there, and whose it is. */
export const isNewsToClique = (old: BackendPodGroup | undefined, now: BackendPodGroup): boolean =>
  old?.uid !== now.uid || old.deleting !== now.deleting || old.owner?.uid !== now.owner?.uid;
