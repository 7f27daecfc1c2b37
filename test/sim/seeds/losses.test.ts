// Bad days on which nodes are lost, for longer than the delays of sets or not: only gangs that were
// good and are below their minimum for so long are terminated, once, and all is well in the end.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(1, 12), 'losses');
