// `npm run surface`: writes the checked-in texts anew. The diff is the change of the public
// surface; look at it before it is committed. What Helm renders of the chart is among them, where
// Helm is built.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#test/tidy/sources.ts';
import { installFiles } from '#test/charts/install.ts';
import { unbuilt } from '#test/cluster/chart.ts';
import { surfaceFiles } from './files.ts';

const notHere = unbuilt('helm');
if (notHere !== '') console.log(`without charts/install.yaml${notHere}`);

const files = { ...(await surfaceFiles()), ...(notHere === '' ? await installFiles() : {}) };
for (const [path, text] of Object.entries(files)) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${before === undefined ? 'new    ' : 'changed'} ${path}`);
}
