// More days with edits of templates than updates.test.ts takes: half of a hundred, since those with
// lost nodes (losses-long.test.ts) have the same edits.
import { passedUpTo, passSeeds, range, shortDays } from './pass-seeds.ts';

passSeeds([...range(shortDays + 1, passedUpTo.updates), 279, 547, 690], 'updates');
