// Copies of the sources with a bug on purpose, for replicas that run them: a day of chaos must find
// it. Used by the test on the real control plane and by `npm run chaos -- --planted`.
import { join } from 'node:path';
import { root, SourceCopy } from '#test/support/source-copy.ts';
import type { Act } from '../schedule.ts';

/** All that a recorded controller reads. */
const sources = [
  'actors',
  'bus',
  'charts/coppice/charts',
  'machines',
  'package.json',
  'src',
  'test/chaos',
  'test/sim',
  'test/support',
];

/** Its sources check no lease, neither whether it is sure nor whether it is another's. Whoever
 *  makes it removes it. */
export async function leaseUnchecked(): Promise<SourceCopy> {
  const copy = await SourceCopy.make('chaos', sources);
  await copy.apply(join(root, 'test/chaos/planted/lease-unchecked.patch'));
  return copy;
}

/** What the oracles say of such a write, whichever of them sees it first. */
export const unleased =
  /was shown that controller-\d+-\w+ has shard|takes effect after the first write of the next owner/;

/** Long enough for it to show. */
export const plantedSeconds = 50;

/** Seconds of the pauses. */
const pauses = [
  { atS: 8, target: 'second' },
  { atS: 26, target: 'first' },
] as const;

/** A day on which that shows: each replica once stands still until the other one has its shards,
 *  while the user goes on. It shows where there was something to write when the pause began, so
 *  the user edits sets just before it. */
export const pausedDay = (edits: readonly Act[]): readonly Act[] =>
  [
    ...edits.filter(({ what }) => what === 'edit' || what === 'edit of a domain'),
    ...pauses.flatMap(({ atS, target }): Act[] => [
      ...[0, 0.2, 0.4, 0.6, 0.8].map((draw): Act => {
        return { atS: atS - 0.9 + draw, what: 'edit', target: 'user', forMs: 0, draw };
      }),
      { atS, what: 'pause', target, forMs: 14_000, draw: 0 },
    ]),
  ].toSorted((one, other) => one.atS - other.atS);
