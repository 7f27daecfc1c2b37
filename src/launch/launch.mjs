// The door to every npm script: `node src/launch/launch.mjs <command> [arguments]`. Works in a
// fresh clone and under Node 20: installs what is missing, chooses the Node, and runs the command
// under it with that Node first on the PATH. Plain JavaScript, because old Nodes cannot strip
// types.
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commands } from './commands.mjs';
import { nodeEnvironment, nodeFlags } from './flags.mjs';
import { LaunchError, prepare } from './install.mjs';
import { watchParent } from './parent.mjs';
import { runInForeground } from './run.mjs';
import { answerFor } from './usage.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** What was compiled once need not be again: a process from the sources starts in half the time.
 *  Not for a benchmark: it measures how a process starts that has nothing of the kind. */
const compiled = { NODE_COMPILE_CACHE: join(root, '.cache', 'compiled') };

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function launch(name, args) {
  const command = commands[name];
  if (command === undefined) {
    const known = Object.keys(commands).join(', ');
    throw new LaunchError(`no command "${name}"; the commands are ${known}.`);
  }
  const answer = answerFor(name, args);
  if (answer !== undefined) {
    (answer.isError ? console.error : console.log)(answer.text);
    return answer.isError ? 2 : 0;
  }
  const node = prepare(root);
  // Only under npm: somebody who starts this in the background of a shell wants it to stay.
  if (process.env['npm_lifecycle_event'] !== undefined) {
    watchParent(() => process.kill(process.pid, 'SIGTERM'));
  }
  const path = `${dirname(node.path)}${delimiter}${process.env['PATH'] ?? ''}`;
  const [script = '', ...fixed] = command;
  const isProduct = script === 'src/main.ts';
  const flags = isProduct ? nodeFlags : [];
  return runInForeground(node.path, [...flags, join(root, script), ...fixed, ...args], {
    // Paths in arguments are meant from where the person stands; npm says where that is. Tests and
    // tools look for their configuration in the checkout.
    cwd: isProduct ? (process.env['INIT_CWD'] ?? process.cwd()) : root,
    env: {
      ...(isProduct ? nodeEnvironment : {}),
      ...(name === 'bench' ? {} : compiled),
      ...process.env,
      PATH: path,
    },
  });
}

try {
  process.exitCode = await launch(process.argv[2] ?? '', process.argv.slice(3));
} catch (error) {
  if (!(error instanceof LaunchError)) throw error;
  console.error(`coppice: ${error.message}`);
  process.exitCode = 1;
}
