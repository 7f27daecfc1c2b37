// The other half of the days of seeds-odd.test.ts, so that both run at the same time.
import { amountOf } from '#test/support/optional.mjs';
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, amountOf('simulated days')).filter((seed) => seed % 2 === 0));
