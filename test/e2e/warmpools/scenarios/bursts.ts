// Hundreds of claims on a pool that has a member for each: undisturbed, while the controller is
// killed again and again, while NATS loses all that it has, and while two controllers share the
// work and one of them dies. Each time every claim is Ready with a Sandbox of its own, no member is
// lost or too many, and then nothing more is written.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { at, text } from '#machines/kubernetes/json.ts';
import type { Running } from '#test/support/place.ts';
import { list } from '#machines/kubernetes/json.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { eventually } from '#test/support/eventually.ts';
import { must } from '#test/support/workload.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

export interface Size {
  readonly claims: number;
  readonly members: number;
  readonly perSecond: number;
}

const killEveryMs = 2_000;
const leases = { durationSeconds: 8, renewSeconds: 5, retrySeconds: 1 };

async function filled(scene: Scene, { members }: Size): Promise<void> {
  await scene.template('python');
  await scene.pool('warm', members);
  await scene.full('warm', members);
}

const readyClaims = (scene: Scene): number =>
  scene.all('sandboxclaims').filter((one) => conditionOf(one, 'Ready') === 'True').length;

/** Open loop: nobody waits for an answer before the next. */
async function burst(scene: Scene, { claims, perSecond }: Size): Promise<void> {
  const begun = performance.now();
  const posted: Promise<unknown>[] = [];
  for (let index = 0; index < claims; index++) {
    posted.push(scene.claim(`claim-${index}`));
    await pause(Math.max(0, begun + ((index + 1) * 1000) / perSecond - performance.now()));
  }
  await Promise.all(posted);
  await scene.until(`${claims} claims ready`, () => readyClaims(scene) === claims);
}

/** All that must hold at the end; resolves with what was written until then. */
async function judged(scene: Scene, { members }: Size): Promise<Readonly<Record<string, number>>> {
  await scene.full('warm', members);
  // Pods lose the label of the pool behind the claims.
  const writes = await scene.atRest();
  expect(await scene.damage({ warm: members })).toEqual([]);
  const cold = (await scene.items('sandboxes')).filter(
    (one) => text(at(one, 'metadata', 'labels', 'agents.x-k8s.io/launch-type')) !== 'warm',
  );
  expect(cold).toEqual([]);
  return writes;
}

const conflictsIn = (writes: Readonly<Record<string, number>>): readonly string[] =>
  Object.keys(writes).filter((line) => line.endsWith(' 409'));

const since = (
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([line, count]): [string, number] => [line, count - (before[line] ?? 0)])
      .filter(([, count]) => count > 0),
  );

export const undisturbed = (size: Size): Scenario => ({
  name: 'undisturbed',
  title: `${size.claims} claims are Ready without a conflict, each by three writes and their stamp (C4, P5)`,
  run: async (scene) => {
    const before = await scene.writes();
    await scene.controller();
    await filled(scene, size);
    const full = await scene.atRest();
    expect(conflictsIn(since(before, full))).toEqual([]);
    await burst(scene, size);
    const writes = since(full, await judged(scene, size));
    expect(conflictsIn(writes)).toEqual([]);
    // Assignment and stamp on the claim, its status; the take-over.
    expect(writes['patch sandboxclaims 200']).toBe(2 * size.claims);
    expect(writes['patch sandboxes 200']).toBe(size.claims);
    expect(writes['create sandboxes 201']).toBe(size.claims);
    expect(writes['create pods 201']).toBe(size.claims);
  },
});

export const killed = (size: Size): Scenario => ({
  name: 'killed',
  title: `${size.claims} claims are Ready, each with a Sandbox of its own, however often the controller is killed (R1, R5, C1, C6)`,
  run: async (scene) => {
    let running = await scene.controller();
    await filled(scene, size);
    let kills = 0;
    const over = new AbortController();
    const killing = (async () => {
      for (await pause(killEveryMs); !over.signal.aborted; await pause(killEveryMs)) {
        await running.program.kill();
        kills++;
        running = await scene.controller();
      }
    })();
    try {
      await burst(scene, size);
    } finally {
      // None is started after the end.
      over.abort();
      await killing;
    }
    await judged(scene, size);
    expect(kills).toBeGreaterThan(1);
  },
});

export const wiped = (size: Size): Scenario => ({
  name: 'wiped',
  needs: ['nats'],
  title: `${size.claims} claims are Ready while NATS is killed and loses all that it has`,
  run: async (scene) => {
    await scene.controller();
    await filled(scene, size);
    const full = await scene.atRest();
    const half = scene.until(
      'half of the claims ready',
      () => readyClaims(scene) >= size.claims / 2,
    );
    await Promise.all([burst(scene, size), half.then(() => scene.cluster.wipeNats())]);
    expect(conflictsIn(since(full, await judged(scene, size)))).toEqual([]);
  },
});

async function holders({ cluster }: Scene): Promise<readonly string[]> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${cluster.leaseNamespace}/leases`;
  return list(at(await must(cluster.client, { method: 'GET', path }), 'items'))
    .filter((lease) => text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-'))
    .map((lease) => text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '');
}

const pools = 8;

export const shared = (size: Size): Scenario => ({
  name: 'shared',
  title: `${size.claims} claims on ${pools} pools are Ready when two controllers share them and one is killed (R1, C1)`,
  run: async (scene) => {
    const start = (identity: string): Promise<Running> =>
      scene.controller({ leases: { enabled: true, identity, ...leases } });
    const first = await start('c0');
    await start('c1');
    await eventually(
      'shared',
      () => holders(scene),
      (all) => Math.min(...['c0', 'c1'].map((who) => all.filter((one) => one === who).length)) > 1,
      60_000,
    );
    await scene.template('python');
    const each = Math.ceil(size.members / pools);
    const names = Array.from({ length: pools }, (_, index) => `warm-${index}`);
    for (const name of names) await scene.pool(name, each);
    for (const name of names) await scene.full(name, each);
    const half = scene.until(
      'half of the claims ready',
      () => readyClaims(scene) >= size.claims / 2,
    );
    const killing = half.then(() => first.program.kill());
    for (let index = 0; index < size.claims; index++) {
      await scene.claim(`claim-${index}`, {}, `warm-${index % pools}`);
    }
    await killing;
    await scene.until(`${size.claims} claims ready`, () => readyClaims(scene) === size.claims);
    for (const name of names) await scene.full(name, each);
    await scene.atRest();
    expect(await scene.damage(Object.fromEntries(names.map((name) => [name, each])))).toEqual([]);
  },
});
