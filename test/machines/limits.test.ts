// Every bound of what behaviours say, keep and plan with its number, so that one which is changed
// is a line of a diff.
import { expect, it } from 'vitest';
import * as contract from '#machines/contract/limits.ts';
import { maxInHand, patienceMs } from '#machines/agentsandbox/warmpool/assigning/assigning.ts';
import { longestPauseMs } from '#machines/agentsandbox/warmpool/refill.ts';
import { carefulStarts } from '#machines/agentsandbox/warmpool/steps/refill.ts';
import * as grove from '#machines/grove/objects/limits.ts';
import { annotationBytesLimit } from '#machines/kubernetes/object-meta.ts';
import * as size from '#machines/kubernetes/size.ts';

it('The limits of what any behaviour says or keeps are these', () => {
  const { maxTextLength, maxListed, maxNamed, maxErrors } = contract;
  expect({ maxTextLength, maxListed, maxNamed, maxErrors }).toEqual({
    maxTextLength: 1_024,
    maxListed: 10,
    maxNamed: 100,
    maxErrors: 16,
  });
});

it.each([
  [0, ''],
  [1, 'n0'],
  [10, 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9'],
  [11, 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, ...'],
])('A sentence names ten names of %i at most', (count, expected) => {
  expect(contract.firstOf(Array.from({ length: count }, (_, n) => `n${n}`))).toBe(expected);
});

it('The limits of Grove are these', () => {
  expect({ ...grove }).toEqual({
    maxReplicasPerSet: 5_000,
    maxReplicasPerGroup: 5_000,
    maxPodsPerClique: 2_000,
    maxGroupsPerGang: 1_000,
    maxCliquesPerSet: 500,
    maxListNodes: 200_000,
    firstTokenRepeatMs: 1_000,
    lastTokenRepeatMs: 3_600_000,
    podGroupWaitMs: 1_000,
    firstReplaceMs: 10_000,
    lastReplaceMs: 300_000,
    startGraceMs: 10_000,
    stuckAfterMs: 300_000,
  });
});

it('The limits of warm pools are these', () => {
  expect({ maxInHand, patienceMs, longestPauseMs, carefulStarts }).toEqual({
    maxInHand: 64,
    patienceMs: 2_000,
    longestPauseMs: 60_000,
    carefulStarts: 10,
  });
});

it('The limits of what is read of any object are these', () => {
  const { maxMapEntries, maxOwnEntries, maxNodes, maxDepth } = size;
  // Kubernetes refuses annotations of more than 256 KiB.
  expect({ annotationBytesLimit, maxMapEntries, maxOwnEntries, maxNodes, maxDepth }).toEqual({
    annotationBytesLimit: 262_144,
    maxMapEntries: 1_000,
    maxOwnEntries: 16,
    maxNodes: 20_000,
    maxDepth: 100,
  });
});
