// The rest of the first hundred days of faults, of which seeds.test.ts takes the first, and the
// seeds that ever failed.
import regressions from '../regressions.json' with { type: 'json' };
import { passedUpTo, passSeeds, range, shortDays } from './pass-seeds.ts';

const days = range(shortDays + 1, passedUpTo.plain);
passSeeds([...new Set([...days, ...regressions.seeds])]);
