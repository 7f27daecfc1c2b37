// More walks than walk.test.ts takes. Two hundred without faults are
// `npm run sim -- --walk --calm --seeds 200`, and with faults the same without `--calm`.
import { amountOf } from '#test/support/optional.mjs';
import { range, shortWalks, walkSeeds } from './pass-seeds.ts';

const half = amountOf('long walks of edits') / 2;

const rest = (taken: number) => range(taken + 1, taken + half);
walkSeeds({ calm: rest(shortWalks.calm), faulty: rest(shortWalks.faulty) });
