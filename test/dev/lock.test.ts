// The lock of a data folder: held by a living process, taken over from a dead one.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '#src/dev/lock.ts';
import { identityOf } from '#src/natsserver/processes.ts';

describe('The lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const file = (): string => join(folder, 'coppice.lock');

  test('is given once, names its holder to others, and is gone when released', () => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(
      `${folder} is in use by another coppice dev (pid ${process.pid}): ` +
        'stop it, or choose another folder with --data',
    );
    release();
    expect(readdirSync(folder)).toEqual([]);
    lockFolder(folder)();
  });

  test('is taken over from a process that was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const pid = child.pid ?? 0;
    writeFileSync(file(), JSON.stringify({ pid, identity: identityOf(pid) }));
    expect(() => lockFolder(folder)).toThrow(`pid ${pid}`);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    lockFolder(folder);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('is taken over where the pid went to another process meanwhile', () => {
    writeFileSync(file(), JSON.stringify({ pid: process.pid, identity: 'of an earlier one' }));
    lockFolder(folder)();
  });

  test.each(['', '{', '[]', '{"pid":"1"}', '{"pid":1,"identity":""}'])(
    'is taken over where it says nothing that makes sense: %j',
    (content) => {
      writeFileSync(file(), content);
      lockFolder(folder);
      expect(readdirSync(folder)).toEqual(['coppice.lock']);
    },
  );
});
