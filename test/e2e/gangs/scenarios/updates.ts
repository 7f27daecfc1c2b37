// New templates of running gangs: the order in which pods are replaced, and what happens without
// room, with scaling meanwhile and under OnDelete (spec controllers 5, 10.3).
import { expect } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { Scene, Scenario } from '../stage/scene.ts';
import { isPending, versionOf } from '../stage/scene.ts';
import { pods, w2, type Wanted } from '../stage/workloads.ts';

const second = { version: '2', room: 'main' };
/** Has room for pods of the second version, and for none of the first. */
const elsewhere = { version: '2', room: 'new' };

/** Pods of the second version that stay. */
const newPods = (scene: Scene, of: string) =>
  scene.pods(of).filter((pod) => versionOf(pod) === '2');
const uids = (scene: Scene, of: string) => scene.pods(of).map(({ metadata }) => metadata.uid);

export const podByPod: Scenario = {
  title:
    'W2 twice, with a new template of a, replaces pod by pod and replica by replica (10.3 scenario 9)',
  name: 'pod-by-pod',
  run: async (scene) => {
    const wanted: Wanted = { name: 'w', least: w2, replicas: 2 };
    await scene.addNode(2 * pods);
    await scene.create(wanted);
    await scene.ready('w', 2 * pods);
    const history = scene.history('w');
    await scene.edit({ ...wanted, versions: { a: second } });
    await scene.updated('w', 2);
    await scene.ready('w', 2 * pods);
    const inTurn = (clique: string): readonly string[] => [`- ${clique}`, `+ ${clique}`];
    const places = ['w-0-a', 'w-0-a', 'w-1-a', 'w-1-a'];
    expect(history).toEqual(places.flatMap(inTurn));
  },
};

export const replicaByReplica: Scenario = {
  title:
    'W2 with a new template of b replaces one replica of x after the other (10.3 scenario 10; 10.2 gap 5)',
  name: 'replica-by-replica',
  run: async (scene) => {
    // With fewer the second begins once the first has its minimum.
    const wanted: Wanted = { name: 'w', least: { ...w2, c: 3 } };
    await scene.addNode(pods);
    await scene.create(wanted);
    await scene.ready('w', pods);
    const history = scene.history('w');
    await scene.edit({ ...wanted, versions: { b: second } });
    await scene.updated('w');
    await scene.ready('w', pods);
    const places = history.map((line) => line.slice(2, -2));
    const each = (place: string): readonly string[] => Array.from({ length: 8 }, () => place);
    expect(places).toEqual([...each('w-0-x-0'), ...each('w-0-x-1')]);
  },
};

export const withoutRoom: Scenario = {
  title:
    'W2 without spare room replaces one pod, which is pending, and no second one (10.3 scenario 11)',
  name: 'without-room',
  run: async (scene) => {
    const witness = await scene.witness();
    const wanted: Wanted = { name: 'w', least: w2 };
    await scene.addNode(pods);
    await scene.create(wanted);
    await scene.ready('w', pods);
    const history = scene.history('w');
    await scene.cordon();
    await scene.edit({ ...wanted, versions: { a: second } });
    await scene.until('a new pod', () => newPods(scene, 'w-0-a').length === 1);
    await witness();
    expect(newPods(scene, 'w').map(isPending)).toEqual([true]);
    expect(history).toEqual(['- w-0-a']);
    await scene.uncordon();
    await scene.updated('w');
    await scene.ready('w', pods);
    expect(newPods(scene, 'w-0-a')).toHaveLength(2);
  },
};

export const scaledIn: Scenario = {
  title: 'W2 twice ends its update when the replica under way is scaled in (10.3 scenario 12)',
  name: 'scaled-in',
  run: async (scene) => {
    const wanted: Wanted = { name: 'w', least: w2, replicas: 2 };
    await scene.addNode(2 * pods);
    await scene.addNode(2, 'new');
    await scene.create(wanted);
    await scene.ready('w', 2 * pods);
    await scene.edit({ ...wanted, versions: { a: elsewhere } });
    await scene.until('replica 1 stuck', () => newPods(scene, 'w-1-a').length === 1);
    const progress = () => at(scene.one('podcliquesets', 'w'), 'status', 'updateProgress');
    const turn = () =>
      list(at(progress(), 'currentlyUpdating')).map((one) => at(one, 'replicaIndex'));
    await scene.until('its turn told', () => turn().join() === '1', progress);
    const before = uids(scene, 'w-0');
    await scene.scale('podcliquesets', 'w', 1);
    await scene.updated('w');
    await scene.ready('w', pods);
    expect(uids(scene, 'w').toSorted()).toEqual(before.toSorted());
    expect(newPods(scene, 'w')).toHaveLength(2);
  },
};

export const scaledOut: Scenario = {
  title:
    'W2 scaled out during an update makes what is new of the new template, once (10.3 scenario 13)',
  name: 'scaled-out',
  run: async (scene) => {
    const wanted: Wanted = { name: 'w', least: w2 };
    await scene.addNode(pods);
    await scene.create(wanted);
    await scene.ready('w', pods);
    const history = scene.history('w');
    const versions = { a: elsewhere, b: elsewhere, c: elsewhere };
    await scene.edit({ ...wanted, versions });
    await scene.until('an update under way', () => newPods(scene, 'w-0-a').length === 1);
    await scene.scale('podcliques', 'w-0-a', 3);
    await scene.scale('podcliquescalinggroups', 'w-0-x', 3);
    const born = () => [...newPods(scene, 'w-0-a'), ...newPods(scene, 'w-0-x-2')];
    await scene.until('what is scaled out', () => born().length === 2 + 4);
    expect(scene.pods('w-0-x-2')).toHaveLength(4);
    const before = born().map(({ metadata }) => metadata.uid);
    await scene.addNode(15, 'new');
    await scene.updated('w');
    await scene.ready('w', 15);
    expect(newPods(scene, 'w')).toHaveLength(15);
    expect(uids(scene, 'w')).toEqual(expect.arrayContaining(before));
    expect(history.filter((line) => line.startsWith('-'))).toHaveLength(pods);
  },
};

export const onDelete: Scenario = {
  title:
    'W2 under OnDelete deletes nothing, makes deleted pods of the new template and scales old ones in first (10.3 scenario 14)',
  name: 'on-delete',
  run: async (scene) => {
    const wanted: Wanted = { name: 'w', least: w2, strategy: 'OnDelete' };
    const witness = await scene.witness();
    await scene.addNode(pods);
    await scene.create(wanted);
    await scene.ready('w', pods);
    const history = scene.history('w');
    const versions = { a: second, b: second, c: second };
    await scene.edit({ ...wanted, versions });
    const ended = () =>
      at(scene.one('podcliquesets', 'w'), 'status', 'updateProgress', 'updateEndedAt');
    await scene.until('an update that ended', () => ended() !== undefined, ended);
    await witness();
    expect(history).toEqual([]);
    await scene.kill('w-0-a');
    const both = ['- w-0-a', '+ w-0-a'];
    await scene.until(
      'a new pod',
      () => history.length === 2,
      () => history,
    );
    expect(newPods(scene, 'w')).toHaveLength(1);
    await scene.scale('podcliques', 'w-0-a', 1);
    await scene.until('the old pod gone', () => scene.pods('w-0-a').length === 1);
    expect(scene.pods('w-0-a').map(versionOf)).toEqual(['2']);
    expect(history).toEqual([...both, '- w-0-a']);
  },
};
