// docs/inspector.md says the limits as they are.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as limits from '#src/inspector/server/limits.ts';

const page = readFileSync(new URL('../../../docs/inspector.md', import.meta.url), 'utf8');
const perSecond = (refillMs: number): number => 1_000 / refillMs;

it.each([
  ['connections', `${limits.inspectorLimits.connections}`],
  ['streams', `${limits.streamsAtOnce}, and ${limits.streamsPerUser} of one user`],
  [
    'requests of one user',
    `${limits.requestBurst} at once, then ${perSecond(limits.requestRefillMs)} a second`,
  ],
  ['requests under way', `${limits.requestsAtOnce}`],
  [
    'reviews of unknown tokens',
    `${limits.reviewBurst} at once, then ${perSecond(limits.reviewRefillMs)} a second`,
  ],
  ['address of a request', `${limits.maxQueryLength} characters`],
  ['body of a request', `${limits.maxBodyBytes} bytes`],
  ['reason of a command', `${limits.maxReasonLength} characters`],
  ['rows of a list', `${limits.maxRows}, or pages of ${limits.maxPage}`],
  ['facts of a list', `${limits.maxFacts}`],
  [
    'a batch of a stream',
    `every ${limits.batchMs} ms (${limits.crowdedBatchMs} ms after a full one; ${limits.sentBytesPerSecond / 1e6} MB a second to all viewers and ${limits.sentToEachMs} ms for each, then after ${limits.longestBatchMs} ms), ${limits.rowsPerBatch} rows and ${limits.factsPerBatch} facts`,
  ],
  ['facts that a stream that continues has missed', `${limits.factsMissed}`],
])('The page of the inspector says the limit of %s', (what, limit) => {
  expect(page).toContain(`| ${what} | ${limit} |`);
});

it('The page of the inspector says its spans of time', () => {
  const { reviewedMs, unreviewedMs, othersMs, otherMs, stalledMs, rightsPerRequest } = limits;
  expect([reviewedMs, unreviewedMs, othersMs, otherMs, stalledMs]).toEqual([
    60_000, 300_000, 5_000, 3_000, 30_000,
  ]);
  expect(page).toContain(`| ${rightsPerRequest} in one request |`);
});
