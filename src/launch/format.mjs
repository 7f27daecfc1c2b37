// `npm run format [paths]`: the formatter, and after it the comments, which it leaves as they are.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { wrapComments } from './comments.mjs';
import { runInForeground } from './run.mjs';

const columns = 100;
const folders = ['machines', 'actors', 'bus', 'src', 'test', 'tools'];

const paths = process.argv.slice(2);
for (const path of globSync((paths.length > 0 ? paths : folders).flatMap(sourcesOf))) {
  const before = readFileSync(path, 'utf8');
  const after = wrapComments(before, columns);
  if (after !== before) writeFileSync(path, after);
}
process.exitCode = await runInForeground(process.execPath, [
  'node_modules/oxfmt/bin/oxfmt',
  ...(paths.length > 0 ? paths : ['.']),
]);

/**
 * A file as it is, a folder as its sources.
 * @param {string} path
 */
function sourcesOf(path) {
  return /\.(?:tsx?|mjs)$/.test(path) ? [path] : [`${path}/**/*.{ts,tsx,mjs}`];
}
