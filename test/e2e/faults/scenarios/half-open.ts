// Watches that say nothing and do not end, while things go and lists work: the controller must not
// believe them for ever, and what follows (410, then 429 on the relist) must cost no deletion.
import { expect } from 'vitest';
import { atMost } from '#test/support/optional.mjs';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const wanted = pairs('gone', 30);
/** From the last deletion, however long the watches stay so; and until all is whole, from the end
 *  of that. */
const noticedMs = atMost(60_000);

export const halfOpenWatches: Scenario = {
  name: 'half-open',
  title:
    'notices what went while its watches are half open, and outlives a 410 and a 429 on the relist',
  run: async (scene) => {
    const { proxy, onlooker, namespace } = scene;
    await scene.controller();
    await scene.create(wanted);
    await scene.ready(wanted);
    await scene.quiet();
    const fault = { type: 'halfOpen' } as const;
    const lift = proxy.inflict({ verb: 'watch', fault, alsoOpen: true });
    const lists = proxy.traffic.count(({ verb, status }) => verb === 'list' && status === 200);
    const spared = await deleteMuch(scene);
    const left = (): number =>
      [...onlooker.all('pods', namespace).keys()].filter((pod) => spared.has(pod)).length;
    const tell = () => ({ podsEver: scene.podsEver, left: left() });
    const isNoticed = (): boolean => tell().podsEver >= podsOf(wanted) + 50 && left() === 0;
    const begun = performance.now();
    await onlooker.until('all noticed', isNoticed, tell, noticedMs);
    scene.say(`noticed ${Math.round(performance.now() - begun)} ms after the last deletion`);

    for (const kind of ['Pod', 'PodClique'] as const) {
      const answer = { type: 'answer', status: 410 } as const;
      const form = kind === 'Pod' ? answer : ({ type: 'expiredEvent' } as const);
      proxy.inflict({ verb: 'watch', kind, times: 1, fault: form });
      const slow = { type: 'answer', status: 429, retryAfterSeconds: 3 } as const;
      proxy.inflict({ verb: 'list', kind, times: 1, fault: slow });
    }
    lift();
    const tookMs = await scene.ready(wanted);
    scene.say(`whole again ${Math.round(tookMs)} ms after healing`);
    expect(tookMs).toBeLessThan(noticedMs);
    expect(scene.podsEver).toBe(podsOf(wanted) + 60);
    const all = (status: number): number =>
      proxy.traffic.count((one) => one.verb === 'list' && one.status === status);
    expect(all(429)).toBe(2);
    expect(all(200)).toBeGreaterThanOrEqual(lists + 2);
  },
};

/** 50 pods of 25 PodCliques, and 5 other PodCliques, whose finalizers keep them. Resolves with the
 *  names of the pods of these, which are to go with them. */
async function deleteMuch({ kube, onlooker, namespace }: Scene): Promise<ReadonlySet<string>> {
  const cliques = [...onlooker.all('podcliques', namespace).keys()];
  const spared = cliques.slice(0, 5);
  const names = [...onlooker.all('pods', namespace).keys()];
  const pods = names.filter((pod) => !spared.some((clique) => pod.startsWith(`${clique}-`)));
  expect(pods).toHaveLength(50);
  await Promise.all(pods.map((pod) => kube.delete(namespace, 'pods', pod)));
  await Promise.all(spared.map((clique) => kube.delete(namespace, 'podcliques', clique)));
  const gone = new Set(pods);
  const left = (): number =>
    [...onlooker.all('pods', namespace).keys()].filter((pod) => gone.has(pod)).length;
  await onlooker.until('50 pods gone', () => left() === 0, left);
  return new Set(names.filter((pod) => !gone.has(pod)));
}
