// What nodes, schedulers and the end of the controller do to running gangs.
import { expect } from 'vitest';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { conditionsOf, isPending, type Scene, type Scenario } from '../stage/scene.ts';
import {
  cliquesOf,
  pods,
  roomIn,
  roomLabel,
  slot,
  w1,
  w2,
  type Wanted,
} from '../stage/workloads.ts';

/** Reasons for which pods of the namespace were disrupted, as they come. */
function disruptions(scene: Scene): readonly string[] {
  const byPod = new Map<string, string>();
  const reasons: string[] = [];
  scene.cluster.onlooker.onSight(({ namespace, resource, object }) => {
    if (namespace !== scene.namespace || resource !== 'pods' || !isObject(object)) return;
    const found = conditionsOf(object).find(({ type }) => type === 'DisruptionTarget');
    const uid = text(at(object, 'metadata', 'uid'));
    if (found === undefined || byPod.has(uid)) return;
    byPod.set(uid, text(found['reason']));
    reasons.push(text(found['reason']));
  });
  return reasons;
}

export const drained: Scenario = {
  title: 'W1 on a node that is drained moves to others, and is recreated where there are none',
  name: 'drained',
  run: async (scene) => {
    const wanted: Wanted = { name: 'w', least: w1, terminationDelay: '10m' };
    const node = await scene.addNode(pods);
    await scene.create(wanted);
    await scene.settled('w', pods);
    const reasons = disruptions(scene);
    const other = await scene.addNode(pods);
    await scene.drain(node);
    await scene.ready('w', pods);
    expect(reasons).toEqual(Array.from({ length: pods }, () => 'EvictionByEvictionAPI'));
    expect(scene.recycles('w')).toEqual({});
    expect(new Set(scene.pods('w').map(({ spec }) => spec?.nodeName))).toEqual(new Set([other]));
    await scene.edit({ ...wanted, terminationDelay: '5s' });
    await scene.drain(other);
    await scene.recycled('w', Object.fromEntries(cliquesOf('w').map((name) => [name, 1])));
    await scene.uncordon();
    await scene.ready('w', pods);
  },
};

/** Needs a scheduler that preempts. */
export const preempted: Scenario = {
  title: 'W2 whose pod the scheduler preempts gets another one, and places it when there is room',
  name: 'preempted',
  run: async (scene) => {
    await scene.addNode(pods);
    await scene.create({ name: 'w', least: w2, terminationDelay: '10m' });
    await scene.ready('w', pods);
    const reasons = disruptions(scene);
    await scene.kube.create(scene.namespace, 'pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'first' },
      spec: {
        priorityClassName: 'system-cluster-critical',
        nodeSelector: { [roomLabel]: roomIn(scene.namespace, 'main') },
        containers: [{ name: 'main', image: 'i', resources: { limits: { [slot]: '1' } } }],
      },
    });
    const isReplaced = (): boolean =>
      reasons.length > 0 && scene.pods('w').length === pods && scene.pods('w').some(isPending);
    await scene.until('a preempted pod replaced', isReplaced);
    await scene.kube.delete(scene.namespace, 'pods', 'first');
    await scene.ready('w', pods);
    expect(reasons).toEqual(['PreemptionByScheduler']);
    expect(scene.recycles('w')).toEqual({});
  },
};

const delayMs = 20_000;

export const unattended: Scenario = {
  title:
    'W1 whose delay ends while no controller runs is terminated when the next one has started, once, and keeps the replicas that were set at run time',
  name: 'unattended',
  run: async (scene) => {
    await scene.addNode(pods + 1);
    await scene.create({ name: 'w', least: w1, terminationDelay: `${delayMs / 1000}s` });
    await scene.ready('w', pods);
    await scene.scale('podcliques', 'w-0-a', 3);
    await scene.settled('w', pods + 1);
    await scene.cordon();
    await scene.kill('w-0-a', 2);
    const clique = (): unknown => scene.one('podcliques', 'w-0-a');
    const breach = (): string => conditionOf(clique(), 'MinAvailableBreached');
    await scene.until('a breach', () => breach() === 'True', breach);
    await scene.cluster.endController();
    const end = sinceOf(clique(), 'MinAvailableBreached') + delayMs;
    await scene.until('the end of the delay', () => scene.cluster.now() > end);
    expect(scene.recycles('w')).toEqual({});
    await scene.cluster.startController();
    const startedAt = scene.cluster.now();
    const once = Object.fromEntries(cliquesOf('w').map((name) => [name, 1]));
    await scene.recycled('w', once);
    // Sooner than if the delay had begun again.
    expect(scene.cluster.now() - startedAt).toBeLessThan(delayMs);
    await scene.uncordon();
    await scene.ready('w', pods + 1);
    expect(scene.pods('w-0-a')).toHaveLength(3);
    expect(scene.recycles('w')).toEqual(once);
  },
};

const sinceOf = (object: unknown, type: string): number => {
  const found = conditionsOf(object).find((one) => one['type'] === type);
  return Date.parse(text(found?.['lastTransitionTime']));
};
