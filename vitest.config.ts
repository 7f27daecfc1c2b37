// How the tests run: sources as they are. Project `unit` is what `npm run check` runs; its files
// share processes, which saves a third of the time (`npm run deflake` finds what leaks from one to
// the next).
// `system` runs processes, servers or long simulations, one process per file. `npm test` runs both.
// `virtual` runs histories for minutes, on a virtual clock; `long` kills, stops, measures and cuts
// off processes for minutes: `npm run test:long` runs both, and CI does after `npm test`.
import { defineConfig } from 'vitest/config';

const slow = [
  'conformance',
  'e2e/faults',
  'e2e/gangs',
  'e2e/kubectl',
  'e2e/plugin',
  'e2e/poison',
  'e2e/process',
  'e2e/sandboxes',
  'e2e/warmpools',
  'replay',
  'sim',
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Start processes or servers, and wait for them. */
const serving = [
  'admission/server',
  'admission/start',
  'charts/helm',
  'bench/claims/smoke',
  'bench/cliques/smoke',
  'bench/viewers/smoke',
  'ci/*',
  'devcluster/https',
  'http/connections',
  'inspector/page/live',
  'inspector/page/views',
  'inspector/http/*',
  'kube/connect/credentials',
  'kube/transport/exchange',
  'kube/transport/http',
  'launch/*',
  'natsserver/process',
  'questions/server',
  'tail/tail',
].map((name) => `test/${name}.test.ts`);

/** Make the kinds of a module known that nobody else has. */
const alone = [
  'actors/supervision/statusless',
  'kube/watch/labelled',
  'kube/watch/versions',
  'module/*',
].map((name) => `test/${name}.test.ts`);

/** Long histories, most drawn at random: no servers, but half of the time of all unit tests. */
const histories = [
  'actors/shards/lease/storm',
  'admission/certificates/keeper',
  'admission/walk',
  'bus/codec',
  'devcluster/controllers/faults',
  'devcluster/controllers/pods',
  'devcluster/gang-scenarios',
  'machines/agentsandbox/sandbox/history',
  'machines/grove/claims/walk',
  'machines/grove/golden/golden',
  'machines/deletion',
  'machines/histories',
  'machines/statuses',
  'machines/grove/podcliqueset/domains-walk',
  'machines/grove/scalinggroup/walk',
  'machines/storm',
].map((name) => `test/${name}.test.ts`);

const long = [
  'e2e/faults/long',
  'e2e/poison/poison',
  'e2e/poison/process',
  'e2e/process/bench',
  'e2e/process/cliques-fail-over',
  'e2e/process/crashes',
  'e2e/process/inspector-many',
  'e2e/process/leftovers',
  'e2e/process/peers',
  'e2e/process/sharing',
  'e2e/process/sharing-faults',
  'e2e/warmpools/long',
].map((name) => `test/${name}.test.ts`);

/** As long, but on a virtual clock: nothing in them depends on how fast the machine is. */
const virtual = [
  'machines/grove/rollout/six-edits',
  'sim/crash/crash-each*',
  'sim/seeds/cliques-long',
  'sim/seeds/pools-long',
  'sim/seeds/kai',
  'sim/seeds/losses-long',
  'sim/planted/planted',
  'sim/seeds/restored',
  'sim/seeds/seeds-long',
  'sim/seeds/updates-long',
  'sim/seeds/walk-long',
].map((name) => `test/${name}.test.ts`);

/** Runs by `npm run test:real` alone. */
const real = ['faults', 'gangs', 'warmpools'].map((name) => `test/e2e/${name}/real.test.ts`);

/** On a noisy machine in CI a test gets a second attempt, and the log says so. */
const retry = process.env['CI'] === undefined ? 0 : 1;

const shared = {
  retry,
  pool: 'forks' as const,
  setupFiles: ['test/setup.ts'],
  // Against what hangs: how fast something is, no test says (docs/benchmarks.md does), and the
  // machine may be ten times as slow as the one on which it was written.
  testTimeout: 90_000,
  hookTimeout: 90_000,
};

export default defineConfig({
  test: {
    reporters: ['default'],
    // By default one core stays idle, which with two is half of the time.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', ...slow, ...serving, ...alone, ...histories, ...virtual],
        },
      },
      {
        test: {
          ...shared,
          name: 'system',
          include: [...slow, ...serving, ...alone, ...histories],
          exclude: [...long, ...virtual, ...real],
        },
      },
      { test: { ...shared, name: 'virtual', include: virtual } },
      // One file at a time, after the others: some of them measure how long things take.
      {
        test: {
          ...shared,
          name: 'long',
          include: long,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
