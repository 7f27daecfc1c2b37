// The tests on the real control plane: `npm run test:real`. A cluster for each worker, started by
// global-setup.ts; without its binaries every test is skipped with the reason.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SideBySide } from '../../conformance/side-by-side.ts';
import { workers } from './workers.ts';

const here = 'test/e2e/real';
const crds = `${here}/crds.test.ts`;

const longest = [
  'e2e/faults/real.test.ts',
  'e2e/real/chaos.test.ts',
  'conformance/cluster/real.test.ts',
  'e2e/gangs/real.test.ts',
  'e2e/warmpools/real.test.ts',
];

/** In CI `npm test` has done that already; here both stand side by side in the report. */
const embeddedToo = process.env['CI'] === undefined ? '*' : 'real';

/** Each worker has a cluster of its own, which its files share. Those that take minutes come first,
 *  so that no worker is left with one of them at the end; the others by name, so that the order is
 *  the same everywhere, however long each took here the last time. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? longest.length : index;
    };
    return files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

const shared = {
  // On a noisy machine in CI a test gets a second attempt, and the log says so.
  retry: process.env['CI'] === undefined ? 0 : 1,
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  pool: 'forks' as const,
  setupFiles: ['test/setup.ts', `${here}/on-failure.ts`],
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

export default defineConfig({
  test: {
    root: shared.root,
    reporters: ['default', new SideBySide()],
    globalSetup: [`${here}/global-setup.ts`],
    teardownTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'real',
          include: [
            `${here}/*.test.ts`,
            `test/conformance/{cluster,kubectl}/${embeddedToo}.test.ts`,
            'test/e2e/faults/real.test.ts',
            'test/e2e/gangs/real.test.ts',
            'test/e2e/warmpools/real.test.ts',
          ],
          exclude: [crds],
          maxWorkers: workers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Last: it takes the CRDs away.
        test: { ...shared, name: 'bare', include: [crds], sequence: { groupOrder: 1 } },
      },
    ],
  },
});
