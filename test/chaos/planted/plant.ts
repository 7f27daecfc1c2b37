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

/** Its sources check no lease, neither whether it is sure nor whether it is another's. When its own
 *  is gone it goes on with all it had, and does not ask for another, by which what it writes would
 *  soon be its own again. Whoever makes it removes it. */
export async function leaseUnchecked(): Promise<SourceCopy> {
  const copy = await SourceCopy.make('chaos', sources);
  await copy.apply(join(root, 'test/chaos/planted/lease-unchecked.patch'));
  return copy;
}

/** What the oracles say of such a write, whichever of them sees it first. */
export const unleased =
  /was shown that controller-\d+-\w+ has shard|takes effect after the first write of the next owner/;

/** Of the pause, in seconds from the begin of the day: longer than a lease, which is 8 s here. */
const pause = { atS: 11, untilS: 28 };
/** The user edits so often just before and after the pause. */
const everyS = 0.2;
/** Long enough for it to show. */
export const plantedSeconds = 38;

/** A day on which that shows. The second replica has all shards, as the first one is dead, and
 *  stands still until the first one is back and has them. It shows where both have something to
 *  write, so the user edits much around the pause. */
export function pausedDay(edits: readonly Act[]): readonly Act[] {
  const { atS, untilS } = pause;
  const acts: readonly Act[] = [
    ...edits.filter(({ what }) => what === 'edit' || what === 'edit of a domain'),
    { atS: 0, what: 'kill', target: 'first', forMs: atS * 1_000, draw: 0 },
    ...editsBetween(atS - 1, atS),
    { atS, what: 'pause', target: 'second', forMs: (untilS - atS) * 1_000, draw: 0 },
    ...editsBetween(untilS, plantedSeconds - 2),
  ];
  return acts.toSorted((one, other) => one.atS - other.atS);
}

function editsBetween(fromS: number, toS: number): readonly Act[] {
  const count = Math.round((toS - fromS) / everyS);
  return Array.from({ length: count }, (_, index): Act => {
    return { atS: fromS + index * everyS, what: 'edit', target: 'user', forMs: 0, draw: 0 };
  });
}
