// Refill that a ResourceQuota refuses, of Sandboxes or of their pods: the pool says so, claims are
// served from what is there, and a quota that is raised is enough to go on.
import { expect } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const most = 3;
const wanted = 6;

interface Quota {
  readonly name: string;
  /** `count/pods` */
  readonly resource: string;
  readonly title: string;
}

const raise = (scene: Scene, resource: string, to: number): Promise<unknown> =>
  scene.patch('resourcequotas', 'least', { spec: { hard: { [resource]: String(to) } } });

async function bounded(scene: Scene, resource: string): Promise<void> {
  await scene.create('resourcequotas', { name: 'least' }, { hard: { [resource]: String(most) } });
  // It refuses nothing before it was counted.
  await scene.eventually(
    'a quota that counts',
    async () =>
      at(await scene.get('resourcequotas', 'least'), 'status', 'hard', resource) === String(most),
  );
}

const scenarioOf = ({ name, resource, title }: Quota): Scenario => ({
  name,
  needs: ['nats'],
  title: `${title} (R43, G13)`,
  run: async (scene) => {
    await bounded(scene, resource);
    await scene.controller();
    await scene.template('python');
    await scene.pool('warm', wanted);
    await scene.says('sandboxwarmpools', 'warm', /^False RefillFailed: .*exceeded quota: least/);
    await scene.until(
      `${most} are ready`,
      () => at(scene.one('sandboxwarmpools', 'warm'), 'status', 'readyReplicas') === most,
    );
    const notes = await scene.told('warm', 'WarmPoolRefillFailed');
    expect(notes.join()).toMatch(/exceeded quota: least/);
    expect(await scene.why('sandboxwarmpool', 'warm')).toMatch(
      /exceeded quota: least.*claims are served/,
    );
    for (const claim of ['a', 'b']) await scene.claim(claim);
    await scene.ready('sandboxclaims', 'a', 'b');
    // They count, too: nothing has become free.
    await scene.says('sandboxwarmpools', 'warm', /^False RefillFailed/);
    const before = await scene.writes();
    const refused = (writes: Readonly<Record<string, number>>): number =>
      (writes['create sandboxes 403'] ?? 0) + (writes['create pods 403'] ?? 0);
    expect(refused(before)).toBeGreaterThan(0);
    // A few for each member, and not one after the other without end.
    expect(refused(before)).toBeLessThan(10 * wanted);
    await raise(scene, resource, 2 * wanted);
    await scene.full('warm', wanted);
    await scene.atRest();
    expect(await scene.damage({ warm: wanted })).toEqual([]);
  },
});

export const quotaOfSandboxes = scenarioOf({
  name: 'quota-sandboxes',
  resource: 'count/sandboxes.agents.x-k8s.io',
  title: 'A quota of Sandboxes stops the refill and no claim',
});

export const quotaOfPods = scenarioOf({
  name: 'quota-pods',
  resource: 'count/pods',
  title: 'A quota of pods stops the refill and no claim',
});
