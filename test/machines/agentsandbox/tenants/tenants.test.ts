// Claims and pools of several namespaces with the same names, some of them forged: who gets what.
// tenants-long.test.ts runs more of them.
import { describe, expect, it } from 'vitest';
import { passTenants } from './pass.ts';

const only = process.env['COPPICE_SEED'];
const seeds = only === undefined ? Array.from({ length: 20 }, (_, n) => n + 1) : [Number(only)];

describe('A claim', () => {
  it('never has a Sandbox of another namespace, nor of another pool (S-18)', () => {
    const { claims, warm, cold } = passTenants(seeds);
    // A check that never judges finds nothing.
    expect(warm).toBeGreaterThan(claims / 10);
    expect(cold).toBeGreaterThan(claims / 10);
  });
});
