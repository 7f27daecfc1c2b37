// The same for 10,000 claims, of which tenants.test.ts takes the first; `COPPICE_SEEDS=5000` runs
// 100,000.
import { describe, expect, it } from 'vitest';
import { amountOf } from '#test/support/optional.mjs';
import { passTenants } from './pass.ts';

const count = Number(process.env['COPPICE_SEEDS'] ?? amountOf('seeds of tenants'));
const seeds = Array.from({ length: count }, (_, n) => n + 1);
const patient = { timeout: 3_600_000 };

describe('One of 10,000 claims', () => {
  it('has no Sandbox of another namespace, nor of another pool (S-18)', patient, () => {
    expect(passTenants(seeds).claims).toBe(20 * count);
  });
});
