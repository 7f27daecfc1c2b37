// The tests on the real control plane: `npm run test:real`. One cluster for all of them, started by
// global-setup.ts; without its binaries every test is skipped with the reason.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SideBySide } from '../../conformance/side-by-side.ts';

const here = 'test/e2e/real';
const nodes = `${here}/nodes.test.ts`;
const crds = `${here}/crds.test.ts`;
const chaos = `${here}/chaos.test.ts`;

/** Files share one cluster: by name, so that what one leaves to the next is the same everywhere,
 *  and not by how long each took here the last time. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
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
    sequence: { sequencer: ByName },
    projects: [
      {
        // Side by side: they mostly wait, for the server to forget, for lost nodes and for the end
        // of a day, which has a control plane of its own. On the shared one a controller runs for
        // one of them only.
        test: {
          ...shared,
          name: 'patient',
          include: [chaos, nodes, 'test/conformance/cluster/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'real',
          include: [
            `${here}/*.test.ts`,
            'test/conformance/kubectl/*.test.ts',
            'test/e2e/faults/real.test.ts',
            'test/e2e/gangs/real.test.ts',
            'test/e2e/warmpools/real.test.ts',
          ],
          exclude: [chaos, nodes, crds],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Last: it takes the CRDs away.
        test: { ...shared, name: 'bare', include: [crds], sequence: { groupOrder: 2 } },
      },
    ],
  },
});
