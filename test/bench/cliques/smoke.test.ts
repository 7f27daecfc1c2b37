// The clique benchmark small and in one process, on the embedded cluster over HTTPS: daemons of
// three ways to give out indices join for real, agree, and are counted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { OwnCentral } from './central/own.ts';
import { OwnDaemons } from './daemons/own.ts';
import { measure, type Players } from './measure.ts';
import { testPace } from './pace.ts';
import { furnish, type Stage } from './stage/stage.ts';
import { type StrategyName, strategyOf } from './strategies.ts';

let cluster: Cluster;
let stage: Stage;
let folder: string;

const players: Players = {
  makeDaemons: () => new OwnDaemons(),
  makeCentral: (mode) => new OwnCentral(mode === 'product' ? 'batch' : mode),
};

const small = {
  size: 3,
  cliques: 1,
  domains: 'one',
  // So that some find the clique there when they come.
  spreadSeconds: 0.2,
  probes: 'aligned',
  seed: 1,
  processes: 1,
  capSeconds: 20,
  warmUpCliques: 0,
  pace: testPace,
} as const;

/** Only who needs the guard has it: it would hide that others share indices. */
describe.each([
  { isGuarded: false, names: ['S1', 'S4b'] as const },
  { isGuarded: true, names: ['S5'] as const },
])('Three daemons within a fifth of a second (guard: $isGuarded)', ({ isGuarded, names }) => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coppice-cliques-'));
    cluster = createCluster({ clock: systemClock, random: seeded(1), dataDir: folder });
    await cluster.start();
    const { kubeconfigPath: kubeconfig = '' } = await cluster.listen();
    const furnished = await furnish(kubeconfig, { isGuarded, nodes: 3 });
    stage = {
      ...furnished,
      kubeconfig,
      processes: () => new Map(),
      compact: () => Promise.resolve(),
      stop: () => Promise.resolve(),
    };
  });

  afterAll(async () => {
    await stage.client.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  test.each(names)('agree by %s', async (strategy: StrategyName) => {
    const { times, counts, requests, isVoid } = await measure(
      stage,
      { ...small, strategy },
      players,
    );
    const all = [...times.agree, ...times.ready, ...times.local, ...times.domain];
    expect(all).toHaveLength(6);
    for (const ms of all) expect(ms).toBeLessThan(small.capSeconds * 1000);
    expect(isVoid).toBeUndefined();
    expect(counts).toMatchObject({ versions_shared: 0, index_changes: 0, throttled_429: 0 });
    expect(requests).toMatchObject({ 'patch pods 200': 3, 'list computedomaincliques 200': 3 });
    // Every persisted version is told to each of the three.
    expect(counts['watch_events']).toBe(3 * (counts['versions'] ?? 0));
    const { write } = strategyOf(strategy);
    // A create, a row and its readiness of each; an apply creates with its row.
    if (write === 'update') expect(counts['clique_writes_accepted']).toBe(7);
    if (write === 'apply') expect(counts['clique_writes_accepted']).toBe(6);
    if (write === 'none') expect(counts['conflicts_409']).toBe(0);
  });
});
