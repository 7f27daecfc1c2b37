// A watch cache that is far behind: for half a minute the controller sees nothing of what it wrote.
import { expect } from 'vitest';
import { pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';

const first = pairs('unseen', 20);
const more = pairs('unseen', 30);
const lagMs = 30_000;

/** What the controller writes and watches; the user's own objects are seen at once. */
const written = ['PodClique', 'PodGang', 'Pod', 'Service', 'ServiceAccount'] as const;

export const unseenWrites: Scenario = {
  name: 'unseen',
  title: 'makes each pod once though it sees its own writes half a minute late',
  run: async (scene) => {
    const { kube, namespace, proxy } = scene;
    await scene.controller();
    const lifts = written.map((kind) =>
      proxy.inflict({ verb: 'watch', kind, fault: { type: 'lag', ms: lagMs }, alsoOpen: true }),
    );
    await scene.create(first);
    await scene.idle(lagMs / 2);
    await kube.scale(namespace, 'podcliquesets', 'unseen', more.replicas);
    await scene.idle(lagMs);
    for (const lift of lifts) lift();
    scene.say(`ready ${Math.round(await scene.ready(more))} ms after the end of the lag`);
    await scene.quiet();
    expect(scene.podsEver).toBe(podsOf(more));
    const creates = proxy.traffic.writes.filter(
      ({ verb, kind }) => verb === 'create' && kind === 'Pod',
    );
    expect(creates.map(({ status }) => status)).toEqual(creates.map(() => 201));
    expect(creates).toHaveLength(podsOf(more));
  },
};
