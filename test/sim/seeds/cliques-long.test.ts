// The rest of the first hundred days of cliques, of which cliques.test.ts takes the first.
import { passedUpTo, passCliqueDays, range, shortDays } from './pass-seeds.ts';

passCliqueDays(range(shortDays + 1, passedUpTo.cliques));
