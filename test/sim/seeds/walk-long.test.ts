// More walks than walk.test.ts takes. Two hundred without faults are
// `npm run sim -- --walk --calm --seeds 200`, and with faults the same without `--calm`.
import { amountOf } from '#test/support/optional.mjs';
import { range, walkSeeds } from './pass-seeds.ts';

const half = amountOf('long walks of edits') / 2;

walkSeeds({ calm: range(9, 8 + half), faulty: range(7, 6 + half) });
