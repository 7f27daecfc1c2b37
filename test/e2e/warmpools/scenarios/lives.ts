// What users do to claims, pools and Sandboxes: with kubectl, by suspending, by letting expire, by
// deleting, and with variables of their own.
import { expect } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { nameOf, ownerOf, readySaid, uidOf } from '../stage/damage.ts';
import type { Scenario } from '../stage/describe.ts';
import { podTemplate } from '../stage/pod-template.ts';
import type { Scene } from '../stage/scene.ts';

const rows = async (scene: Scene, words: string): Promise<readonly (readonly string[])[]> =>
  (await scene.kubectl(words))
    .trim()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));

export const withKubectl: Scenario = {
  name: 'kubectl',
  needs: ['kubectl'],
  title: 'kubectl waits for claims, scales pools, knows short names and shows columns (P7)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    await scene.pool('warm', 2);
    await scene.full('warm', 2);
    await scene.claim('mine');
    await scene.kubectl('wait --for=condition=Ready sandboxclaim/mine --timeout=30s');
    const claims = await rows(scene, 'get sandboxclaim');
    expect(claims[0]?.slice(0, 4)).toEqual(['NAME', 'READY', 'SANDBOX', 'REASON']);
    expect(claims[1]?.slice(0, 4)).toEqual([
      ...['mine', 'True', scene.sandboxOf('mine'), 'DependenciesReady'],
    ]);
    const sandboxes = await rows(scene, `get sandbox ${scene.sandboxOf('mine')}`);
    expect(sandboxes.map((row) => row.slice(1, 3))).toEqual([
      ['READY', 'REASON'],
      ['True', 'DependenciesReady'],
    ]);
    await scene.full('warm', 2);
    const pools = await rows(scene, 'get swp');
    expect(pools.map((row) => row.slice(0, 3))).toEqual([
      ['NAME', 'READY', 'DESIRED'],
      ['warm', '2', '2'],
    ]);
    await scene.kubectl('get sandboxtemplate python');
    await scene.kubectl('scale swp/warm --replicas=4');
    await scene.full('warm', 4);
    await scene.kubectl('scale swp warm --replicas=0');
    await scene.full('warm', 0);
    await scene.until('only the claimed Sandbox', () => scene.all('pods').length === 1);
    const { selector } = at(scene.one('sandboxwarmpools', 'warm'), 'status') as {
      selector: string;
    };
    expect(selector).toMatch(/^agents\.x-k8s\.io\/warm-pool-sandbox=/);
    expect(scene.said('sandboxclaims', 'mine')).toMatch(/^True/);
    await scene.kubectl('delete sandboxclaim mine');
    await scene.until('nothing', () => scene.all('sandboxes').length === 0);
    await scene.kubectl('delete swp warm');
  },
};

/** `False PodTerminating`, each once, in the order in which it was seen. */
function history(scene: Scene, name: string, type: string): readonly string[] {
  const said: string[] = [];
  scene.onSight(({ resource, name: seen, object }) => {
    const [now = ''] = readySaid(object, type).split(':');
    if (resource === 'sandboxes' && seen === name && said.at(-1) !== now) said.push(now);
  });
  return said;
}

export const suspended: Scenario = {
  name: 'suspended',
  title:
    'A claimed Sandbox is suspended and resumed: its pod goes and comes back, its volume stays (R54, R55, R72)',
  run: async (scene) => {
    await scene.controller();
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    await scene.template('python', { volumeClaimTemplates });
    await scene.volumes(2);
    await scene.pool('warm', 1);
    await scene.full('warm', 1);
    await scene.claim('mine');
    await scene.ready('sandboxclaims', 'mine');
    const name = scene.sandboxOf('mine');
    const pod = uidOf(scene.one('pods', name));
    const volume = uidOf(await scene.get('persistentvolumeclaims', `data-${name}`));
    const told = history(scene, name, 'Suspended');
    await scene.patch('sandboxes', name, { spec: { operatingMode: 'Suspended' } });
    await scene.says('sandboxclaims', 'mine', /^False SandboxSuspended: Sandbox is suspended/);
    expect(scene.one('pods', name)).toBeUndefined();
    const asleep = scene.one('sandboxes', name);
    expect(readySaid(asleep, 'Suspended')).toMatch(/^True PodTerminated/);
    expect(list(at(asleep, 'status', 'podIPs'))).toEqual([]);
    expect(at(asleep, 'metadata', 'annotations', 'agents.x-k8s.io/pod-name')).toBeUndefined();
    await scene.patch('sandboxes', name, { spec: { operatingMode: 'Running' } });
    await scene.ready('sandboxclaims', 'mine');
    await scene.ready('sandboxes', name);
    const woken = scene.one('sandboxes', name);
    expect(readySaid(woken, 'Suspended')).toMatch(/^False NotSuspended/);
    expect(uidOf(scene.one('pods', name))).not.toBe(pod);
    expect(at(scene.one('sandboxclaims', 'mine'), 'status', 'sandbox', 'podIPs')).toEqual(
      at(woken, 'status', 'podIPs'),
    );
    expect(uidOf(await scene.get('persistentvolumeclaims', `data-${name}`))).toBe(volume);
    // A pod that is already gone when it is looked at leaves no time to say that it goes.
    expect(told.filter((one) => one !== 'False PodTerminating')).toEqual([
      ...['False NotSuspended', 'True PodTerminated', 'False NotSuspended'],
    ]);
  },
};

