// The claim on a data directory: who made it, who may end it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identityOf } from '#src/natsserver/processes.ts';
import { claim, release, takeOver } from '#src/natsserver/stale.ts';
import { temporaryFolder } from '#test/support/nats.ts';

describe('a claim on a data directory', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());
  const isClaimed = () => existsSync(join(folder.path, 'nats-server.pid.json'));

  it('is ended for its server alone, not for one that came before', () => {
    claim(folder.path, process.pid);
    release(folder.path, process.ppid);
    expect(isClaimed()).toBe(true);
    release(folder.path, process.pid);
    expect(isClaimed()).toBe(false);
  });

  it('keeps others out while server and owner live', async () => {
    claim(folder.path, process.pid);
    await expect(takeOver(folder.path, 1_000)).rejects.toMatchObject({ reason: 'in-use' });
  });

  it('is void when its server is gone', async () => {
    claim(folder.path, 4_194_303);
    await takeOver(folder.path, 1_000);
    expect(isClaimed()).toBe(false);
  });
});

describe('the identity of a process', () => {
  it('is the same as long as it lives, and there is none for a pid without a process', () => {
    expect(identityOf(process.pid)).toBe(identityOf(process.pid));
    expect(identityOf(process.pid)).not.toBe('');
    expect(identityOf(4_194_303)).toBeUndefined();
  });
});
