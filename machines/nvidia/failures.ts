// What the behaviours of this module tell of failed writes: one Event for each object, once.
import type { ObjectRef } from '../contract/address.ts';
import type { WarningReason } from '../contract/event-reasons.ts';
import { sayError } from '../contract/failure-log.ts';
import type { ErrorEntry, FailureLog } from '../contract/failure-log.ts';
import type { Intent } from '../contract/intents.ts';
import type { ObservedChild } from './objects/children.ts';

/** The log without failed creates of what is there: an earlier attempt made it. */
export function resolvedBy(log: FailureLog, children: readonly ObservedChild[]): FailureLog {
  const isThere = ({ kind, namespace, name }: ObjectRef): boolean =>
    children.some(
      (child) => child.kind === kind && child.namespace === namespace && child.name === name,
    );
  const left = log.filter(({ op, ref }) => op !== 'create' || !isThere(ref));
  return left.length === log.length ? log : left;
}

interface Announced {
  readonly intents: readonly Intent[];
  readonly changes: { readonly errors?: FailureLog };
}

/** `left`: what is still wrong of the log. */
export function announcement(
  log: FailureLog,
  left: FailureLog,
  regarding: ObjectRef & { readonly uid: string },
  reasonOf: (entry: ErrorEntry) => WarningReason,
): Announced {
  const fresh = left.filter(({ isAnnounced }) => isAnnounced !== true);
  if (fresh.length === 0) return { intents: [], changes: left === log ? {} : { errors: left } };
  return {
    intents: fresh.map((entry): Intent => ({
      type: 'recordEvent',
      regarding,
      severity: 'Warning',
      reason: reasonOf(entry),
      note: sayError(entry),
    })),
    changes: { errors: left.map((entry) => ({ ...entry, isAnnounced: true })) },
  };
}
