// Which shared claims of a PodClique the oracle over the end asks for: those of every index that is
// wanted or that a live pod has, and of a pod on its way out none that somebody deleted.
import { describe, expect, it } from 'vitest';
import { claimSpec } from '#test/support/sharing.ts';
import { create, merge, withTemplate } from '../crash/works-of-groups.ts';
import { comeToRest } from '../ending.ts';
import { calm } from '../faults/rates.ts';
import { fieldsAt, listAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { indexOf } from '../oracles/decisions.ts';
import { isLive } from '../oracles/shown.ts';
import { cliques, pods } from '../users/addresses.ts';
import { namespace, setObject } from '../users/workload.ts';
import { World } from '../world/world.ts';
import { complaintsAbout } from './expected.ts';

const claims = `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
const front = { name: 'front', replicas: 2, minAvailable: 1 };
/** A claim for each pod of `front`. */
const sharing = withTemplate(
  setObject('demo', { replicas: 1, startup: 'AnyOrder', cliques: [front] }),
  (template) => ({
    resourceClaimTemplates: [{ name: 'inner', templateSpec: { spec: claimSpec('inner') } }],
    cliques: listAt(template, 'cliques').map((clique) => ({
      ...fieldsAt(clique),
      resourceSharing: [{ name: 'inner', scope: 'PerReplica' }],
    })),
  }),
);
const scale = (replicas: number) => merge(`${cliques}/demo-0-front/scale`, { replicas });

const complaintsIn = (world: World): readonly string[] => complaintsAbout(world.cluster.store);
const missing = (index: number): string =>
  `resource.k8s.io/resourceclaims demo-0-front-${index}-inner is missing`;
const removeClaim = (world: World, index: number) =>
  world.ask({ method: 'DELETE', path: `${claims}/demo-0-front-${index}-inner` });

/** The two pods are ready. */
async function started(): Promise<World> {
  const world = new World({ seed: 1, rates: calm, delivery: 'direct' });
  await world.start();
  world.processes.start();
  await create(sharing)(world);
  await comeToRest(world);
  expect(complaintsIn(world)).toEqual([]);
  return world;
}

/** One pod is left, with index 0, and the other one is held on its way out. */
async function shrunk(): Promise<{ world: World; letGo: () => Promise<unknown> }> {
  const world = await started();
  const all = world.cluster.store.collection('/pods').list(namespace);
  const patch = (name: string, finalizers: string[]) =>
    world.ask({
      method: 'PATCH',
      path: `${pods}/${name}`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers } },
    });
  for (const pod of all) await patch(nameOf(pod), ['foreign/hold']);
  await scale(1)(world);
  await comeToRest(world);
  const left = world.cluster.store.collection('/pods').list(namespace);
  expect(left.filter(isLive).map(indexOf)).toEqual(['0']);
  expect(left).toHaveLength(2);
  return { world, letGo: () => Promise.all(left.map((pod) => patch(nameOf(pod), []))) };
}

describe('A claim of an index that only a pod on its way out has', () => {
  it('may be there, or be deleted by somebody', async () => {
    const { world } = await shrunk();
    expect(complaintsIn(world)).toEqual([]);
    await removeClaim(world, 1);
    await comeToRest(world);
    expect(complaintsIn(world)).toEqual([]);
    await world.stop();
  });

  it('is left over when the pod is gone', async () => {
    const { world, letGo } = await shrunk();
    for (const process of world.processes.alive) process.crash();
    await letGo();
    expect(complaintsIn(world)).toContain(
      'resource.k8s.io/resourceclaims demo-0-front-1-inner is left over',
    );
    await comeToRest(world);
    expect(complaintsIn(world)).toEqual([]);
    await world.stop();
  });
});

describe('A claim that a live pod has', () => {
  it.each([1, 2])('must be there where %i pods are wanted', async (replicas) => {
    const world = await started();
    for (const process of world.processes.alive) process.crash();
    await scale(replicas)(world);
    await removeClaim(world, 1);
    expect(complaintsIn(world)).toContain(missing(1));
    await world.stop();
  });
});
