// What is seen of a clique: by the benchmark's own watcher in every persisted version, and by one
// daemon in the newest that it knows.
import { describe, expect, test } from 'vitest';
import { cliqueName, type CliqueKey, type Row } from './clique.ts';
import { View } from './daemons/view.ts';
import { Watcher } from './watcher.ts';

const key: CliqueKey = { namespace: 'dra', domainUid: 'uid', cliqueId: 'q.0', size: 2 };

const row = (nodeName: string, index: number, status: Row['status'] = 'NotReady'): Row => ({
  nodeName,
  ipAddress: `10.0.0.${nodeName}`,
  cliqueID: 'q.0',
  index,
  status,
});

const version = (resourceVersion: number, ...daemons: readonly Row[]) => ({
  metadata: { name: cliqueName(key), resourceVersion: String(resourceVersion) },
  daemons,
});

const domain = (status: string, nodes: number) => ({
  metadata: { name: 'domain-0' },
  status: { status, nodes: Array.from({ length: nodes }, () => ({})) },
});

function watching() {
  let now = 0;
  const watcher = new Watcher([key], new Map([['domain-0', 2]]), () => ++now);
  return { watcher, seen: () => watcher.seen.get(cliqueName(key)) };
}

describe('The watcher', () => {
  test('counts shared and impossible indices, and moves of rows', () => {
    const { watcher, seen } = watching();
    watcher.clique(version(1, row('1', 0), row('2', 0)));
    watcher.clique(version(2, row('1', 0, 'Ready'), row('2', 18)));
    watcher.clique(version(3, row('1', 3), row('2', 18)));
    expect(seen()).toEqual({ versions: 3, shared: 1, outOfRange: 2, moved: 2, movedLive: 1 });
  });

  test('knows when a table was complete, ready and in the status of its domain', async () => {
    const { watcher, seen } = watching();
    watcher.clique(version(1, row('1', 0)));
    watcher.clique(version(2, row('1', 0), row('2', 1)));
    watcher.clique(version(3, row('1', 0, 'Ready'), row('2', 1, 'Ready')));
    expect(seen()).toMatchObject({ uniqueMs: 1, joinVersions: 2, readyMs: 2, moved: 0 });
    watcher.domain(domain('NotReady', 2));
    watcher.domain(domain('Ready', 1));
    expect(watcher.domainsMs).toBeUndefined();
    watcher.domain(domain('Ready', 2));
    expect(watcher.domainsMs).toBe(3);
    await watcher.done;
  });
});

describe('The view of a daemon', () => {
  const viewing = () => {
    let now = 0;
    return new View('1', 2, () => ++now);
  };

  test('holds a table from the version that completed it, until another is complete', () => {
    const view = viewing();
    view.take(version(1, row('1', 0)));
    expect(view.agreed).toBeUndefined();
    view.take(version(2, row('1', 0), row('2', 1)));
    view.take(version(3, row('2', 1), row('1', 0, 'Ready')));
    expect(view.agreed).toEqual({ names: '0=10.0.0.1 1=10.0.0.2', atMs: 1 });
    expect(view.readyMs).toBe(2);
    view.take(version(4, row('1', 0), row('2', 2)));
    expect(view.agreed?.atMs).toBe(3);
  });

  test('is not set back by an older version', () => {
    const view = viewing();
    view.take(version(10, row('1', 0), row('2', 1)));
    view.take(version(9, row('1', 0)));
    expect(view.rows).toHaveLength(2);
    view.forget();
    expect([view.clique, view.agreed, view.own]).toEqual([undefined, undefined, undefined]);
  });
});
