// An update of standalone cliques: pod by pod, replica by replica, whatever comes in between (spec
// controllers 5.2 to 5.8, 10.3).
import { describe, expect, it } from 'vitest';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import {
  breachOf,
  deletedSince,
  deployed,
  expectDone,
  images,
  isReady,
  liveWithoutRoom,
  progressOf,
  setImage,
  statusOf,
  unplace,
} from './stage.ts';

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const setKey = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

const readyIn = (world: World, prefix: string): number =>
  world.all('Pod').filter((pod) => isReady(pod) && pod.metadata.name.startsWith(prefix)).length;

describe('An update of a PodCliqueSet', () => {
  it('replaces one pod at a time, and one replica before the next (10.3)', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    const seen: string[] = [];
    for (let round = 0; round < 10; round++) {
      expect(readyIn(world, 'demo-0-')).toBeGreaterThanOrEqual(1);
      expect(readyIn(world, 'demo-')).toBeGreaterThanOrEqual(3);
      const now = images(world).join(' ');
      if (seen.at(-1) !== now) seen.push(now);
      world.live();
    }
    expect(seen).toEqual([
      'demo-0-worker:1 demo-0-worker:2 demo-1-worker:1 demo-1-worker:1',
      'demo-0-worker:2 demo-0-worker:2 demo-1-worker:1 demo-1-worker:1',
      'demo-0-worker:2 demo-0-worker:2 demo-1-worker:1 demo-1-worker:2',
      'demo-0-worker:2 demo-0-worker:2 demo-1-worker:2 demo-1-worker:2',
    ]);
    expectDone(world, '2');
  });

  it('begins with the oldest pod, whatever its index', () => {
    const world = deployed(cliqueSet(1));
    const [first = '', second] = world.all('Pod').map(({ metadata }) => metadata.name);
    world.pass(60_000);
    world.remove({ kind: 'Pod', namespace: 'demo', name: first });
    world.converge();
    setImage(world, 'busybox:2');
    const selected = progressOf(world, 'PodClique', 'demo-0-worker');
    expect(selected).toMatchObject({ readyPodsSelectedToUpdate: { current: second } });
  });

  it('says in its status how far it has come (5.10)', () => {
    const world = deployed(cliqueSet(2));
    world.pass(60_000);
    setImage(world, 'busybox:2');
    const began = '2026-01-01T00:01:00Z';
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toEqual({
      updateStartedAt: began,
      currentlyUpdating: [{ replicaIndex: 0, updateStartedAt: began }],
      updatedPodCliquesCount: 0,
      totalPodCliquesCount: 2,
      updatedPodCliqueScalingGroupsCount: 0,
      totalPodCliqueScalingGroupsCount: 0,
    });
    const { labels, annotations } = world.get('PodClique', 'demo-0-worker')?.metadata ?? {};
    const target = {
      podTemplateHash: labels?.['grove.io/pod-template-hash'],
      podCliqueSetGenerationHash: annotations?.['grove.io/podcliqueset-generation-hash'],
    };
    const [first, second] = world.all('Pod').map(({ metadata }) => metadata.name);
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toEqual({
      updateStartedAt: began,
      ...target,
      readyPodsSelectedToUpdate: { current: first, completed: [] },
    });
    expect(progressOf(world, 'PodClique', 'demo-1-worker')).toEqual({});
    world.live();
    world.live();
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toMatchObject({
      readyPodsSelectedToUpdate: { current: second, completed: [first] },
    });
    world.pass(1_000);
    expectDone(world, '2');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      updateStartedAt: began,
      updateEndedAt: '2026-01-01T00:01:01Z',
      updatedPodCliquesCount: 2,
    });
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toEqual({
      updateStartedAt: began,
      updateEndedAt: '2026-01-01T00:01:01Z',
      ...target,
    });
  });

  it('restarts no pod of a clique whose template is the same', () => {
    const world = deployed(cliqueSet(2, [{ name: 'worker' }, { name: 'router' }]));
    const routers = world.all('Pod').filter(({ metadata }) => metadata.name.includes('router'));
    setImage(world, 'busybox:2', 'worker');
    world.converge(60);
    for (const { metadata } of routers) {
      expect(world.get('Pod', metadata.name)?.metadata.uid).toBe(metadata.uid);
    }
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 2 });
  });

  it('deletes no second pod where there is no room for the first, and goes on when there is (10.3)', () => {
    const world = deployed(cliqueSet(2));
    const since = world.writes.length;
    setImage(world, 'busybox:2');
    for (let round = 0; round < 10; round++) liveWithoutRoom(world);
    expect(deletedSince(world, since, 'Pod')).toHaveLength(1);
    expect(world.why(setKey).join()).toContain('the update is at replica 0, 0 of 2 are done');
    expect(world.why({ ...clique, kind: 'podclique' }).join()).toContain('the update goes on when');
    expectDone(world, '2');
  });

  it('leaves the pods that are ready alone where the new template never becomes ready', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 3, minAvailable: 2 }]));
    const since = world.writes.length;
    setImage(world, 'busybox:broken');
    for (let round = 0; round < 10; round++) liveWithoutRoom(world);
    expect(deletedSince(world, since, 'Pod')).toHaveLength(1);
    expect(readyIn(world, 'demo-0-')).toBe(2);
    setImage(world, 'busybox:3');
    expectDone(world, '3');
  });

  it('deletes old pods that are not ready at once (10.1 rule 35)', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 4, minAvailable: 1 }]));
    const [one, two] = world.all('Pod').map(({ metadata }) => metadata.name);
    for (const name of [one, two])
      world.setPodStatus(name ?? '', { phase: 'Pending', conditions: [] });
    const since = world.writes.length;
    setImage(world, 'busybox:2');
    expect(deletedSince(world, since, 'Pod')).toEqual(expect.arrayContaining([one, two]));
    expect(deletedSince(world, since, 'Pod')).toHaveLength(3);
    expectDone(world, '2');
  });

  it('that is changed while it runs begins anew, and replaces what differs at the end alone', () => {
    const world = deployed(cliqueSet(3));
    const before = new Map(world.all('Pod').map(({ metadata }) => [metadata.name, metadata.uid]));
    setImage(world, 'busybox:2');
    world.live();
    world.live();
    setImage(world, 'busybox:3');
    expectDone(world, '3');
    const created = world.podsEver.length - before.size;
    // Two of the second template may have come before the third was there.
    expect(created).toBeLessThanOrEqual(before.size + 2);
  });

  it('that is changed back takes back what it had replaced and nothing else', () => {
    const world = deployed(cliqueSet(3));
    const since = world.writes.length;
    setImage(world, 'busybox:2');
    world.live();
    world.live();
    const replaced = deletedSince(world, since, 'Pod').length;
    setImage(world, 'busybox:1');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).not.toHaveProperty('updateEndedAt');
    expectDone(world, '1');
    expect(deletedSince(world, since, 'Pod')).toHaveLength(2 * replaced);
  });

  it('that is changed six times restarts pods whose template differs at the end', () => {
    const world = deployed(cliqueSet(3, [{ name: 'worker' }, { name: 'router' }]));
    const routers = world.all('Pod').filter(({ metadata }) => metadata.name.includes('router'));
    for (const image of ['2', '3', '4', '5', '6', '7']) {
      setImage(world, `busybox:${image}`, 'worker');
      world.live();
    }
    world.converge(60);
    expect(new Set(images(world, 'demo-0-worker'))).toEqual(new Set(['demo-0-worker:7']));
    for (const { metadata } of routers) expect(world.get('Pod', metadata.name)).toBeDefined();
  });

  it('does not judge the breach of a clique whose pods it replaces (10.1 rule 33)', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    expect(breachOf(world, 'demo-0-worker')).toBe('Unknown');
    expect(breachOf(world, 'demo-1-worker')).toBe('False');
    expectDone(world, '2');
    expect(breachOf(world, 'demo-0-worker')).toBe('False');
  });

  it('starts no child before the set has written the generation (10.1 rule 37)', () => {
    const world = deployed(cliqueSet(2));
    const since = world.writes.length;
    world.options = {
      refuse: (op, { kind }) =>
        op === 'status' && kind === 'PodCliqueSet' ? 'FORBIDDEN' : undefined,
    };
    setImage(world, 'busybox:2');
    for (let round = 0; round < 5; round++) world.live();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    world.options = {};
    world.pass(600_000);
    expectDone(world, '2');
  });

  it('takes no second pod after a restart at any moment', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    for (let round = 0; round < 12; round++) {
      world.restart();
      expect(readyIn(world, 'demo-')).toBeGreaterThanOrEqual(3);
      world.live();
      world.restart();
      expect(readyIn(world, 'demo-')).toBeGreaterThanOrEqual(3);
    }
    expectDone(world, '2');
  });

  it('goes on with the others where its replica is scaled in (10.3)', () => {
    const world = deployed(cliqueSet(3));
    unplace(world, 'demo-2-');
    setImage(world, 'busybox:2');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      currentlyUpdating: [{ replicaIndex: 2 }],
    });
    world.edit(demoSet, { spec: { replicas: 1 } });
    expectDone(world, '2');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toHaveProperty('updateEndedAt');
  });

  it('makes what is scaled out meanwhile of the new template, once (10.3, 10.1 rule 36)', () => {
    const world = deployed(cliqueSet(1));
    setImage(world, 'busybox:2');
    world.edit(demoSet, { spec: { replicas: 3 } });
    world.edit(clique, { spec: { replicas: 4 } });
    const since = world.writes.length;
    expectDone(world, '2');
    expect(deletedSince(world, since, 'Pod').every((name) => name.startsWith('demo-0-'))).toBe(
      true,
    );
    expect(deletedSince(world, since, 'Pod')).toHaveLength(1);
  });

  it('ends where the clique is scaled in while it runs (10.2 gap 23)', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 4, minAvailable: 1 }]));
    setImage(world, 'busybox:2');
    for (let round = 0; round < 4; round++) world.live();
    world.edit(clique, { spec: { replicas: 1 } });
    expectDone(world, '2');
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toHaveProperty('updateEndedAt');
  });

  it('ends where a scale-in takes one of the new pods (10.2 gap 23)', () => {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 4, minAvailable: 1 }]));
    setImage(world, 'busybox:2');
    world.live();
    world.live();
    expect(images(world)).toHaveLength(4);
    // One new pod is ready, the other one is not and goes first.
    world.edit(clique, { spec: { replicas: 2 } });
    world.stabilize();
    expectDone(world, '2');
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toHaveProperty('updateEndedAt');
  });

  it('of a replica whose turn is over waits for its turn again (10.2 gap 24)', () => {
    const world = deployed(cliqueSet(3));
    // Replica 2 has no pod that is scheduled, so it is the next one.
    setImage(world, 'busybox:2');
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toHaveProperty('podTemplateHash');
    unplace(world, 'demo-2-');
    setImage(world, 'busybox:3');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toMatchObject({
      currentlyUpdating: [{ replicaIndex: 2 }],
    });
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toEqual({});
    expect(breachOf(world, 'demo-0-worker')).not.toBe('Unknown');
    expectDone(world, '3');
  });
});