/** In whole seconds, as the API server wants it. */
const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

export const expiring: Scenario = {
  name: 'expiring',
  title: 'Claims expire as their policy says, and what is kept says so (R31, R32)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    await scene.pool('warm', 3);
    await scene.full('warm', 3);
    const policies = ['Retain', 'Delete', 'DeleteForeground'];
    const expired = new Set<string>();
    scene.onSight(({ resource, name, object }) => {
      if (resource === 'sandboxclaims' && / ClaimExpired/.test(readySaid(object)))
        expired.add(name);
    });
    for (const shutdownPolicy of policies) {
      await scene.claim(shutdownPolicy.toLowerCase(), { lifecycle: { shutdownPolicy } });
    }
    const names = policies.map((policy) => policy.toLowerCase());
    await scene.until('all bound', () => names.every((name) => scene.sandboxOf(name) !== ''));
    const [kept = '', ...deleted] = names;
    const theirs = names.map((name) => scene.sandboxOf(name));
    for (const name of names) {
      await scene.patch('sandboxclaims', name, { spec: { lifecycle: { shutdownTime: now() } } });
    }
    for (const name of deleted) await scene.gone('sandboxclaims', name);
    await scene.says('sandboxclaims', kept, /^False ClaimExpired: Claim expired/);
    for (const name of theirs) await scene.gone('sandboxes', name);
    await scene.until('without a Sandbox', () => scene.sandboxOf(kept) === '');
    // Seen by whoever watches before anything is torn down.
    expect([...expired].toSorted()).toEqual(names.toSorted());
    expect(await scene.told(kept, 'ClaimExpired')).toContain('Claim expired');
    await scene.full('warm', 3);
    await scene.atRest();
    expect(scene.said('sandboxclaims', kept)).toMatch(/^False ClaimExpired/);
    expect(scene.all('sandboxes')).toHaveLength(3);

    const alone = { podTemplate: podTemplate() };
    for (const shutdownPolicy of ['Retain', 'Delete']) {
      const name = `alone-${shutdownPolicy.toLowerCase()}`;
      await scene.create('sandboxes', { name }, { ...alone, shutdownPolicy });
      await scene.ready('sandboxes', name);
      await scene.patch('sandboxes', name, { spec: { shutdownTime: now() } });
    }
    await scene.gone('sandboxes', 'alone-delete');
    await scene.says('sandboxes', 'alone-retain', /^False SandboxExpired: Sandbox has expired/);
    await scene.gone('pods', 'alone-retain');
    // In the future again, it is built anew (S7).
    await scene.patch('sandboxes', 'alone-retain', { spec: { shutdownTime: null } });
    await scene.ready('sandboxes', 'alone-retain');
  },
};

export const deleted: Scenario = {
  name: 'deleted',
  title:
    'A claimed Sandbox survives its pool and goes with its claim; members go with the pool (C8)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    await scene.pool('warm', 3);
    await scene.full('warm', 3);
    await scene.claim('mine');
    await scene.ready('sandboxclaims', 'mine');
    const name = scene.sandboxOf('mine');
    const pod = uidOf(scene.one('pods', name));
    await scene.full('warm', 3);
    await scene.delete('sandboxwarmpools', 'warm');
    await scene.until('only the claimed one', () => scene.all('sandboxes').length === 1);
    await scene.atRest();
    expect(scene.said('sandboxclaims', 'mine')).toMatch(/^True DependenciesReady/);
    expect(uidOf(scene.one('pods', name))).toBe(pod);
    expect(ownerOf(scene.one('sandboxes', name), 'name')).toBe('mine');

    await scene.claim('late');
    await scene.says(
      'sandboxclaims',
      'late',
      /^False WarmPoolNotFound: SandboxWarmPool "warm" not/,
    );
    await scene.pool('warm', 1);
    await scene.ready('sandboxclaims', 'late');
    await scene.full('warm', 1);
    await scene.delete('sandboxclaims', 'mine');
    await scene.gone('sandboxes', name);
    await scene.gone('pods', name);
    await scene.atRest();
    expect(await scene.damage({ warm: 1 })).toEqual([]);
  },
};

export const cold: Scenario = {
  name: 'cold',
  title: 'A claim with variables starts cold under its own name, and no member is taken (R8)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python', { envVarsInjectionPolicy: 'Allowed' });
    await scene.pool('warm', 1);
    await scene.full('warm', 1);
    const member = scene.all('sandboxes').map(uidOf);
    await scene.claim('mine', { env: [{ name: 'KEY', value: 'value' }] });
    await scene.ready('sandboxclaims', 'mine');
    expect(scene.sandboxOf('mine')).toBe('mine');
    const [container] = list(at(scene.one('pods', 'mine'), 'spec', 'containers'));
    expect(list(at(container, 'env'))).toEqual([{ name: 'KEY', value: 'value' }]);
    expect(scene.all('sandboxes').map(uidOf)).toEqual(expect.arrayContaining(member));
    expect(await scene.told('mine', 'SandboxProvisioned')).toEqual(['Created Sandbox "mine"']);
    const labels = at(scene.one('sandboxes', 'mine'), 'metadata', 'labels');
    expect(text(at(labels, 'agents.x-k8s.io/launch-type'))).toBe('cold');
    await scene.atRest();
    expect(scene.all('sandboxes').map(nameOf)).toHaveLength(2);
    expect(await scene.damage({ warm: 1 })).toEqual([]);
  },
};
