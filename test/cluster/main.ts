// `npm run cluster -- build | up | down | status`: the real control plane for tests and benchmarks.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build, CannotBuild, missing } from './build.ts';
import { isAlive } from './processes.ts';
import { binaries, binaryPath, cacheFolder } from './recipe.ts';
import { conditionOf } from './state.ts';
import { down, up } from './up.ts';

const usage = `Usage: npm run cluster -- COMMAND
  build                       build the binaries that are missing (needs Go; minutes the first time);
                              ends with 75 where this machine cannot
  up [--nodes N] [--port P] [--dir D] [--audit] [--scheduler-qps Q] [--scheduler-burst B]
     [--manager-qps Q] [--manager-burst B]
  down [--dir D]
  status [--dir D]`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: 'string', default: '100' },
    port: { type: 'string', default: '0' },
    dir: { type: 'string', default: `${cacheFolder}/run` },
    audit: { type: 'boolean', default: false },
    'scheduler-qps': { type: 'string' },
    'scheduler-burst': { type: 'string' },
    'manager-qps': { type: 'string' },
    'manager-burst': { type: 'string' },
  },
});

const folder = resolve(values.dir);

/** EX_TEMPFAIL of sysexits(3): for scripts that go on without the binaries. */
const cannotBuild = 75;

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
      say(usage);
      process.exitCode = 1;
  }
}

function status(): void {
  const absent = new Set(missing());
  for (const binary of binaries) {
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

await run(positionals[0]).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof CannotBuild ? cannotBuild : 1;
});
