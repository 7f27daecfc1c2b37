// How the tests run: sources as they are, one process per file. Project `unit` is what `npm run
// check` runs, `system` starts processes, servers or long simulations; `npm test` runs both.
import { defineConfig } from 'vitest/config';

const slow = ['conformance', 'process', 'replay', 'sim'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const shared = {
  pool: 'forks' as const,
  setupFiles: ['test/setup.ts'],
  testTimeout: 20_000,
  hookTimeout: 30_000,
};

export default defineConfig({
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', ...slow],
        },
      },
      { test: { ...shared, name: 'system', include: slow } },
    ],
  },
});
