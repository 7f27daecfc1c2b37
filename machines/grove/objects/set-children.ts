// What the podcliqueset actor needs to know of its children that have no actor: headless Services,
// autoscalers, ComputeDomains, and the objects that give the start-up container access.
import { isEqual, object } from '../../kubernetes/json.ts';
import { isMalformed } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { component, label } from './labels.ts';
import { readMeta } from './meta.ts';
import type { CliqueFact } from './podclique.ts';
import type { GangFact } from './podgang.ts';
import type { GroupFact } from './scalinggroup.ts';

export interface ServiceFact extends Meta {
  readonly kind: 'Service';
  readonly spec: JsonObject;
}

export interface AutoscalerFact extends Meta {
  readonly kind: 'HorizontalPodAutoscaler';
  readonly spec: JsonObject;
}

export interface DomainFact extends Meta {
  readonly kind: 'ComputeDomain';
  /** Name of the PodCliqueSet that it was made for; empty where it is none of ours. */
  readonly set: string;
}

export type AccessKind = 'ServiceAccount' | 'Role' | 'RoleBinding';

export interface AccessFact<K extends AccessKind = AccessKind> extends Meta {
  readonly kind: K;
  readonly automountsToken: boolean;
}

/** What gives the start-up containers access. */
export type AccessFacts = { readonly [K in AccessKind]: AccessFact<K> };

/** What a replica has. */
export interface ReplicaFacts {
  readonly Service: ServiceFact;
  /** By group. */
  readonly ComputeDomain: DomainFact;
  /** Standalone ones and members of scaling groups. */
  readonly PodClique: CliqueFact;
  readonly PodCliqueScalingGroup: GroupFact;
  /** The base gang has the empty slot. */
  readonly PodGang: GangFact;
  readonly HorizontalPodAutoscaler: AutoscalerFact;
}

export function readService(source: KubeObject): ServiceFact | Malformed {
  const meta = readMeta(source);
  return isMalformed(meta) ? meta : { ...meta, kind: 'Service', spec: object(source['spec']) };
}

export function readAutoscaler(source: KubeObject): AutoscalerFact | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  return { ...meta, kind: 'HorizontalPodAutoscaler', spec: object(source['spec']) };
}

/** A ComputeDomain may outlive its set, held by our finalizer, so it is told by labels too. */
export function readDomain(source: KubeObject): DomainFact | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const { labels, owner } = meta;
  const isOurs = labels[label.component] === component.domain;
  const owned = owner?.kind === 'PodCliqueSet' ? owner.name : '';
  return { ...meta, kind: 'ComputeDomain', set: (isOurs ? labels[label.partOf] : owned) ?? owned };
}

export const readAccess =
  <K extends AccessKind>(kind: K) =>
  (source: KubeObject): AccessFact<K> | Malformed => {
    const meta = readMeta(source);
    if (isMalformed(meta)) return meta;
    return {
      ...meta,
      kind,
      automountsToken: source['automountServiceAccountToken'] === true,
    };
  };

/** Of a Service or an autoscaler: the status is nobody's news. */
export const isSpecNews = <T extends ServiceFact | AutoscalerFact>(
  old: T | undefined,
  now: T,
): boolean => isMetaNews(old, now) || !isEqual(old?.spec, now.spec);

/** Spec and status are nobody's news: the one is never changed, the other is NVIDIA's. */
export const isDomainNews = (old: DomainFact | undefined, now: DomainFact): boolean =>
  isMetaNews(old, now) || !isEqual(old?.finalizers, now.finalizers);

export const isAccessNews = (old: AccessFact | undefined, now: AccessFact): boolean =>
  isMetaNews(old, now) || old?.automountsToken !== now.automountsToken;

const isMetaNews = (old: Meta | undefined, now: Meta): boolean =>
  old?.uid !== now.uid ||
  old.deleting !== now.deleting ||
  old.owner?.uid !== now.owner?.uid ||
  !isEqual(old.labels, now.labels);
