// The token in the file is replaced, as the kubelet does every hour, and the old one is refused
// from then on; once with a gap in which neither is good.
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';

export const rotatedToken: Scenario = {
  name: 'token',
  title: 'goes on with a new token when the old one is refused',
  run: async (scene) => {
    const { kube, namespace, proxy, tokenFile } = scene;
    proxy.accept('first');
    await scene.controller();
    await scene.create(pairs('token', 1));
    await scene.ready(pairs('token', 1));

    proxy.accept('second');
    writeFileSync(tokenFile, 'second');
    proxy.cut(); // watches too have to show it
    await kube.scale(namespace, 'podcliquesets', 'token', 2);
    scene.say(`rotated: ready after ${Math.round(await scene.ready(pairs('token', 2)))} ms`);

    proxy.accept('third');
    proxy.cut();
    await kube.scale(namespace, 'podcliquesets', 'token', 3);
    await scene.idle(3000);
    writeFileSync(tokenFile, 'third');
    scene.say(`late: ready after ${Math.round(await scene.ready(pairs('token', 3)))} ms`);
    const refused = proxy.traffic.count(({ status }) => status === 401);
    scene.say(`${refused} requests refused`);
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThan(200);
  },
};
