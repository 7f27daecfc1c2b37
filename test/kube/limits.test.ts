// Every bound and period of the kube edge with its number, and what one must be beside another:
// sockets are closed before the server does, and watches end before they count as silent.
import { expect, it } from 'vitest';
import * as limits from '#src/kube/limits.ts';

it('The limits of the kube edge are these', () => {
  expect({ ...limits }).toEqual({
    // Sizes: client-go's page, etcd's objects, events.k8s.io's note.
    listPageSize: 500,
    maxWatchLineBytes: 16_777_216,
    bytesPerTurn: 262_144,
    maxResponseBytes: 268_435_456,
    maxErrorTextLength: 512,
    maxEventNoteLength: 1_024,
    maxEnds: 10_000,
    // In flight: the knee of the sweep in docs/benchmarks.md.
    maxRequestsInFlight: 64,
    maxRequestSockets: 64,
    // One request: the server cancels it after 60 s, and closes an idle socket after 90 s.
    connectTimeoutMs: 10_000,
    headersTimeoutMs: 65_000,
    bodyTimeoutMs: 30_000,
    idleSocketMs: 55_000,
    listPageTimeoutMs: 100_000,
    // Watches: an object is seen within 60 s, whatever is silent.
    watchTimeoutSeconds: { least: 40, most: 50 },
    watchSilenceMs: 55_000,
    provingWatchMs: 15_000,
    watchMarginMs: 5_000,
    unprovenMs: 40_000,
    noNewsMs: 600_000,
    shortWatchMs: 1_000,
    maxResumeRefusals: 3,
    // Pauses.
    backOffMs: { first: 250, most: 10_000, unanswered: 5_000 },
    missingKindRetryMs: 30_000,
    wantedKindRetryMs: 500,
    wantedKindMs: 90_000,
    maxRetryAfterMs: 300_000,
    unmappedRetryMs: 5_000,
    // Restored servers: docs/decisions/0018-a-restored-server-ends-the-process.md.
    staleListLimitMs: 25_000,
    returnPauseMs: 20_000,
    lateReplyMs: 1_000,
    unlabelledPauseMs: { first: 1_000, most: 60_000 },
    // Credentials: client-go looks at a token file once a minute.
    tokenFileRereadMs: 60_000,
    credentialCheckMs: 1_000,
    credentialPluginTimeoutMs: 60_000,
    credentialPluginBytes: 262_144,
  });
});

it('The limits of the kube edge fit each other and those of the server', () => {
  const { watchTimeoutSeconds, watchSilenceMs, watchMarginMs, unprovenMs, provingWatchMs } = limits;
  expect(watchTimeoutSeconds.most * 1_000 + watchMarginMs).toBeLessThanOrEqual(watchSilenceMs);
  expect(unprovenMs + provingWatchMs).toBeLessThan(60_000);
  expect(limits.headersTimeoutMs).toBeGreaterThan(60_000);
  expect(limits.idleSocketMs).toBeLessThan(90_000);
});
