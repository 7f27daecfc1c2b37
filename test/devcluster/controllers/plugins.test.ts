// The simulated scheduler and kubelet without plug-ins, and with those of two API groups that know
// nothing of each other.
import { expect, test } from 'vitest';
import { objectAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { ClusterPlugin } from '#src/devcluster/cluster.ts';
import { withWorld, type World } from './support.ts';

const placed = (world: World): string[] =>
  world
    .stored('/pods')
    .filter((pod) => textAt(objectAt(pod, 'spec'), 'nodeName') !== '')
    .map((pod) => textAt(pod.metadata, 'name'));

test('A pod of a gang is placed by itself, and its init container ends, where no plug-in knows them', () =>
  withWorld({ plugins: [], controllers: { initContainerMs: 700 } }, async (world) => {
    const args = ['--podcliques=a:1'];
    const initContainers = [{ name: 'grove-initc', image: 'grove-initc:1', args }];
    const labels = { 'grove.io/podgang': 'g', 'grove.io/podclique': 'c' };
    await world.createPod('p', { initContainers }, { labels });
    await world.clock.advance(600);
    expect(placed(world)).toEqual(['p']);
    expect(world.readyPods()).toBe(0);
    await world.until('it is ready', () => world.readyPods() === 1, 1_000);
  }));

/** ConfigMaps as gangs of one group, in which pods are by a label. */
const crews = (name: string, many: number): ClusterPlugin => ({
  gangs: {
    path: '/api/v1/configmaps',
    title: name,
    groupTitle: 'Team',
    nameOf: (pod) => textsAt(pod.metadata, 'labels')[name] ?? '',
    read: () => ({
      groups: [{ name: 't', least: many, pods: [`default/${name}`] }],
      packing: undefined,
    }),
  },
});

test('Gangs of two plug-ins with the same name do not meet', () =>
  withWorld({ plugins: [crews('crew', 1), crews('band', 2)] }, async (world) => {
    await world.create('/api/v1/namespaces/default/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'g' },
    });
    for (const name of ['crew', 'band']) {
      await world.createPod(name, {}, { labels: { [name]: 'g' } });
    }
    await world.clock.advance(3_000);
    expect(placed(world)).toEqual(['crew']);
    const said = world
      .stored('/events')
      .filter(({ reason }) => reason === 'FailedScheduling')
      .map((event) => textAt(event, 'message'));
    expect(said).toEqual([
      'band default/g is placed as a whole: 1 of the 2 pods that Team t needs are missing or gated',
    ]);
  }));
