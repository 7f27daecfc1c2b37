// Intents on an object that was read: its address and its UID are taken from it. Used by the steps
// of every kind.
import type { JsonObject } from '../kubernetes/objects.ts';
import type { Meta } from '../kubernetes/meta.ts';
import { refOf } from './address.ts';
import type { ObjectRef } from './address.ts';
import type { NormalReasons, WarningReason } from './event-reasons.ts';
import type { DeleteObject, PatchObject, RecordEvent, WriteStatus } from './intents.ts';

export type Target = ObjectRef & { readonly uid: string };

const regarding = (target: Target): Target => ({ ...refOf(target), uid: target.uid });

export const deletionOf = (target: Target, reason: string): DeleteObject => ({
  type: 'deleteObject',
  ref: refOf(target),
  reason,
  uid: target.uid,
});

export const patchOf = (
  target: Target,
  reason: string,
  patch: JsonObject,
  more: Pick<PatchObject, 'resourceVersion' | 'urgency'> = {},
): PatchObject => ({
  type: 'patchObject',
  ref: refOf(target),
  reason,
  patch,
  uid: target.uid,
  ...more,
});

type Holdable = Target & Pick<Meta, 'finalizers' | 'resourceVersion'>;

/** Nothing where it is on. Finalizers of others stay. */
export const withFinalizer = (
  target: Holdable,
  finalizer: string,
  reason: string,
): readonly PatchObject[] =>
  target.finalizers.includes(finalizer)
    ? []
    : [finalizersOf(target, reason, [...target.finalizers, finalizer])];

/** Nothing where it is off. Finalizers of others stay. */
export function withoutFinalizer(
  target: Holdable,
  finalizer: string,
  reason: string,
): readonly PatchObject[] {
  const others = target.finalizers.filter((name) => name !== finalizer);
  return others.length === target.finalizers.length ? [] : [finalizersOf(target, reason, others)];
}

/** Of the version that the list was made from. */
function finalizersOf(target: Holdable, reason: string, finalizers: readonly string[]) {
  const { resourceVersion } = target;
  return patchOf(
    target,
    reason,
    { metadata: { finalizers: [...finalizers] } },
    { resourceVersion },
  );
}

export const statusOf = (
  target: Target,
  reason: string,
  status: JsonObject,
  urgency: WriteStatus['urgency'],
): WriteStatus => ({
  type: 'writeStatus',
  ref: refOf(target),
  reason,
  uid: target.uid,
  status,
  urgency,
});

export const normal = (target: Target, reason: keyof NormalReasons, note: string): RecordEvent => ({
  type: 'recordEvent',
  regarding: regarding(target),
  severity: 'Normal',
  reason,
  note,
});

export const warning = (target: Target, reason: WarningReason, note: string): RecordEvent => ({
  type: 'recordEvent',
  regarding: regarding(target),
  severity: 'Warning',
  reason,
  note,
});
