// The rest of the first hundred days of faults, of which seeds.test.ts takes the first forty.
import { amountOf } from '#test/support/optional.mjs';
import { passSeeds, range, shortDays } from './pass-seeds.ts';

passSeeds(range(shortDays + 1, amountOf('simulated days')));
