// The comparison that decides whether npm is called before a command.
import { describe, expect, it } from 'vitest';
import { compareLocks } from '#src/launch/lockfile.mjs';

const linux = { os: 'linux', cpu: 'x64', libc: 'glibc' };

describe('compareLocks', () => {
  it('finds nothing where everything is installed', () => {
    const entries = { '': { version: '1' }, 'node_modules/a': { version: '1.0.0' } };
    expect(compareLocks(entries, entries, linux)).toEqual({ wrong: [], skipped: [] });
  });

  it('names a package that is missing or of another version', () => {
    const locked = {
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0' },
    };
    const installed = { 'node_modules/b': { version: '1.9.9' } };
    expect(compareLocks(locked, installed, linux).wrong).toEqual([
      'node_modules/a',
      'node_modules/b',
    ]);
  });

  it('calls an optional package skipped only where it is for this platform', () => {
    const optional = { version: '1.0.0', optional: true };
    const locked = {
      'node_modules/here': { ...optional, os: ['linux'], cpu: ['x64'] },
      'node_modules/text': { ...optional, os: 'linux', cpu: 'x64' },
      'node_modules/elsewhere': { ...optional, os: ['darwin'] },
      'node_modules/musl': { ...optional, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
      'node_modules/excluded': { ...optional, os: ['!linux'] },
      'node_modules/anywhere-else': { ...optional, os: ['!win32'] },
      'node_modules/dependency-of-an-optional-one': optional,
    };
    expect(compareLocks(locked, {}, linux)).toEqual({
      wrong: [],
      skipped: ['node_modules/here', 'node_modules/text', 'node_modules/anywhere-else'],
    });
  });
});
