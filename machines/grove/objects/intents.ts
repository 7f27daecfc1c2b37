// Intents on an object that was read: its address and its UID are taken from it. Used by the steps
// of every kind.
import type { ObjectRef } from '../../contract/address.ts';
import type { NormalReasons, WarningReason } from '../../contract/event-reasons.ts';
import type {
  DeleteObject,
  PatchObject,
  RecordEvent,
  WriteStatus,
} from '../../contract/intents.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

export type Target = ObjectRef & { readonly uid: string };

export const refOf = <R extends ObjectRef>({ kind, namespace, name }: R) =>
  ({ kind, namespace, name }) as Pick<R, 'kind' | 'namespace' | 'name'>;

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
