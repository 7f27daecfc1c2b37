// More days with edits of templates than updates.test.ts takes: half of a hundred, since those with
// lost nodes (losses-long.test.ts) have the same edits.
import { passedUpTo, passSeeds, range, shortUpdateDays } from './pass-seeds.ts';

passSeeds([...range(shortUpdateDays + 1, passedUpTo.updates), 279, 690], 'updates');
