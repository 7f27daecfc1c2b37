// The rest of the first hundred days of cliques, of which cliques.test.ts takes the first.
import { amountOf } from '#test/support/optional.mjs';
import { passCliqueDays, range, shortCliqueDays } from './pass-seeds.ts';

passCliqueDays(range(shortCliqueDays + 1, amountOf('simulated days')));
