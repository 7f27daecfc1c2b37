// The command lines of the real control plane: every port that a process listens on is known, so
// that it is started again only when they are free.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLines, portsOf } from './commands.ts';
import { writeCredentials } from './credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('The ports of a command line', () => {
  it('are those that the process listens on, not those that it calls', async () => {
    const lines = commandLines({
      folder,
      port: 1,
      ports: { etcd: 2, peer: 3, manager: 4, scheduler: 5 },
      dataFolder: join(folder, 'data'),
      credentials: await writeCredentials(folder, 1),
      audit: true,
      isStrict: false,
      hasRoles: false,
      hasGangs: false,
      hasPlainStorage: false,
    });
    expect(Object.entries(lines).map(([name, args]) => [name, portsOf(args)])).toEqual([
      ['etcd', [2, 3]],
      ['kube-apiserver', [1]],
      ['kube-controller-manager', [4]],
      ['kube-scheduler', [5]],
      ['kwok', []],
    ]);
  });
});
