// `npm run watch [files]`: at every save, the tests that the change touches and the type check,
// side by side in one terminal until Ctrl-C.
import { runInForeground } from './run.mjs';

const tests = ['node_modules/vitest/vitest.mjs', 'watch', '--changed', ...process.argv.slice(2)];
const types = ['node_modules/typescript/bin/tsc', '-p', '.', '--watch', '--preserveWatchOutput'];

const codes = await Promise.all([
  runInForeground(process.execPath, tests),
  runInForeground(process.execPath, types),
]);
process.exitCode = codes.find((code) => code !== 0) ?? 0;
