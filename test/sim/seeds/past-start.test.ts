// A controller that starts from lists of the past, which no API server shows to who asks for a
// consistent read (docs/decisions/0012-the-first-list-is-a-consistent-read.md): what happens then
// all the same, and that it mends itself.
import { describe, expect, it } from 'vitest';
import type { Stored } from '#src/devcluster/contract.ts';
import { listPath } from '#src/kube/paths.ts';
import { comeToRest } from '../ending.ts';
import { complaintsAbout } from '../expected/expected.ts';
import { calm } from '../faults/rates.ts';
import { labelsOf, uidOf } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { isLive } from '../oracles/shown.ts';
import { pods } from '../users/addresses.ts';
import { namespace, setObject } from '../users/workload.ts';
import { World } from '../world/world.ts';

const clique = { name: 'front', replicas: 1, minAvailable: 1 };
const shape = { replicas: 1, startup: 'AnyOrder', cliques: [clique] } as const;
/** Watches are late, so that a process acts on what its lists have shown. */
const late = { ...calm, watchLagMs: 3_000 };
const sets = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;

/** Longer than a watch takes to catch up and a pod to be deleted. */
const mendedMs = 5_000;

const live = (world: World): readonly Stored[] =>
  world.cluster.store.collection('/pods').list(namespace).filter(isLive);

/**
 * A pod was replaced while it was on its way out, so its successor has the second name for the
 * index, and the first is free. Resolves to the version at which the PodGang listed a pod that was
 * not there yet.
 */
async function replacedOnce(world: World): Promise<number> {
  const { store } = world.cluster;
  let listedAt = 0;
  store.collection('scheduler.grove.io/podgangs').onChange(({ type, version }) => {
    if (type === 'ADDED') listedAt = version;
  });
  await world.start();
  world.processes.start();
  await world.ask({ method: 'POST', path: sets, body: setObject('alpha', shape) });
  await comeToRest(world);
  const [pod] = live(world);
  const path = `${pods}/${nameOf(pod)}`;
  const hold = (finalizers: string[]) =>
    world.ask({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers } },
    });
  await hold(['foreign/hold']);
  await world.ask({ method: 'DELETE', path });
  await comeToRest(world);
  await hold([]);
  await comeToRest(world);
  return listedAt;
}

describe('A first list', () => {
  it('names no version, so that the server answers with a consistent read', () => {
    expect(listPath('Pod', 500)).not.toContain('resourceVersion');
  });

  it('of the past gives an index a second pod, which goes at once; the older one stays', async () => {
    const world = new World({ seed: 1, rates: { ...late, pastStart: 1 }, delivery: 'direct' });
    world.past = 1;
    const listedAt = await replacedOnce(world);
    const [successor] = live(world);
    world.past = listedAt;
    for (const process of world.processes.alive) process.crash();
    let most = 0;
    let crowdedMs = 0;
    for (let ms = 0; ms < 20_000; ms += 50) {
      await world.clock.advance(50);
      const now = live(world);
      expect(now.map(uidOf)).toContain(successor && uidOf(successor));
      most = Math.max(most, now.length);
      if (now.length > 1) crowdedMs += 50;
      for (const pod of now) expect(labelsOf(pod)['grove.io/podclique-pod-index']).toBe('0');
    }
    expect(most).toBe(2);
    expect(crowdedMs).toBeLessThan(mendedMs);
    await comeToRest(world);
    expect(complaintsAbout(world.cluster.store)).toEqual([]);
    expect(world.oracles.violations).toEqual([]);
    await world.stop();
  });

  it('that is consistent gives it none', async () => {
    const world = new World({ seed: 1, rates: late, delivery: 'direct' });
    world.past = await replacedOnce(world);
    for (const process of world.processes.alive) process.crash();
    for (let ms = 0; ms < 20_000; ms += 50) {
      await world.clock.advance(50);
      expect(live(world)).toHaveLength(1);
    }
    expect(world.oracles.violations).toEqual([]);
    await world.stop();
  });
});
