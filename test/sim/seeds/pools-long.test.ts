// The rest of the first hundred days of warm pools, of which pools.test.ts takes the first.
import { amountOf } from '#test/support/optional.mjs';
import { passPoolDays, range, shortPoolDays } from './pass-seeds.ts';

passPoolDays(range(shortPoolDays + 1, amountOf('simulated days')));
