// The second hundred days of faults, crashes and edits; see seeds-1-100.test.ts.
import { passSeeds, range } from './pass-seeds.ts';

passSeeds(range(101, 200));
