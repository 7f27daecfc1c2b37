// What the podcliqueset actor needs to know of its children that have no actor: headless Services,
// autoscalers, ComputeDomains, and the objects that give the start-up container access.
import { isEqual, object } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { component, label } from './labels.ts';
import { isLabelNews, ownerSet, reading } from './meta.ts';
import type { ObservedClique } from './podclique.ts';
import type { ObservedGang } from './podgang.ts';
import type { ObservedGroup } from './scalinggroup.ts';

type SpecKind = 'Service' | 'HorizontalPodAutoscaler';

export interface ObservedSpec<K extends SpecKind = SpecKind> extends Meta {
  readonly kind: K;
  readonly spec: JsonObject;
}

export interface ObservedDomain extends Meta {
  readonly kind: 'ComputeDomain';
  /** Name of the PodCliqueSet that it was made for; empty where it is none of ours. */
  readonly set: string;
}

export type AccessKind = 'ServiceAccount' | 'Role' | 'RoleBinding';

export interface ObservedAccess<K extends AccessKind = AccessKind> extends Meta {
  readonly kind: K;
  readonly automountsToken: boolean;
}

/** What gives the start-up containers access. */
export type ObservedAccessObjects = { readonly [K in AccessKind]: ObservedAccess<K> };

/** What a replica has. */
export interface ObservedChildren {
  readonly Service: ObservedSpec<'Service'>;
  /** By group. */
  readonly ComputeDomain: ObservedDomain;
  /** Standalone ones and members of scaling groups. */
  readonly PodClique: ObservedClique;
  readonly PodCliqueScalingGroup: ObservedGroup;
  /** The base gang has the empty slot. */
  readonly PodGang: ObservedGang;
  readonly HorizontalPodAutoscaler: ObservedSpec<'HorizontalPodAutoscaler'>;
}

export const readSpec = <K extends SpecKind>(kind: K) =>
  reading(({ spec }, meta): ObservedSpec<K> | Malformed => ({ ...meta, kind, spec: object(spec) }));

/** A ComputeDomain may outlive its set, held by our finalizer, so it is told by labels too. */
export const readDomain = reading((_, meta): ObservedDomain | Malformed => {
  const isOurs = meta.labels[label.component] === component.domain;
  const set = (isOurs ? meta.labels[label.partOf] : undefined) ?? ownerSet(meta);
  return { ...meta, kind: 'ComputeDomain', set };
});

export const readAccess = <K extends AccessKind>(kind: K) =>
  reading((source, meta): ObservedAccess<K> | Malformed => {
    const automountsToken = source['automountServiceAccountToken'] === true;
    return { ...meta, kind, automountsToken };
  });

/** The status is nobody's news. */
export const isSpecNews = (old: ObservedSpec | undefined, now: ObservedSpec): boolean =>
  isLabelNews(old, now) || !isEqual(old?.spec, now.spec);

/** Spec and status are nobody's news: the one is never changed, the other is NVIDIA's. */
export const isDomainNews = (old: ObservedDomain | undefined, now: ObservedDomain): boolean =>
  isLabelNews(old, now) || !isEqual(old?.finalizers, now.finalizers);

export const isAccessNews = (old: ObservedAccess | undefined, now: ObservedAccess): boolean =>
  isLabelNews(old, now) || old?.automountsToken !== now.automountsToken;
