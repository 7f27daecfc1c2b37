// What nobody should write and somebody will: a pool of a million, pools and templates that are not
// there, go or come back at the wrong moment, and names as long as the API server takes them.
import { expect } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { nameOf, ownerOf, readySaid, uidOf } from '../stage/damage.ts';
import type { Scenario } from '../stage/describe.ts';
import { podTemplate } from '../stage/pod-template.ts';
import type { Scene } from '../stage/scene.ts';

const million = 1_000_000;
/** Of the huge pool, when it is deleted. */
const many = 400;
const claims = 10;

export const huge: Scenario = {
  name: 'huge',
  title: 'A pool of a million members holds up no other one, and goes when it is deleted',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    // One for each claim: the huge pool may take all the room on the nodes, and is welcome to it.
    await scene.pool('warm', claims);
    await scene.full('warm', claims);
    await scene.pool('huge', million);
    const ofHuge = () => scene.all('sandboxes').filter((one) => ownerOf(one, 'name') === 'huge');
    for (let index = 0; index < claims; index++) {
      const members = ofHuge().length;
      await scene.until('it grows', () => ofHuge().length > members);
      await scene.claim(`claim-${index}`);
      await scene.ready('sandboxclaims', `claim-${index}`);
    }
    await scene.until(`${many} members`, () => ofHuge().length >= many);
    await scene.delete('sandboxwarmpools', 'huge');
    await scene.until(
      'without its members',
      () => ofHuge().length === 0,
      () => ofHuge().length,
    );
    const leftPods = () => scene.all('pods').length - scene.all('sandboxes').length;
    await scene.until('its pods are collected', () => leftPods() === 0, leftPods);
    await scene.full('warm', claims);
    await scene.atRest();
    expect(await scene.damage({ warm: claims, huge: 0 })).toEqual([]);
  },
};

const finalizer = 'e2e.coppice.dev/held';

export const goingPool: Scenario = {
  name: 'going-pool',
  title:
    'A claim on a pool that is being deleted is served, and loses nothing when the pool is gone (C8)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    const sandboxTemplateRef = { name: 'python' };
    const metadata = { name: 'warm', finalizers: [finalizer] };
    await scene.create('sandboxwarmpools', metadata, { replicas: 2, sandboxTemplateRef });
    await scene.full('warm', 2);
    await scene.delete('sandboxwarmpools', 'warm');
    // One more than it has members, and it makes none any more.
    const names = ['a', 'b', 'c'];
    for (const name of names) await scene.claim(name);
    await scene.ready('sandboxclaims', ...names);
    expect(scene.all('sandboxes')).toHaveLength(3);
    await scene.patch('sandboxwarmpools', 'warm', { metadata: { finalizers: null } });
    await scene.gone('sandboxwarmpools', 'warm');
    await scene.atRest();
    expect(await scene.damage({})).toEqual([]);
    for (const name of names) expect(scene.said('sandboxclaims', name)).toMatch(/^True/);
  },
};

export const latePool: Scenario = {
  name: 'late-pool',
  title:
    'Claims on a pool and a template that come later say what is missing, and recover (R13, K2, K3)',
  run: async (scene) => {
    await scene.controller();
    await scene.claim('early');
    await scene.says(
      'sandboxclaims',
      'early',
      /^False WarmPoolNotFound: SandboxWarmPool "warm" not f/,
    );
    await scene.pool('warm', 2);
    await scene.says(
      'sandboxclaims',
      'early',
      /^False TemplateNotFound: SandboxTemplate "python" not/,
    );
    await scene.says(
      'sandboxwarmpools',
      'warm',
      /^False TemplateNotFound: SandboxTemplate "python"/,
    );
    await scene.template('python');
    await scene.ready('sandboxclaims', 'early');
    await scene.full('warm', 2);
    await scene.atRest();
    expect(await scene.damage({ warm: 2 })).toEqual([]);
  },
};

const imageOf = (sandbox: unknown): string =>
  text(at(list(at(sandbox, 'spec', 'podTemplate', 'spec', 'containers'))[0], 'image'));

const withImage = (image: string) => podTemplate({ containers: [{ name: 'main', image }] });

