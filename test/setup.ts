// Loaded before every test file (vitest.config.ts). `COPPICE_SEED=n` gives the property tests that
// seed, so that a failure found by `npm run deflake` can be repeated; without it every run draws
// anew. `COPPICE_PROPERTY_SEED=n` does that alone: tests of random histories take COPPICE_SEED for
// the one that is to be repeated. A second attempt, as CI gives one, takes the seed of the first:
// else it would draw other cases and hide the one that fails.
import { beforeEach } from 'vitest';

const name = process.env['COPPICE_SEED'] === undefined ? 'COPPICE_PROPERTY_SEED' : 'COPPICE_SEED';
const seed = process.env[name];

if (seed !== undefined) {
  if (!/^-?\d+$/.test(seed)) throw new Error(`${name} wants a whole number, not "${seed}"`);
  const { default: fc } = await import('fast-check');
  fc.configureGlobal({ seed: Number(seed) });
}

beforeEach(async ({ task }) => {
  const report = task.result?.errors?.at(-1)?.message ?? '';
  const [, failing] = /\{ seed: (-?\d+), path: /.exec(report) ?? [];
  if (failing === undefined) return undefined;
  const { default: fc } = await import('fast-check');
  const before = fc.readConfigureGlobal();
  fc.configureGlobal({ ...before, seed: Number(failing) });
  return () => fc.configureGlobal(before);
});
