// What an installation downloads and runs, by the lockfile: packages of a registry with the hash of
// each, no scripts, and few of them in what ships.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, object, text } from '#machines/kubernetes/json.ts';
import { root } from './sources.ts';

const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const entries = Object.entries(object(at(lock, 'packages'))).filter(([path]) => path !== '');

/** Scripts that nobody runs, as all installations leave them out, and why nobody misses them. */
const scripted: Readonly<Record<string, string>> = {
  'node_modules/vitepress/node_modules/esbuild': 'fetches its binary, which a package brings too',
};

/** Binaries of other platforms that npm knew no hash of when the lockfile was written: tools of
 *  development, none of which is on the platform of CI. */
const isUnknown = /^node_modules\/@(?:oxfmt|oxlint|oxlint-tsgolint)\//;

describe('The lockfile', () => {
  it('has a hash of every package, and names no place to have it from (S-16)', () => {
    expect(at(lock, 'lockfileVersion')).toBe(3);
    const bare = entries.filter(([, entry]) => !text(at(entry, 'integrity')).startsWith('sha512-'));
    const isTolerable = ([path, entry]: (typeof bare)[number]): boolean =>
      isUnknown.test(path) && at(entry, 'optional') === true && at(entry, 'dev') === true;
    expect(bare.filter((one) => !isTolerable(one)).map(([path]) => path)).toEqual([]);
    const placed = entries.filter(
      ([, entry]) => at(entry, 'resolved') !== undefined || at(entry, 'link') === true,
    );
    expect(placed.map(([path]) => path)).toEqual([]);
    const unpinned = entries.filter(
      ([, entry]) => !/^\d+\.\d+\.\d+/.test(text(at(entry, 'version'))),
    );
    expect(unpinned.map(([path]) => path)).toEqual([]);
  });

  it('needs no script of a package on installation (S-16)', () => {
    const all = entries.filter(([, entry]) => at(entry, 'hasInstallScript') === true);
    expect(all.map(([path]) => path)).toEqual(Object.keys(scripted));
    expect(readFileSync(join(root, 'src/launch/install.mjs'), 'utf8')).toContain(
      '--ignore-scripts',
    );
  });
});
