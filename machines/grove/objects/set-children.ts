// What the podcliqueset actor needs to know of its children that have no actor: headless Services,
// autoscalers, ComputeDomains, and the objects that give the start-up container access.
import { isEqual, object } from '../../kubernetes/json.ts';
import { isMalformed } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { component, label } from './labels.ts';
import { readMeta } from './meta.ts';
import type { ObservedClique } from './podclique.ts';
import type { ObservedGang } from './podgang.ts';
import type { ObservedGroup } from './scalinggroup.ts';

export interface ObservedService extends Meta {
  readonly kind: 'Service';
  readonly spec: JsonObject;
}

export interface ObservedAutoscaler extends Meta {
  readonly kind: 'HorizontalPodAutoscaler';
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
  readonly Service: ObservedService;
  /** By group. */
  readonly ComputeDomain: ObservedDomain;
  /** Standalone ones and members of scaling groups. */
  readonly PodClique: ObservedClique;
  readonly PodCliqueScalingGroup: ObservedGroup;
  /** The base gang has the empty slot. */
  readonly PodGang: ObservedGang;
  readonly HorizontalPodAutoscaler: ObservedAutoscaler;
}

export function readService(source: KubeObject): ObservedService | Malformed {
  const meta = readMeta(source);
  return isMalformed(meta) ? meta : { ...meta, kind: 'Service', spec: object(source['spec']) };
}

export function readAutoscaler(source: KubeObject): ObservedAutoscaler | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  return { ...meta, kind: 'HorizontalPodAutoscaler', spec: object(source['spec']) };
}

/** A ComputeDomain may outlive its set, held by our finalizer, so it is told by labels too. */
export function readDomain(source: KubeObject): ObservedDomain | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const { labels, owner } = meta;
  const isOurs = labels[label.component] === component.domain;
  const owned = owner?.kind === 'PodCliqueSet' ? owner.name : '';
  return { ...meta, kind: 'ComputeDomain', set: (isOurs ? labels[label.partOf] : owned) ?? owned };
}

export const readAccess =
  <K extends AccessKind>(kind: K) =>
  (source: KubeObject): ObservedAccess<K> | Malformed => {
    const meta = readMeta(source);
    if (isMalformed(meta)) return meta;
    return {
      ...meta,
      kind,
      automountsToken: source['automountServiceAccountToken'] === true,
    };
  };

/** Of a Service or an autoscaler: the status is nobody's news. */
export const isSpecNews = <T extends ObservedService | ObservedAutoscaler>(
  old: T | undefined,
  now: T,
): boolean => isMetaNews(old, now) || !isEqual(old?.spec, now.spec);

/** Spec and status are nobody's news: the one is never changed, the other is NVIDIA's. */
export const isDomainNews = (old: ObservedDomain | undefined, now: ObservedDomain): boolean =>
  isMetaNews(old, now) || !isEqual(old?.finalizers, now.finalizers);

export const isAccessNews = (old: ObservedAccess | undefined, now: ObservedAccess): boolean =>
  isMetaNews(old, now) || old?.automountsToken !== now.automountsToken;

const isMetaNews = (old: Meta | undefined, now: Meta): boolean =>
  old?.uid !== now.uid ||
  old.deleting !== now.deleting ||
  old.owner?.uid !== now.owner?.uid ||
  !isEqual(old.labels, now.labels);
