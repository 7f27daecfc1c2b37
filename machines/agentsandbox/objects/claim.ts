// A SandboxClaim as actors read it (spec agent-sandbox 1.3).
import { at, count, isObject, list, object, stringMap, word } from '../../kubernetes/json.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import { annotation } from './labels.ts';

export interface Lifecycle {
  readonly shutdownTime: EpochMs | undefined;
  readonly ttlSecondsAfterFinished: number | undefined;
  readonly shutdownPolicy: 'Delete' | 'DeleteForeground' | 'Retain';
}

export interface ObservedClaim extends Meta {
  readonly kind: 'SandboxClaim';
  /** Name of the warm pool, in whose tree it lives. */
  readonly pool: string;
  readonly lifecycle: Lifecycle | undefined;
  /** As the claim has them: judged at run time (2.4.7). */
  readonly podLabels: StringMap;
  readonly podAnnotations: StringMap;
  readonly env: readonly JsonObject[];
  readonly volumeClaimTemplates: readonly JsonObject[];
  /** The Sandbox that is assigned, by the annotation or, in older objects, the label. */
  readonly assigned: string | undefined;
  readonly isAssignedByLabel: boolean;
  /** Its UID; undefined: it starts cold, or somebody else has assigned it. */
  readonly assignedUid: string | undefined;
  /** The Sandbox that its status names. */
  readonly bound: string | undefined;
  readonly status: JsonObject;
}

export function readClaim(source: KubeObject): ObservedClaim | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const spec = object(source['spec']);
  const pool = word(at(spec, 'warmPoolRef', 'name'));
  if (pool === undefined) return { malformed: 'spec.warmPoolRef.name is not a name' };
  const byAnnotation = word(meta.annotations[annotation.assigned]);
  const byLabel = word(meta.labels[annotation.assigned]);
  const status = object(source['status']);
  return {
    ...meta,
    kind: 'SandboxClaim',
    pool,
    lifecycle: isObject(spec['lifecycle']) ? readLifecycle(spec['lifecycle']) : undefined,
    podLabels: stringMap(at(spec, 'additionalPodMetadata', 'labels')),
    podAnnotations: stringMap(at(spec, 'additionalPodMetadata', 'annotations')),
    env: list(spec['env']).filter(isObject),
    volumeClaimTemplates: list(spec['volumeClaimTemplates']).filter(isObject),
    assigned: byAnnotation ?? byLabel,
    assignedUid: word(meta.annotations[annotation.assignedUid]),
    isAssignedByLabel: byAnnotation === undefined && byLabel !== undefined,
    bound: word(at(status, 'sandbox', 'name')),
    status,
  };
}

/** A member cannot serve it: a Sandbox is made with what it asks for (Q29). */
export const needsOwnSandbox = ({ env, volumeClaimTemplates }: ObservedClaim): boolean =>
  env.length + volumeClaimTemplates.length > 0;

/** It starts without a member: its pool has stored that in the place of an assignment, so that no
 *  crash and no second owner can give it both. */
export const isCold = ({ assigned, name }: ObservedClaim): boolean => assigned === name;

function readLifecycle(source: JsonObject): Lifecycle {
  const { shutdownPolicy: policy } = source;
  return {
    shutdownTime: epoch(source['shutdownTime']),
    ttlSecondsAfterFinished: count(source['ttlSecondsAfterFinished']),
    shutdownPolicy: policy === 'Delete' || policy === 'DeleteForeground' ? policy : 'Retain',
  };
}
