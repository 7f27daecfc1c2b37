// All two hundred walks without faults, and two hundred with them; see walk.test.ts, which takes
// the first few.
import { range, walkSeeds } from './pass-seeds.ts';

walkSeeds({ calm: range(1, 200), faulty: range(1, 200) });
