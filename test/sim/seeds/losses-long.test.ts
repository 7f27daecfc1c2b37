// The rest of the first hundred days with edits of templates and lost nodes, of which
// losses.test.ts takes the first; a thousand are `npm run sim -- --losses --seeds 1000`.
import { passedUpTo, passSeeds, range, shortDays } from './pass-seeds.ts';

passSeeds([...range(shortDays + 1, passedUpTo.losses), 358, 366, 803, 859], 'losses');
