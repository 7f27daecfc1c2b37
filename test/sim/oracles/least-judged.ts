// How often each oracle has to judge in a hundred seeds, or the run fails: an oracle that never
// judges finds nothing, and nobody would notice. About half of what was measured, so that a change
// of what the user does fails nothing, and a blind oracle does.
import type { Kind } from '../kinds.ts';
import { type OracleName, oracleNames, type Tally } from './tally.ts';

type Least = Readonly<Partial<Record<OracleName, number>>>;

/** Beside each what a hundred plain seeds had, of 110; and such with claims, which had fewest. */
const plain: Least = {
  'pod create': 1_000, // 2,630; with claims 1,890
  'delete of a live pod': 90, // 193; 215
  'delete of a done pod': 40, // 105; 100
  'delete with the PodClique': 150, // 552; 325
  'pods in the store': 900, // 2,431; 1,755
  'ungated pod': 900, // 2,630; 1,815
  'owner of the deleted': 750, // 1,723; 1,585
  'child create': 2_000, // 4,304; 7,240
  'child delete': 350, // 765; 735
  'marks of others': 400, // 1,220
  'pods ever': 1_000, // 2,220
  'pods ever, exactly': 200, // 516
  'back to the start': 80, // 160
  'write under a lease': 3_000, // 10,500, of seeds with force
  'write after the next owner': 3_000, // 9,800, of the same
  'plan after a take-over': 500, // 1,150
};

/** Beside each what a hundred had; with lost nodes a little more. */
const updates: Least = {
  ...plain,
  'delete of an old pod': 20, // 47
  'delete of an old member': 5, // 13
  'end under OnDelete': 25, // 58
  'hash of a template': 1_400, // 2,928
  'pod of a template': 1_100, // 2,287
};

/** Beside each what a hundred walks had, of 20. Nobody's pods fail there. */
const walk: Least = {
  'pod create': 500, // 1,135
  'delete of a live pod': 20, // 50
  'delete with the PodClique': 150, // 325
  'pods in the store': 500, // 1,030
  'ungated pod': 500, // 1,125
  'owner of the deleted': 500, // 1,100
  'child create': 1_200, // 2,640
  'child delete': 180, // 400
  'pods ever': 300,
};

/** Beside each what a hundred days of cliques had. */
const cliques: Least = {
  'indices of a clique': 2_400, // 4,950
  'index of a node': 6_500, // 13,900
  'row removed': 65, // 133
  'index given away': 30, // 64
  'index of who returns': 40, // 91
  'repaired index': 10, // 22
  'write of a clique': 1_800, // 3,670
  'end of a child': 750, // 1,620
  joined: 300, // 700
  'write after the next owner': 1_200, // 2,970
};

/** Beside each what a hundred days of warm pools had, of forty. */
const pools: Least = {
  preconditions: 14_000, // 32,000
  'owner of a Sandbox': 4_000, // 11,000
  'Sandboxes of a claim': 1_000, // 2,400
  'cold start': 800, // 1,900
  'take-over': 230, // 520
  'fresh member': 50, // 127
  population: 1_500, // 3,500
  'unknown member': 7, // 15
  'pods of a Sandbox': 2_600, // 5,800
  'Ready of a Sandbox': 1_900, // 4,400
  'delete of a claim': 60, // 140
  'delete of a claimed Sandbox': 12, // 42
  'delete of a member': 400, // 1,100
  'delete of an orphan': 80, // 185
  'delete of a pod': 40, // 107
  assignment: 1_100, // 2,650
  'assignment cleared': 3, // 12
  'binding ended': 25, // 65
  'Ready of a claim': 1_000, // 2,280
  expiry: 40, // 95
  refusal: 130, // 295
  missing: 250, // 575
  'forwarded reason': 300, // 880
  'write after the next owner': 8_000, // 18,000
};

export type JudgedKind = Kind | 'walk' | 'calm walk' | 'cliques' | 'pools';

const perHundred: Readonly<Record<JudgedKind, Least>> = {
  plain,
  groups: { ...plain, 'pod behind a base gang': 15 }, // 43
  topology: plain,
  domains: { ...plain, 'domain end': 150 }, // 320
  sharing: plain,
  kai: plain,
  updates,
  losses: { ...updates, 'end under OnDelete': 0, termination: 25 }, // 55
  restored: plain,
  walk,
  'calm walk': walk,
  cliques,
  pools,
};

/** Fewer seeds differ too much; of less than fifty half as much is asked. */
const fewestSeeds = 16;
const manySeeds = 50;

/** Sentences about oracles that judged too seldom. */
export function judgedTooSeldom(kind: JudgedKind, seeds: number, tally: Tally): string[] {
  if (seeds < fewestSeeds) return [];
  const share = (seeds < manySeeds ? seeds / 2 : seeds) / 100;
  return oracleNames.flatMap((name) => {
    const least = Math.floor((perHundred[kind][name] ?? 0) * share);
    const judged = tally.counts[name]?.judged ?? 0;
    return judged >= least
      ? []
      : [`oracle "${name}" judged ${judged} times in ${seeds} seeds, and should ${least} times`];
  });
}
