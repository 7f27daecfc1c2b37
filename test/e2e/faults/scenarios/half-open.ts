// Watches that say nothing and do not end, while things go: the controller must not believe them
// for ever, and what follows (410, then 429 on the relist) must not cost it a deletion.
import { expect } from 'vitest';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const wanted = pairs('gone', 30);
const silenceMs = 90_000;
/** From the end of the silence; 60 s are promised, on a machine that does nothing else. */
const noticedMs = 90_000;

export const halfOpenWatches: Scenario = {
  name: 'half-open',
  title: 'notices what went while its watches were half open, after a 410 and a 429 on the relist',
  run: async (scene) => {
    const { proxy, onlooker, namespace } = scene;
    await scene.controller();
    await scene.create(wanted);
    await scene.ready(wanted);
    await scene.quiet();
    const before = proxy.traffic.writes.length;
    const fault = { type: 'halfOpen' } as const;
    const lift = proxy.inflict({ verb: 'watch', fault, alsoOpen: true });
    await deleteMuch(scene);
    await scene.idle(silenceMs);
    expect(onlooker.all('pods', namespace).size).toBe(podsOf(wanted) - 50);
    expect(proxy.traffic.writes).toHaveLength(before);

    for (const kind of ['Pod', 'PodClique'] as const) {
      const answer = { type: 'answer', status: 410 } as const;
      const form = kind === 'Pod' ? answer : ({ type: 'expiredEvent' } as const);
      proxy.inflict({ verb: 'watch', kind, times: 1, fault: form });
      const slow = { type: 'answer', status: 429, retryAfterSeconds: 3 } as const;
      proxy.inflict({ verb: 'list', kind, times: 1, fault: slow });
    }
    const lists = proxy.traffic.count(({ verb, status }) => verb === 'list' && status === 200);
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

/** 50 pods of 25 PodCliques, and 5 other PodCliques, whose finalizers keep them. */
async function deleteMuch({ kube, onlooker, namespace }: Scene): Promise<void> {
  const cliques = [...onlooker.all('podcliques', namespace).keys()];
  const spared = cliques.slice(0, 5);
  const pods = [...onlooker.all('pods', namespace).keys()].filter(
    (pod) => !spared.some((clique) => pod.startsWith(`${clique}-`)),
  );
  expect(pods).toHaveLength(50);
  await Promise.all(pods.map((pod) => kube.delete(namespace, 'pods', pod)));
  await Promise.all(spared.map((clique) => kube.delete(namespace, 'podcliques', clique)));
  await onlooker.until(
    '50 pods gone',
    () => onlooker.all('pods', namespace).size === podsOf(wanted) - 50,
    () => onlooker.all('pods', namespace).size,
  );
}
