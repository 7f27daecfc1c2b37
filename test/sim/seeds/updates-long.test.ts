// More days with edits of templates than updates.test.ts takes: half of a hundred, since those with
// lost nodes (losses-long.test.ts) have the same edits.
import { amountOf } from '#test/support/optional.mjs';
import { passSeeds, range, shortUpdateDays } from './pass-seeds.ts';

passSeeds(range(shortUpdateDays + 1, amountOf('simulated days') / 2), 'updates');
