// The rest of the first hundred days of cliques, of which cliques.test.ts takes the first.
import { passedUpTo, passCliqueDays, range, shortCliqueDays } from './pass-seeds.ts';

passCliqueDays(range(shortCliqueDays + 1, passedUpTo.cliques));
