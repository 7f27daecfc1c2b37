// The generated texts are what is checked in: a change of what the code says to people is a change
// of a text that somebody reads.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '#test/tidy/sources.ts';
import { surfaceFiles } from './files.ts';

it.each(Object.entries(await surfaceFiles()))(
  '%s is what `npm run surface` writes',
  (path, text) => {
    const file = join(root, path);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'not there').toBe(text);
  },
);
