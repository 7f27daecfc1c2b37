// Bad days on which nodes are lost, for longer than the delays of sets or not, and templates are
// edited: only gangs that were good and are below their minimum for so long are terminated, once,
// updates are over in the end, and all is well. losses-long.test.ts goes on.
import { passSeeds, range, shortDays } from './pass-seeds.ts';

passSeeds(range(1, shortDays), 'losses');
