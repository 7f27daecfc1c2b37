// The cluster tool itself (test/cluster): several side by side, one that was killed half way, and
// nothing left behind by any.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { transportOf } from '#test/cluster/client.ts';
import { processesIn } from '#test/cluster/processes.ts';
import { conditionOf, dataFoldersOf, readState } from '#test/cluster/state.ts';
import { down, up } from '#test/cluster/up.ts';
import { eventually } from '#test/support/eventually.ts';
import { describeReal } from './stage.ts';

const main = 'test/cluster/main.ts';
const small = { port: 0, nodes: 2 };

/** Folder, data folder and processes that a cluster left. */
const traces = (folder: string): readonly unknown[] => [
  ...[folder, ...dataFoldersOf(folder)].filter((path) => existsSync(path)),
  ...processesIn(folder),
];

describeReal('The real cluster', (at) => {
  const place = (name: string): string => join(at().folder, name);

  const takeAllDown = async (): Promise<void> => {
    for (const name of ['one', 'two', 'three', 'four']) await down(place(name));
  };
  afterAll(takeAllDown);

  test('runs beside another, each with its own ports, and goes without a trace', async () => {
    // A second attempt begins anew.
    await takeAllDown();
    const [one, two] = await Promise.all(
      ['one', 'two'].map((name) => up({ ...small, folder: place(name), audit: name === 'two' })),
    );
    expect(one?.port).not.toBe(two?.port);
    for (const state of [one, two]) {
      const client = await transportOf(state?.kubeconfig ?? '');
      const nodes = await client.request({ method: 'GET', path: '/api/v1/nodes' });
      expect((nodes.body as { items: unknown[] }).items).toHaveLength(2);
      await client.close();
    }
    expect(existsSync(join(place('one'), 'audit.log'))).toBe(false);
    expect(readFileSync(join(place('two'), 'audit.log'), 'utf8')).toContain('"resource":"nodes"');
    await down(place('one'));
    expect(traces(place('one'))).toEqual([]);
    expect(conditionOf(place('two')).is).toBe('running');
  });

  test('refuses a folder in which one runs, and a port that is taken', async () => {
    await expect(up({ ...small, folder: place('two') })).rejects.toThrow(
      /^a cluster runs in .*two on port \d+: take it down first/,
    );
    const { port } = readState(place('two')) ?? { port: 0 };
    await expect(up({ ...small, folder: place('three'), port })).rejects.toThrow(
      `port ${port} is taken; choose another with --port`,
    );
    expect(traces(place('three'))).toEqual([]);
  });

  test('with a process missing is called stale, and is replaced by the next', async () => {
    const folder = place('two');
    const before = readState(folder);
    process.kill(before?.processes.find(({ name }) => name === 'kube-scheduler')?.pid ?? 0, 9);
    await eventually(
      'stale',
      () => conditionOf(folder).is,
      (is) => is === 'stale',
    );
    expect(conditionOf(folder)).toMatchObject({ gone: ['kube-scheduler'] });
    const status = at().run(process.execPath, [main, 'status', '--dir', folder]);
    await status.line(/^stale: kube-scheduler ended; "down" takes the rest away/);
    expect((await status.ended).code).toBe(1);
    const after = await up({ ...small, folder });
    expect(after.processes.map(({ pid }) => pid)).not.toEqual(before?.processes.map((p) => p.pid));
    await down(folder);
    expect(traces(folder)).toEqual([]);
  });

  test.each([50, 400, 900, 1800])(
    'whose starter is killed after %i ms is taken away whole',
    async (ms) => {
      const folder = place('four');
      const starter = at().run(process.execPath, [main, 'up', '--nodes', '2', '--dir', folder]);
      await eventually(
        'begun',
        () => existsSync(join(folder, 'cluster.json')),
        (yes) => yes,
      );
      await at().idle(ms);
      await expect(down(folder)).rejects.toThrow(`is being started in ${folder} by process`);
      await starter.kill();
      expect(conditionOf(folder).is).toBe('stale');
      await down(folder);
      expect(traces(folder)).toEqual([]);
    },
  );

  test('is not made in a folder with files of others, and none of them is removed', async () => {
    const folder = place('foreign');
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine'), '');
    await expect(up({ ...small, folder })).rejects.toThrow(
      `${folder} is not empty (mine): name another folder with --dir`,
    );
    await down(folder);
    expect(existsSync(join(folder, 'mine'))).toBe(true);
  });
});
