// Runs attempts.ts as CI runs tests, for ../attempts.test.ts.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    retry: 1,
    include: ['test/ci/attempts/attempts.ts'],
    setupFiles: ['test/setup.ts'],
  },
});
