// The rest of the first hundred days of warm pools, of which pools.test.ts takes the first, and the
// seeds that ever failed.
import regressions from '../regressions.json' with { type: 'json' };
import { passedUpTo, passPoolDays, range, shortDays } from './pass-seeds.ts';

const days = range(shortDays + 1, passedUpTo.pools);
passPoolDays([...new Set([...days, ...regressions.pools])]);
