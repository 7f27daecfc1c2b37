// The same for 100,000 claims, of which tenants.test.ts takes the first.
import { describe, expect, it } from 'vitest';
import { passTenants } from './pass.ts';

const seeds = Array.from({ length: 1_000 }, (_, n) => n + 1);

describe('One of 100,000 claims', () => {
  it('has no Sandbox of another namespace, nor of another pool (S-18)', { timeout: 600_000 }, () => {
    expect(passTenants(seeds).claims).toBe(100_000);
  });
});
