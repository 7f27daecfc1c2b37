// Leases of the protocol as objects of coordination.k8s.io/v1 and back. Names and annotations are
// read by people with `kubectl get leases`, and by every version of Coppice: they do not change.
import type { Versions } from '#actors/ports.ts';
import type { Draft, LeaseRecord } from '#actors/shards/lease/records.ts';
import { allKinds } from '#machines/kinds.ts';
import { numberOf, object, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339Micro } from '#machines/kubernetes/time.ts';

const label = 'coppice.dev/lease';
const joinedAnnotation = 'coppice.dev/joined-at';
const leavingAnnotation = 'coppice.dev/leaving';
const addressAnnotation = 'coppice.dev/address';
const writtenAnnotation = 'coppice.dev/written';

/** Selects every lease of the protocol. */
export const leaseSelector = `${label} in (member,shard)`;

export const memberLeaseName = (member: string): string => `coppice-member-${member}`;
export const shardLeaseName = (shard: number): string => `coppice-shard-${shard}`;

export const nameOf = (draft: Draft): string =>
  draft.type === 'member' ? memberLeaseName(draft.member) : shardLeaseName(draft.shard);

export interface Stamp {
  readonly namespace: string;
  readonly durationSeconds: number;
  /** Time of day in milliseconds: for people, nobody decides by it. */
  readonly now: number;
}

/** The body of a POST. */
export const leaseBody = (draft: Draft, stamp: Stamp): JsonObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: nameOf(draft),
    namespace: stamp.namespace,
    labels: { [label]: draft.type, 'app.kubernetes.io/part-of': 'coppice' },
    annotations: withoutNulls(annotationsOf(draft)),
  },
  spec: withoutNulls(specOf(draft, stamp)),
});

/**
 * The JSON merge patch that makes a lease of this version what the draft says. No PUT: that would
 * make the lease anew where it was deleted, and a process declared dead would not notice.
 */
export const leasePatch = (
  draft: Draft,
  stamp: Stamp,
  of: { readonly uid: string; readonly version: string },
): JsonObject => ({
  metadata: { uid: of.uid, resourceVersion: of.version, annotations: annotationsOf(draft) },
  spec: specOf(draft, stamp),
});

/** Null: not there. */
function annotationsOf(draft: Draft): JsonObject {
  if (draft.type === 'shard') {
    const isEmpty = Object.keys(draft.written).length === 0;
    return { [writtenAnnotation]: isEmpty ? null : JSON.stringify(draft.written) };
  }
  return {
    [joinedAnnotation]: String(draft.joinedAt),
    [leavingAnnotation]: draft.leaving ? 'true' : null,
    [addressAnnotation]: draft.address ?? null,
  };
}

function specOf(draft: Draft, { durationSeconds, now }: Stamp): JsonObject {
  const leaseDurationSeconds = durationSeconds;
  if (draft.type === 'member') {
    return { holderIdentity: draft.member, leaseDurationSeconds, renewTime: rfc3339Micro(now) };
  }
  return {
    holderIdentity: draft.holder === '' ? null : draft.holder,
    leaseDurationSeconds,
    leaseTransitions: draft.epoch,
    acquireTime: rfc3339Micro(now),
  };
}

const withoutNulls = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Undefined where it is none of ours, or lacks what it must have. */
export function readLease(value: unknown): LeaseRecord | undefined {
  const { metadata: rawMetadata, spec: rawSpec } = object(value);
  const metadata = object(rawMetadata);
  const spec = object(rawSpec);
  const name = textOf(metadata['name']) ?? '';
  const uid = textOf(metadata['uid']);
  const version = textOf(metadata['resourceVersion']);
  if (uid === undefined || version === undefined) return undefined;
  const annotations = object(metadata['annotations']);
  const holder = textOf(spec['holderIdentity']) ?? '';
  const type = object(metadata['labels'])[label];
  if (type === 'member') {
    if (holder === '' || name !== memberLeaseName(holder)) return undefined;
    const joinedAt = Number(textOf(annotations[joinedAnnotation]) ?? '0') || 0;
    const leaving = annotations[leavingAnnotation] === 'true';
    const address = addressOf(textOf(annotations[addressAnnotation]));
    return { type, uid, version, member: holder, joinedAt, leaving, ...address };
  }
  const shard = Number(/^coppice-shard-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
  if (type !== 'shard' || !Number.isSafeInteger(shard)) return undefined;
  const epoch = numberOf(spec['leaseTransitions']) ?? 0;
  const written = writtenOf(textOf(annotations[writtenAnnotation]));
  return { type, uid, version, shard, holder, epoch, written };
}

/** `https://host:port` and nothing else: a path or a user name is none of ours. */
const addressOf = (text: string | undefined): { readonly address?: string } =>
  text?.startsWith('https://') === true && URL.parse(text)?.origin === text
    ? { address: text }
    : {};

/** What cannot be read is not waited for. */
function writtenOf(text: string | undefined): Versions {
  if (text === undefined) return {};
  try {
    const fields = object(JSON.parse(text));
    return Object.fromEntries(
      allKinds().flatMap((kind) => {
        const version = textOf(fields[kind]);
        return version === undefined ? [] : [[kind, version]];
      }),
    );
  } catch {
    return {};
  }
}
