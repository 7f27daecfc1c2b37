// What belongs to a ComputeDomain besides its cliques and pods, found by the label with its UID:
// the DaemonSet, the claim templates and the labelled nodes. Only metadata is read.
import { word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';
import { domainLabel, label } from './labels.ts';

export type ChildKind = 'DomainDaemonSet' | 'DomainClaimTemplate' | 'DomainNode';

export interface ObservedChild extends Meta {
  readonly kind: ChildKind;
  /** UID of the ComputeDomain. */
  readonly domain: string;
  /** Of a claim template: `Daemon` or `Workload`; else empty. */
  readonly target: string;
}

export const readChild =
  (kind: ChildKind) =>
  (source: KubeObject): ObservedChild | Malformed => {
    const meta = readMeta(source, kind === 'DomainNode' ? 'Cluster' : 'Namespaced');
    if (isMalformed(meta)) return meta;
    const domain = word(meta.labels[domainLabel]);
    if (domain === undefined) return { malformed: `label ${domainLabel} is empty` };
    return { ...meta, kind, domain, target: meta.labels[label.target] ?? '' };
  };
