// Loaded before every test file (vitest.config.ts). `COPPICE_SEED=n` gives the property tests that
// seed, so that a failure found by `npm run deflake` can be repeated; without it every run draws
// anew.
const seed = process.env['COPPICE_SEED'];

if (seed !== undefined) {
  if (!/^\d+$/.test(seed)) throw new Error(`COPPICE_SEED wants a whole number, not "${seed}"`);
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(seed) });
}
