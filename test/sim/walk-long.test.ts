// More walks than walk.test.ts takes. Two hundred without faults are
// `npm run sim -- --walk --calm --seeds 200`, and with faults the same without `--calm`.
import { range, walkSeeds } from './pass-seeds.ts';

walkSeeds({ calm: range(9, 50), faulty: range(7, 50) });
