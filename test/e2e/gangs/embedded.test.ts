// What becomes of gangs that lose pods, are updated or disrupted, on the embedded cluster. Which
// scenario is which of spec controllers 10.3 is said by its title.
import { describe, test } from 'vitest';
import { drained, unattended } from './scenarios/disruptions.ts';
import {
  lostClique,
  lostPod,
  lostReplica,
  neverPlaced,
  stillUnplaced,
} from './scenarios/terminations.ts';
import {
  onDelete,
  podByPod,
  replicaByReplica,
  scaledIn,
  scaledOut,
  withoutRoom,
} from './scenarios/updates.ts';
import { playEmbedded } from './stage/embedded.ts';

const scenarios = [
  lostPod,
  lostClique,
  lostReplica,
  neverPlaced,
  stillUnplaced,
  podByPod,
  replicaByReplica,
  withoutRoom,
  scaledIn,
  scaledOut,
  onDelete,
  drained,
  unattended,
];

describe('On the embedded cluster', () => {
  for (const scenario of scenarios) test(scenario.title, () => playEmbedded(scenario));
});
