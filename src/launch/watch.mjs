// `npm run watch [files]`: at every save, the tests that the change touches and the type check,
// side by side in one terminal until Ctrl-C.
import { runInForeground } from './run.mjs';

const tests = ['src/launch/vitest.mjs', 'watch', '--changed', ...process.argv.slice(2)];
const types = ['node_modules/typescript/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput'];

// The test runner takes the keyboard, so Ctrl-C reaches it alone: when one ends, so does the other.
const stop = new AbortController();
const codes = await Promise.all(
  [tests, types].map(async (args) => {
    const code = await runInForeground(process.execPath, args, { stop: stop.signal });
    stop.abort();
    return code;
  }),
);
process.exitCode = codes[0] ?? 0;