export const lostTemplate: Scenario = {
  name: 'lost-template',
  title:
    'A template that vanishes during a roll-out loses no claim, and the roll-out ends when it is back (P1, R10)',
  run: async (scene) => {
    await scene.controller();
    await scene.template('python');
    await scene.pool('warm', 4, { updateStrategy: { type: 'Recreate' } });
    await scene.full('warm', 4);
    await scene.claim('before');
    await scene.ready('sandboxclaims', 'before');
    const kept = scene.sandboxOf('before');
    await scene.full('warm', 4);
    const old = new Set(scene.all('sandboxes').map(uidOf));
    await scene.patch('sandboxtemplates', 'python', { spec: { podTemplate: withImage('none:2') } });
    await scene.until(
      'rolling out',
      () =>
        scene.all('sandboxes').some((one) => imageOf(one) === 'none:2') ||
        scene.all('sandboxes').filter((one) => old.has(uidOf(one))).length < old.size,
    );
    await scene.delete('sandboxtemplates', 'python');
    await scene.claim('meanwhile', { env: [{ name: 'A', value: 'b' }] });
    await scene.says('sandboxclaims', 'meanwhile', /^False TemplateNotFound/);
    await scene.template('python', {
      podTemplate: withImage('none:3'),
      envVarsInjectionPolicy: 'Allowed',
    });
    await scene.ready('sandboxclaims', 'before', 'meanwhile');
    await scene.until('all of the last version', () => {
      const members = scene.all('sandboxes').filter((one) => nameOf(one) !== kept);
      return members.length === 5 && members.every((one) => imageOf(one) === 'none:3');
    });
    await scene.full('warm', 4);
    await scene.atRest();
    expect(scene.sandboxOf('before')).toBe(kept);
    expect(await scene.damage({ warm: 4 })).toEqual([]);
  },
};

/** As a host name, and as one label that is too long for one. */
const longNames = {
  dotted: `${`${'a'.repeat(62)}.`.repeat(4)}b`,
  plain: 'c'.repeat(253),
};

export const longest: Scenario = {
  name: 'longest',
  needs: ['nats'],
  title:
    'Names of 253 characters work wherever the API server takes them, and what it refuses is told',
  run: async (scene) => {
    await scene.controller();
    for (const [word, name] of Object.entries(longNames)) {
      expect(name).toHaveLength(253);
      await scene.template(name);
      // The policy is named after it, with more at the end.
      expect((await scene.told(name, 'NetworkPolicyFailed')).join()).toMatch(/network-policy/);
      await scene.pool(name, 1, { sandboxTemplateRef: { name } });
      await scene.full(name, 1);
      await scene.claim(name, {}, name);
      await scene.claim(`second-${word}`, {}, name);
      await scene.ready('sandboxclaims', name, `second-${word}`);
      expect(scene.sandboxOf(name)).not.toBe(name);
      await scene.full(name, 1);
      const why = (): Promise<string> => scene.why('sandboxwarmpool', name);
      await scene.eventually(
        'its actor says so',
        async () => (await why()) === '1 members are ready',
      );
    }
    await cold(scene, longNames.dotted);
    await alone(scene, longNames.plain);
    await scene.atRest();
    const pools = Object.fromEntries(Object.values(longNames).map((name) => [name, 1]));
    expect((await scene.damage(pools)).filter((line) => !/pods of|of nobody/.test(line))).toEqual(
      [],
    );
  },
};

/** The Sandbox and its pod have the name of the claim. */
async function cold(scene: Scene, name: string): Promise<void> {
  await scene.template('open', { envVarsInjectionPolicy: 'Allowed' });
  await scene.pool('open', 0, { sandboxTemplateRef: { name: 'open' } });
  const claim = `${name.slice(0, -1)}z`;
  await scene.claim(claim, { env: [{ name: 'A', value: 'b' }] }, 'open');
  await scene.ready('sandboxclaims', claim);
  expect(scene.sandboxOf(claim)).toBe(claim);
  expect(nameOf(scene.one('pods', claim))).toBe(claim);
}

/** A Service and a volume of such a name are refused; the Sandbox says so and goes on. */
async function alone(scene: Scene, name: string): Promise<void> {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await scene.create(
    'sandboxes',
    { name: `${name.slice(1)}s` },
    { podTemplate: podTemplate(), service: true },
  );
  await scene.says(
    'sandboxes',
    `${name.slice(1)}s`,
    /^False ReconcilerError: Error seen: .*Service/i,
  );
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec }];
  await scene.create(
    'sandboxes',
    { name: `${name.slice(1)}v` },
    { podTemplate: podTemplate(), volumeClaimTemplates },
  );
  await scene.says(
    'sandboxes',
    `${name.slice(1)}v`,
    /^False ReconcilerError: Error seen: .*PersistentVolumeClaim|^False ReconcilerError: Error seen: .*data-/i,
  );
  for (const last of ['s', 'v']) {
    expect(readySaid(scene.one('sandboxes', `${name.slice(1)}${last}`), 'Suspended')).toMatch(
      /^False/,
    );
    await scene.delete('sandboxes', `${name.slice(1)}${last}`);
    await scene.gone('sandboxes', `${name.slice(1)}${last}`);
  }
}
