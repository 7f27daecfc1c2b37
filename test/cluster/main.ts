// `npm run cluster -- build | up | down | status`: the real control plane for tests and benchmarks.
import { resolve } from 'node:path';
import { flagsOrEnd } from '#test/support/flags.ts';
import { build, missing, NoGo } from './build.ts';
import { isAlive } from './processes.ts';
import { binaries, binaryPath, cacheFolder, releaseNames, useKubernetes } from './recipe.ts';
import { conditionOf } from './state.ts';
import { down, up } from './up.ts';

const usage = `Usage: npm run cluster -- COMMAND [FLAGS]
  build     build the binaries that are missing (needs Go; minutes the first time); ends with 75
            where there is no Go
  up        start etcd, kube-apiserver, controller manager, scheduler and KWOK
  down      stop them and remove what they wrote
  status    say what is built and what runs`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const { values, positionals } = flagsOrEnd(
  usage,
  {
    nodes: { type: 'string', value: 'N', default: '100', about: 'up: simulated nodes (100)' },
    port: { type: 'string', value: 'N', default: '0', about: 'up: of the API server; 0: any' },
    dir: {
      type: 'string',
      value: 'DIR',
      default: `${cacheFolder}/run`,
      about: 'what runs is told apart by its folder',
    },
    kubernetes: {
      type: 'string',
      value: 'X.Y',
      about: `build, up: ${releaseNames.join(' or ')}, else that of COPPICE_KUBERNETES (${releaseNames[0]})`,
    },
    audit: { type: 'boolean', default: false, about: 'up: log every request' },
    'scheduler-qps': { type: 'string', value: 'N', about: 'up: requests a second' },
    'scheduler-burst': { type: 'string', value: 'N', about: 'up: requests at once' },
    'manager-qps': { type: 'string', value: 'N', about: 'up: requests a second' },
    'manager-burst': { type: 'string', value: 'N', about: 'up: requests at once' },
  },
  true,
);

const folder = resolve(values.dir);

/** EX_TEMPFAIL of sysexits(3): for scripts that go on without the binaries. */
const noGo = 75;

const limit = (
  qps: string | undefined,
  burst: string | undefined,
): { qps: number; burst: number } | undefined =>
  qps === undefined ? undefined : { qps: Number(qps), burst: Number(burst ?? qps) };

async function run(command: string | undefined): Promise<void> {
  switch (command) {
    case 'build':
      return build(say);
    case 'up': {
      const begun = performance.now();
      if (conditionOf(folder).is === 'stale') say(`takes away a stale cluster in ${folder}`);
      const state = await up({
        folder,
        port: Number(values.port),
        nodes: Number(values.nodes),
        audit: values.audit,
        schedulerLimit: limit(values['scheduler-qps'], values['scheduler-burst']),
        managerLimit: limit(values['manager-qps'], values['manager-burst']),
      });
      say(`up in ${((performance.now() - begun) / 1000).toFixed(1)} s with ${state.nodes} nodes`);
      return say(`export KUBECONFIG=${state.kubeconfig}`);
    }
    case 'down':
      await down(folder);
      return say(`nothing runs in ${folder}`);
    case 'status':
      return status();
    default:
      process.stderr.write(`no command "${command ?? ''}"\n${usage}\n`);
      process.exitCode = 2;
  }
}

function status(): void {
  const absent = new Set(missing());
  for (const binary of binaries()) {
    say(
      `${binary.name.padEnd(26)} ${binary.version.padEnd(8)} ${absent.has(binary) ? 'not built' : binaryPath(binary)}`,
    );
  }
  const condition = conditionOf(folder);
  if (condition.is === 'absent') return say(`no cluster in ${folder}`);
  const { state } = condition;
  for (const row of state.processes) {
    say(`${row.name.padEnd(26)} pid ${row.pid} ${isAlive(row) ? 'running' : 'gone'}`);
  }
  if (condition.is === 'stale') {
    say(`stale: ${condition.gone.join(', ')} ended; "down" takes the rest away`);
    process.exitCode = 1;
  } else {
    say(`${condition.is} on port ${state.port}, KUBECONFIG=${state.kubeconfig}`);
  }
}

async function main(): Promise<void> {
  if (values.kubernetes !== undefined) useKubernetes(values.kubernetes);
  await run(positionals[0]);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof NoGo ? noGo : 1;
});
