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

/** A day on which that shows: each replica once stands still until the other one has its shards,
 *  while the user goes on. It shows where there was something to write when the pause began, so one
 *  pause may have bad luck. */
export const pausedDay = (edits: readonly Act[]): readonly Act[] => [
  ...edits.filter(({ what }) => what === 'edit' || what === 'edit of a domain'),
  { atS: 8, what: 'pause', target: 'second', forMs: 14_000, draw: 0 },
  { atS: 26, what: 'pause', target: 'first', forMs: 14_000, draw: 0 },
];
