// What is told of a write that has ended: a fact, numbers and, where it failed, a line of the log.
import { describe, expect, it } from 'vitest';
import { report } from '#actors/effects/report.ts';
import { type WriteIntent, workOf } from '#actors/effects/work.ts';
import type { Verdict } from '#actors/effects/verdict.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { makePod, setActor } from '../fixtures/runner.ts';

const pod = makePod('p');
const status: WriteIntent = {
  ...{ type: 'writeStatus', ref: pod.ref, uid: 'u', status: {} },
  ...{ urgency: 'now', reason: 'progress' },
};
const failed = (code: ErrorCode): Exclude<Verdict, { type: 'read' }> => ({
  ...{ type: 'failed', code, message: 'why', retry: 'backoff', afterMs: 0 },
  observations: [],
});

function told(intent: WriteIntent, verdict: Exclude<Verdict, { type: 'read' }>) {
  const clock = new VirtualClock();
  const telemetry = recordingTelemetry();
  const facts: unknown[] = [];
  const actor = setActor();
  actor.uid = 'uid-of-demo';
  const since = clock.steady() - 1_234.4;
  const cause = { id: 'plan', trace: 't' };
  const link = { id: 'write', trace: 't' };
  const work = workOf(actor, intent, {
    ...{ rank: 'root', cause, reconcileId: 'r1', epoch: 1, version: undefined },
  });
  const journal = { publish: (...fact: unknown[]) => void facts.push(fact) };
  report(journal as never, { clock, telemetry }, { work, link, since, echoes: [] }, verdict);
  return { facts, calls: telemetry.calls, actor, cause, link };
}

const object = refKey(pod.ref);
const controller = 'podcliqueset-controller';

describe('A write that succeeded', () => {
  it('is told by a fact and a number', () => {
    const { facts, calls, actor, cause, link } = told(pod, { type: 'done', observations: [] });
    const data = { op: 'create', object, outcome: 'ok', reason: pod.reason, ms: 1_234 };
    expect(facts).toEqual([[actor.key, 'wrote', link, cause, { ...data, reconcileId: 'r1' }]]);
    const wrote = { controller, kind: 'Pod', op: 'create', outcome: 'ok', seconds: 1.234 };
    expect(calls.wrote).toEqual([wrote]);
    expect([calls.reconcileError, calls.statusConflict, calls.log]).toEqual([[], [], []]);
  });
});

describe('A write that failed', () => {
  it.each<[ErrorCode, 'info' | 'warn']>([
    ['CONFLICT', 'info'],
    ['SERVER_ERROR', 'info'],
    ['INVALID', 'warn'],
  ])('with %s is told by a fact, numbers and a line of level %s', (code, level) => {
    const { facts, calls } = told(pod, failed(code));
    expect(facts).toMatchObject([[{}, 'wrote', {}, {}, { outcome: code, message: 'why' }]]);
    expect(calls.wrote).toMatchObject([{ outcome: code }]);
    expect(calls.reconcileError).toEqual([{ controller, code }]);
    expect(calls.statusConflict).toEqual([]);
    const key = { namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
    const ids = { reconcileId: 'r1', traceId: 't' };
    const fields = { controller, ...key, ...ids, object, op: 'create', code, message: 'why' };
    expect(calls.log).toEqual([[level, 'write failed', fields]]);
  });

  it.each<[ErrorCode, number]>([
    ['CONFLICT', 1],
    ['SERVER_ERROR', 0],
  ])('with %s, and is a status, counts as a conflict %i times', (code, count) => {
    const { calls } = told(status, failed(code));
    const conflict = { controller, targetKind: 'Pod' };
    expect(calls.statusConflict).toEqual(Array.from({ length: count }, () => conflict));
  });
});
