// The probe of the pod: asks IMEX whether it is ready. Its whole answer has to be `READY` and a
// line feed (spec compute-domain 3.5); what else it says is passed on, for `kubectl describe`.
import { execFile } from 'node:child_process';
import { exitCodes } from '#src/cli/commands.ts';
import { AgentSetupError, readCheckSettings } from './settings.ts';

/** Below the limit of the probe, so that a frozen IMEX is told by us (HC-69). */
const limitMs = 9_000;

const ready = 'READY\n';

/** Resolves with the exit code. */
export async function checkCliqueAgent(): Promise<number> {
  try {
    const { cliqueID, command } = readCheckSettings(process.env);
    if (cliqueID === '') {
      process.stdout.write('check succeeded (noop, clique ID is empty)\n');
      return exitCodes.ok;
    }
    const problem = await problemOf(command);
    process.stdout.write(problem === undefined ? ready : `not ready: ${problem}\n`);
    return problem === undefined ? exitCodes.ok : exitCodes.usage;
  } catch (error) {
    if (!(error instanceof AgentSetupError)) throw error;
    process.stdout.write(`${error.message}\n`);
    return exitCodes.configuration;
  }
}

const problemOf = ([program = '', ...args]: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const options = { timeout: limitMs, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout === ready ? undefined : JSON.stringify(stdout));
      const said = `${stdout}${stderr}`.trim();
      const why = error.killed === true ? `no answer within ${limitMs} ms` : error.message;
      resolve(said === '' || why.includes(said) ? why : `${why}: ${said}`);
    });
  });
