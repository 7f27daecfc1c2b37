// What a finished write tells the outside: a fact on the bus, numbers and one log line. Called by
// the effect runner once per write that was sent.
import { refKey } from '#machines/contract/address.ts';
import { isRetryable } from '#machines/contract/errors.ts';
import type { Journal } from '../mail/causality.ts';
import type { Clock, Telemetry } from '../ports.ts';
import type { InFlightWrite } from './object-writes.ts';
import type { Verdict } from './verdict.ts';
import { operationOf } from './work.ts';

export function report(
  journal: Journal,
  ports: { readonly clock: Clock; readonly telemetry: Telemetry },
  current: InFlightWrite,
  verdict: Exclude<Verdict, { type: 'read' }>,
): void {
  const { telemetry } = ports;
  const { work, link } = current;
  const { intent, actor } = work;
  const ms = Math.round(ports.clock.steady() - current.since);
  const op = operationOf[intent.type];
  const { kind } = intent.ref;
  const { controller } = actor.behaviour;
  const outcome = verdict.type === 'done' ? 'ok' : verdict.code;
  telemetry.wrote({ controller, kind, op, outcome, seconds: ms / 1000 });
  journal.publish(actor.key, 'wrote', link, work.cause, {
    op,
    object: refKey(intent.ref),
    outcome,
    reason: intent.reason,
    ms,
    reconcileId: work.reconcileId,
    ...(verdict.type === 'failed' && { message: verdict.message }),
  });
  if (verdict.type === 'done') return;
  const { code, message } = verdict;
  if (op === 'status' && code === 'CONFLICT') {
    telemetry.statusConflict({ controller, targetKind: kind });
  }
  telemetry.reconcileError({ controller, code });
  telemetry.log(isRetryable(code) ? 'info' : 'warn', 'write failed', {
    controller,
    namespace: actor.key.namespace,
    name: actor.key.name,
    uid: actor.uid ?? '',
    reconcileId: work.reconcileId,
    traceId: link.trace,
    object: refKey(intent.ref),
    op,
    code,
    message,
  });
}
