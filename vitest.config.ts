// How the tests run: sources as they are.
// `npm test` runs three projects. `unit` is what `npm run check` runs; its files share processes,
// which saves a third of the time (`npm run deflake` finds what leaks from one to the next).
// `simulated` runs days and histories on a virtual clock, in shared processes too. `system` runs
// servers, each file in a process of its own.
// `npm run test:long`, and CI after `npm test`, runs three more. `processes` starts what a user
// starts, on a cluster of its own for each file. `virtual` runs histories for minutes, on a virtual
// clock. `long` kills, stops and cuts off processes and says how soon the others act, one file at a
// time, after the others.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { isPlayedOnce } from './test/support/optional.mjs';

const folders = (names: readonly string[]) => names.map((name) => `test/${name}/**/*.test.ts`);
const files = (names: readonly string[]) => names.map((name) => `test/${name}.test.ts`);

/** A cluster, a server of NATS or an activator with its pods, within the test's own process. */
const served = folders([
  'activator/load',
  'conformance',
  'e2e/gangs',
  'e2e/kubectl',
  'e2e/sandboxes',
  'replay',
]);

/** The one process that is in `npm test`. */
const first = files(['e2e/process/controller']);

/** Runs for minutes beside the others. */
const soak = files(['activator/load/soak/soak']);

const processes = [
  ...soak,
  ...folders([
    'e2e/docs',
    'e2e/faults',
    'e2e/image',
    'e2e/plugin',
    'e2e/poison',
    'e2e/process',
    'e2e/stuck',
    'e2e/warmpools',
  ]),
  ...files(['bench/*/smoke', 'inspector/page/views']),
];

/** Start processes or servers, and wait for them. */
const serving = files([
  'activator/workers/threads',
  'admission/run',
  'admission/server',
  'admission/start',
  'bundle/sbom',
  'charts/helm',
  'ci/*',
  'client/page',
  'devcluster/https',
  'http/connections',
  'inspector/page/chromium',
  'inspector/page/connection',
  'inspector/page/gaps',
  'inspector/page/live',
  'inspector/http/*',
  'kube/connect/credentials',
  'kube/transport/exchange',
  'kube/transport/http',
  'launch/*',
  'natsserver/process',
  'questions/server',
  'tail/tail',
  'tracing/export',
]);

/** Make the kinds of a module known that nobody else has, or measure the heap, in which what others
 *  leave goes at any time. */
const alone = files([
  'activator/table/memory',
  'actors/supervision/statusless',
  'kube/watch/*labelled',
  'kube/watch/versions',
  'module/*',
]);

/** Days of the simulator and long histories, most drawn at random: no servers, but half of the time
 *  of all unit tests. */
const simulated = files([
  'sim/**/*',
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
  'machines/agentsandbox/tenants/*',
  'machines/deletion',
  'machines/histories',
  'machines/statuses',
  'machines/grove/podcliqueset/domains-walk',
  'machines/grove/scalinggroup/walk',
  'machines/storm',
]);

const long = files([
  'e2e/poison/process',
  'e2e/process/cliques-fail-over',
  'e2e/process/peers',
  'e2e/process/sharing',
  'e2e/process/sharing-faults',
]);

/** As long, but on a virtual clock: nothing in them depends on how fast the machine is. */
const virtual = files([
  'machines/agentsandbox/tenants/tenants-long',
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
]);

/** Runs by `npm run test:real` alone. */
const real = files(['e2e/faults/real', 'e2e/gangs/real', 'e2e/warmpools/real']);

/** On a slow machine in CI the real control plane alone plays these (.ci/stages.mjs). */
const playedTwice = files(['e2e/faults/long', 'e2e/warmpools/long']);
const left = isPlayedOnce ? playedTwice : [];

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

/** Processes wait for each other and for limits that are in production: histories fill the time. */
const besides = {
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  sequence: { groupOrder: 1 },
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
          exclude: [
            ...folders(['e2e']),
            ...served,
            ...processes,
            ...serving,
            ...alone,
            ...simulated,
            ...virtual,
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'system',
          include: [...served, ...first, ...serving, ...alone],
          exclude: [...long, ...real, ...soak],
        },
      },
      {
        test: {
          ...shared,
          name: 'simulated',
          isolate: false,
          include: simulated,
          exclude: virtual,
        },
      },
      { test: { ...shared, ...besides, name: 'virtual', isolate: false, include: virtual } },
      {
        test: {
          ...shared,
          ...besides,
          name: 'processes',
          include: processes,
          exclude: [...first, ...long, ...real, ...left],
        },
      },
      {
        test: {
          ...shared,
          name: 'long',
          include: long,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
