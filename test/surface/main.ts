// `npm run surface`: writes the checked-in texts anew. The diff is the change of the public
// surface; look at it before it is committed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#test/tidy/sources.ts';
import { surfaceFiles } from './files.ts';

for (const [path, text] of Object.entries(await surfaceFiles())) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === text) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${before === undefined ? 'new    ' : 'changed'} ${path}`);
}
