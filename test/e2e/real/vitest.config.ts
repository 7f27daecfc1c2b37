// The tests on the real control plane: `npm run test:real`. One cluster for all of them, started by
// global-setup.ts, so one file at a time; without its binaries every test is skipped with the
// reason.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SideBySide } from '../../conformance/side-by-side.ts';

export default defineConfig({
  test: {
    name: 'real',
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    reporters: ['default', new SideBySide()],
    pool: 'forks',
    fileParallelism: false,
    include: ['test/e2e/real/*.test.ts', 'test/conformance/{cluster,kubectl}/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    globalSetup: ['test/e2e/real/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
