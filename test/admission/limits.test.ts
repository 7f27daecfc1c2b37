// Every bound of the admission server with its number, and what one must be beside another: the API
// server hears why there is no verdict before it gives up, and what it stores is taken.
import { expect, it } from 'vitest';
import * as limits from '#src/admission/limits.ts';

it('The limits of admission are these', () => {
  expect({ ...limits }).toEqual({
    // docs/configuration.md, "Limits of the servers".
    maxBodyBytes: 5_242_880,
    largeBodyBytes: 262_144,
    maxBodyDepth: 128,
    // docs/admission.md: a write waits no longer for its verdict.
    webhookTimeoutMs: 5_000,
    answerMs: 4_000,
    lookupMs: 3_000,
    closeTimeoutMs: 5_000,
    certificatePollMs: 15_000,
    overlapMs: 300_000,
  });
});

it('The limits of admission fit each other', () => {
  expect(limits.lookupMs).toBeLessThan(limits.answerMs);
  expect(limits.answerMs).toBeLessThan(limits.webhookTimeoutMs);
  // An API server takes an object of 3 MiB, and a review may carry it twice.
  expect(limits.maxBodyBytes).toBeGreaterThan(3 * 1_048_576);
  // Every replica looks, and every API server has seen it, many times over.
  expect(limits.overlapMs).toBeGreaterThan(10 * limits.certificatePollMs);
});
