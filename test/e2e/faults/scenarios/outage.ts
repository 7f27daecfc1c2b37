// The API server goes in the middle of a deploy, is away for a minute, and much has changed when it
// returns: everybody wants to know everything at once, and must not.
import { expect } from 'vitest';
import { maxRequestSockets } from '#src/kube/limits.ts';
import { atMost } from '#test/support/optional.mjs';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const before = pairs('away', 60);
const wanted = pairs('away', 90);
const awayMs = 60_000;
const deleted = 100;
/** From the return on. */
const convergedMs = atMost(15_000);

export const outage: Scenario = {
  name: 'outage',
  isAlone: true,
  title: 'outlives an API server that is away for a minute, and is no herd on its return',
  run: async (scene) => {
    const { kube, namespace, onlooker, proxy } = scene;
    await scene.controller();
    await scene.create(before);
    await scene.ready(before);
    await scene.quiet();
    const begun = (): number => onlooker.all('podcliques', namespace).size - before.replicas;
    const scaled = onlooker.until('scaling', () => begun() > 3, begun);
    await kube.scale(namespace, 'podcliquesets', 'away', wanted.replicas);
    await scaled;
    await proxy.away();
    expect(begun()).toBeLessThan(wanted.replicas - before.replicas);
    await change(scene);
    await scene.idle(awayMs);
    expect(await scene.damage()).toEqual([]);
    proxy.traffic.takePeak();
    const asked = proxy.traffic.all.length;
    await proxy.back();
    const tookMs = await scene.ready(wanted);
    const peak = proxy.traffic.takePeak();
    const since = proxy.traffic.all.slice(asked);
    const lists = since.filter(({ verb }) => verb === 'list').length;
    scene.say(
      `converged ${Math.round(tookMs)} ms after the return, ${since.length} requests, ` +
        `${lists} of them lists, at most ${peak} at once`,
    );
    expect(peak).toBeLessThanOrEqual(maxRequestSockets);
    expect(scene.podsEver).toBe(podsOf(wanted) + deleted);
    expect(tookMs).toBeLessThan(convergedMs);
  },
};

/** 100 pods go, 60 PodCliques and 40 PodGangs get an annotation. */
async function change({ kube, onlooker, namespace }: Scene): Promise<void> {
  const names = (resource: 'pods' | 'podcliques' | 'podgangs', count: number): readonly string[] =>
    [...onlooker.all(resource, namespace).keys()].slice(0, count);
  const body = { metadata: { annotations: { 'example.com/changed': 'meanwhile' } } };
  await Promise.all([
    ...names('pods', deleted).map((name) => kube.delete(namespace, 'pods', name)),
    ...names('podcliques', 60).map((name) => kube.patch(namespace, 'podcliques', name, body)),
    ...names('podgangs', 40).map((name) => kube.patch(namespace, 'podgangs', name, body)),
  ]);
}
