// A network that cuts where it hurts: inside characters, in the middle of answers, and all
// connections every second.
import { expect } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { manifest, pairs, podsOf } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';

const first = pairs('bytes', 15);
const wanted = pairs('bytes', 25);
const resetsMs = 10_000;
const words = 'größer, 日本語, 😀; '.repeat(20);

/** The manifest with words that have characters of one to four bytes. */
const spoken = (): unknown => {
  const args = `"args":${JSON.stringify([words])},"image":`;
  return JSON.parse(JSON.stringify(manifest(first)).replaceAll('"image":', args));
};

export const brokenBytes: Scenario = {
  name: 'bytes',
  title: 'makes the right objects of bytes that are split, cut off and reset every second',
  run: async (scene) => {
    const { kube, namespace, onlooker, proxy } = scene;
    proxy.inflict({ verb: 'watch', fault: { type: 'split' } });
    proxy.inflict({ verb: 'write', rate: 0.1, fault: { type: 'truncate' } });
    proxy.inflict({ verb: 'list', rate: 0.2, fault: { type: 'truncate' } });
    proxy.inflict({ fault: { type: 'split' } });
    await scene.controller();
    const stop = proxy.cutEvery(1000);
    await kube.create(namespace, 'podcliquesets', spoken());
    await scene.idle(resetsMs / 2);
    await kube.scale(namespace, 'podcliquesets', 'bytes', wanted.replicas);
    await scene.idle(resetsMs / 2);
    stop();
    const ready = scene.ready(wanted);
    // What was misread is a reason not to become ready.
    await ready.catch(() => undefined);
    for (const pod of onlooker.all('pods', namespace).values()) {
      const [container] = list(at(pod, 'spec', 'containers'));
      expect(at(container, 'args')).toEqual([words]);
    }
    scene.say(`ready ${Math.round(await ready)} ms after the last reset`);
    await scene.quiet();
    expect(scene.podsEver).toBe(podsOf(wanted));
    const hit = (type: string) => proxy.traffic.count(({ fault }) => fault === type);
    scene.say(`${hit('truncate')} answers cut off, ${hit('split')} split`);
    expect(hit('truncate')).toBeGreaterThan(0);
  },
};
