// `npm run watch [files]`: at every save, the tests that the change touches and the type check,
// side by side in one terminal until Ctrl-C.
import { runInForeground } from './run.mjs';

const tests = ['src/launch/vitest.mjs', 'watch', '--changed', ...process.argv.slice(2)];
const types = ['node_modules/typescript/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput'];

// The test runner takes the keyboard, so Ctrl-C reaches it alone: when one ends, so does the other.
const both = new AbortController();

/**
 * @param {readonly string[]} args
 * @param {NodeJS.Signals} stopBy
 */
async function run(args, stopBy) {
  const code = await runInForeground(process.execPath, args, { stop: both.signal, stopBy });
  both.abort();
  return code;
}

// The compiler hears a SIGTERM only after its first check, half a minute later; it has nothing to
// put in order. The test runner has the terminal.
const [code] = await Promise.all([run(tests, 'SIGTERM'), run(types, 'SIGKILL')]);
process.exitCode = code;
