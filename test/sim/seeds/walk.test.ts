// Generated sets that are created, edited and scaled twenty times, on an embedded cluster with our
// admission: what may not be is refused by the rule that says so, and the end is what direct
// application of the last spec leaves. More are walked by walk-long.test.ts.
import { range, shortWalks, walkSeeds } from './pass-seeds.ts';

walkSeeds({ calm: range(1, shortWalks.calm), faulty: range(1, shortWalks.faulty) });
