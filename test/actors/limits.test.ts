// Every limit of the runtime and of the lease protocol with its number, and what one must be beside
// another. docs/guarantees.md and docs/decisions/0010-leases.md promise what follows from them.
import { expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import * as lease from '#actors/shards/lease/terms.ts';

it('The limits of the runtime are these', () => {
  expect(defaultLimits).toEqual({
    // Turns: the bound of a tick keeps timers and sockets served.
    mailBatch: 256,
    sliceMs: 12,
    sliceSteps: 1_000,
    tickBurst: 64,
    tickBurstMost: 512,
    tickDistanceMs: 25,
    tickStream: 8,
    tickUrgentMs: 1,
    // Writes: what a server of three seats takes, and pauses as client-go has them.
    writesInFlight: 64,
    writesInFlightPerKind: 32,
    retryMinMs: 200,
    retryMaxMs: 30_000,
    unreachableMaxMs: 5_000,
    recreateMaxMs: 10_000,
    repeatMs: 2_000,
    refusedRetryMs: 60_000,
    forbiddenRetryMs: 2_000,
    lazyStatusMs: 1_000,
    lazyStatusMaxMs: 30_000,
    updateBurst: 10,
    firstBurst: 240,
    updateBurstMs: 10_000,
    rootEvery: 8,
    statusEvery: 30,
    yieldMs: 50,
    yieldReconcileMs: 3_000,
    yieldBatch: 64,
    lastYieldMs: 250,
    yieldDistanceMs: 1_000,
    yieldPatienceMs: 20_000,
    yieldHalvingMs: 5_000,
    tombstones: 20_000,
    // Events: a burst and one more a minute, as client-go's spam filter has it.
    eventBurst: 25,
    eventRefillMs: 60_000,
    eventRepeatMs: 10_000,
    eventsKnown: 4_096,
    eventsInFlight: 4,
    listsInFlight: 8,
    // The ring: docs/bus.md, "remembers its last 20,000 facts".
    facts: 20_000,
    factText: 4_096,
    editPaths: 16,
    editPathText: 200,
    historyFacts: 50,
    recallBytes: 200_000,
    decisionsKept: 20,
    viewRounds: 4,
    wakeMs: 5_000,
    // Questions: docs/bus.md, "no answer within 10 s".
    openQuestions: 1_000,
    answerMs: 10_000,
    stopMs: 5_000,
  });
});

it('The limits of the runtime fit each other', () => {
  const { retryMinMs, unreachableMaxMs, retryMaxMs, refusedRetryMs } = defaultLimits;
  const pauses = [retryMinMs, unreachableMaxMs, retryMaxMs, refusedRetryMs];
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
  expect(defaultLimits.writesInFlightPerKind).toBeLessThan(defaultLimits.writesInFlight);
  expect(defaultLimits.lazyStatusMs).toBeLessThan(defaultLimits.lazyStatusMaxMs);
  expect(defaultLimits.yieldDistanceMs).toBeLessThan(defaultLimits.yieldPatienceMs);
  expect(defaultLimits.yieldMs).toBeLessThan(defaultLimits.lastYieldMs);
});

it('The times of the lease protocol are those of decision 0010', () => {
  const { clockRateRatio, arrivalMs, tickMs, joinGraceMs, leaveMs } = lease;
  expect({ clockRateRatio, arrivalMs, tickMs, joinGraceMs, leaveMs }).toEqual({
    clockRateRatio: 2,
    arrivalMs: 500,
    tickMs: 250,
    joinGraceMs: 500,
    leaveMs: 4_000,
  });
});
