// The commonest fault of a network under load: a write is carried out and nobody hears of it. What
// came of it is seen late, so a write that is taken for not done would be done in another way.
import { expect } from 'vitest';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';

const first = pairs('lost', 30);
const more = pairs('lost', 45);
const fewer = pairs('lost', 15);
/** Later than a write is repeated. */
const seenAfterMs = 1_000;

export const lostReplies: Scenario = {
  name: 'lost-replies',
  title: 'makes no pod too many when every fifth reply to a write is lost',
  run: async (scene) => {
    const { kube, namespace, proxy } = scene;
    await scene.controller();
    const late = { type: 'lag', ms: seenAfterMs } as const;
    const lifts = [
      proxy.inflict({ verb: 'write', rate: 0.2, fault: { type: 'swallow' } }),
      proxy.inflict({ verb: 'watch', kind: 'Pod', fault: late, alsoOpen: true }),
    ];
    await scene.create(first);
    scene.say(`30 replicas after ${Math.round(await scene.ready(first))} ms`);
    await kube.scale(namespace, 'podcliquesets', 'lost', 45);
    await scene.ready(more);
    expect(scene.podsEver).toBe(podsOf(more));
    await kube.scale(namespace, 'podcliquesets', 'lost', 15);
    await scene.ready(fewer);
    expect(scene.podsEver).toBe(podsOf(more));
    await kube.delete(namespace, 'podcliquesets', 'lost');
    await scene.empty();
    expect(scene.podsEver).toBe(podsOf(more));
    const { writes } = proxy.traffic;
    const creates = writes.filter(({ verb, kind }) => verb === 'create' && kind === 'Pod');
    const lost = writes.filter(({ fault }) => fault === 'swallow').length;
    scene.say(`${lost} replies of ${writes.length} lost, ${creates.length} creates of pods`);
    expect(lost).toBeGreaterThan(writes.length / 10);
    for (const lift of lifts) lift();
  },
};
